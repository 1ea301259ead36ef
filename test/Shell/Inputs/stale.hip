// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At -O2, the register of `t` keeps its first value behind its location.
#include <hip/hip_runtime.h>
__global__ void k(unsigned *out, unsigned n) {
  unsigned i = threadIdx.x;
  unsigned t = out[i] * 3;
  out[i + 64] = t;
  asm volatile("s_nop 1" ::: "memory");
  out[i + 128] = n;
  asm volatile("s_nop 2" ::: "memory");
  unsigned u = out[i + n];
  asm volatile("s_nop 3" ::: "memory");
  t = t * 31 + u;
  t = t * 31 + i;
  t = t * 31 + n;
  out[i] = t;
}
int main() {
  unsigned *d;
  (void)hipMalloc(&d, 1024);
  (void)hipMemset(d, 1, 1024);
  k<<<1, 64>>>(d, 64);
  return hipDeviceSynchronize() != hipSuccess;
}
