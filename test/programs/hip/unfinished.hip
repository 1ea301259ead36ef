// Ends without waiting for a kernel, which doesn't end, unless it has an argument; small functions, which are inlined at -O2.
#include "check.h"

__device__ int clampi(int v) { return v < 0 ? 0 : v > 9 ? 9 : v; }

__global__ void spin(volatile int *stop, int n) {
  int zeros[4] = {}; // line 7
  int t = threadIdx.x;
  while (!*stop)
    zeros[t & 3] += clampi(n + t); // line 10
  stop[t] = zeros[n & 3];
}

int main(int count, char **) {
  int *stop;
  HIP(hipMalloc((void **)&stop, 256));
  HIP(hipMemset(stop, 0, 256));
  spin<<<1, 64>>>(stop, 5);
  if (count > 1)
    HIP(hipDeviceSynchronize());
  printf("the end\n"); // line 21
  return 0;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
