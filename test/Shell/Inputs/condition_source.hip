// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At -O2, what is said to be `v` is twice as large at the mark.
#include <hip/hip_runtime.h>
__global__ void kernel(int *out, int n) {
  int v = threadIdx.x * 2 + 1;
  int w = out[threadIdx.x];
  w = v;
  out[threadIdx.x] = v + w;
  asm volatile("s_nop 13" ::: "memory"); // here
  out[threadIdx.x] += n;
}
int main() {
  int *d;
  if (hipMalloc(&d, 1024))
    return 1;
  kernel<<<1, 64>>>(d, 9);
  return hipDeviceSynchronize();
}
