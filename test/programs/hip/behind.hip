// A wave is behind the instruction whose access fails, at code of other lines.
#include "check.h"

__device__ __attribute__((noinline)) void store(int *p, int value) {
  // clang-format off
  asm volatile("flat_store_dword %0, %1" ::"v"(p), "v"(value) : "memory"); // failing
  // clang-format on
  asm volatile("s_nop 1\ns_nop 1"); // next
}

__global__ void behind(int *p, long far) {
  int i = threadIdx.x;
  if (i % 16 == 2) {                                    // some
    store(&p[i + (i > 30 ? far : 0)], i);               // call
    asm volatile("s_nop 2\ns_nop 2\ns_nop 2\ns_nop 2"); // later
  }
  __syncthreads();
  p[i] = 0; // together
}

// With an argument, this one runs.
__global__ void division(float *out) {
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 4"); // on
  float x = threadIdx.x % 5 == 3 ? 0.0f : 1.0f, y;
  asm volatile("v_rcp_f32 %0, %1" : "=v"(y) : "v"(x)); // dividing
  asm volatile("s_nop 1\ns_nop 1");                    // divided
  out[threadIdx.x] = y;
}

int main(int argc, char **argv) {
  Buffer<int> p(std::vector<int>(64, 7));
  if (argc > 1)
    division<<<1, 64>>>((float *)p.data);
  else
    behind<<<1, 64>>>(p.data, 1l << 32);
  printf("%s\n", hipGetErrorString(hipDeviceSynchronize()));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
