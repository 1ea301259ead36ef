// Kernels that go wrong, by the first argument.
#include "check.h"
#include <cassert>
#include <cstring>
#include <unistd.h>

__global__ void violate(int *p, long at) { p[at + threadIdx.x] = 1; }
__global__ void trap() { __builtin_trap(); }
__global__ void debugtrap(int *out) {
  __builtin_debugtrap();
  out[threadIdx.x] = threadIdx.x;
}
__global__ void failing(int n) { assert(n == 1 && "n is one"); }
__global__ void illegal() { asm volatile(".long 0xbfff0000"); }
__global__ void unmodelled() { asm volatile("ds_append v0"); }
__global__ void endless(volatile int *go) {
  while (*go == 0)
    __builtin_amdgcn_s_sleep(1);
}
__global__ void divide(float *out) {
#ifdef __GFX9__
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 4"); // trap on division by zero
#endif
  float x = threadIdx.x % 5 == 3 ? 0.0f : 1.0f, y;
  asm volatile("v_rcp_f32 %0, %1" : "=v"(y) : "v"(x));
  out[threadIdx.x] = y;
}
__global__ void aborting() {
  if (threadIdx.x > 60)
    abort();
}
__global__ void some(int *p) {
  if (threadIdx.x % 16 == 2)
    p[threadIdx.x + (threadIdx.x > 30 ? 1l << 32 : 0)] = 1;
}
// A descriptor without a format.
__global__ void format() {
#ifdef __GFX9__
  asm volatile("s_mov_b32 s4, 0\n s_mov_b32 s5, 0\n s_mov_b32 s6, 64\n s_mov_b32 s7, 0\n"
               "buffer_load_format_x v0, v0, s[4:7], 0 idxen" ::: "s4", "s5", "s6", "s7", "v0");
#endif
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int *p;
  HIP(hipMalloc((void **)&p, 4096));
  HIP(hipMemset(p, 0, 4096));
  if (!strcmp(what, "violation"))
    violate<<<1, 64>>>(p, 1l << 32);
  else if (!strcmp(what, "trap"))
    trap<<<1, 64>>>();
  else if (!strcmp(what, "debugtrap"))
    debugtrap<<<1, 64>>>(p);
  else if (!strcmp(what, "assert"))
    failing<<<1, 64>>>(2);
  else if (!strcmp(what, "illegal"))
    illegal<<<1, 64>>>();
  else if (!strcmp(what, "divide"))
    divide<<<1, 64>>>((float *)p);
  else if (!strcmp(what, "abort"))
    aborting<<<1, 64>>>();
  else if (!strcmp(what, "some"))
    some<<<1, 64>>>(p);
  else if (!strcmp(what, "unmodelled"))
    unmodelled<<<1, 64>>>();
  else if (!strcmp(what, "format"))
    format<<<1, 64>>>();
  else if (!strcmp(what, "endless")) {
    endless<<<4, 64>>>(p);
    if (argc > 2) // leave while waves run
      _exit(7);
  } else if (!strcmp(what, "hostcrash")) {
    endless<<<1, 64>>>(p);
    volatile int *nowhere = nullptr;
    *nowhere = 1;
  } else if (!strcmp(what, "fork")) {
    if (fork() == 0)
      _exit(0);
    violate<<<1, 64>>>(p, 0);
  } else if (!strcmp(what, "idle")) {
    failing<<<1, 64>>>(1);
    HIP(hipDeviceSynchronize());
    pause();
  }
  hipError_t error = hipDeviceSynchronize();
  printf("%s: %s\n", what, hipGetErrorString(error));
  return error == hipSuccess ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
