// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At -O2, `t` stays in a register that the function that is called doesn't
// write, behind the end of its location.
#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) void add(unsigned *out, unsigned value) {
  atomicAdd(out, value);
}
__global__ void k(unsigned *out, unsigned n) {
  unsigned i = threadIdx.x;
  unsigned t = out[i] * 3;
  out[i + 64] = t;
  asm volatile("s_nop 13" ::: "memory");
  unsigned u = out[i + n];
  t = t * 31 + u;
  add(out + 200, n);
  asm volatile("s_nop 14" ::: "memory"); // called
  t = t * 31 + i;
  out[i] = t;
}
int main() {
  unsigned *d;
  if (hipMalloc(&d, 1024) || hipMemset(d, 1, 1024))
    return 1;
  k<<<1, 64>>>(d, 64);
  return hipDeviceSynchronize() != hipSuccess;
}
