// A recursion that is too deep for one lane's private memory.
#include "check.h"

__device__ __attribute__((noinline)) int deep(int n) {
  volatile int own[64];
  own[n & 63] = n;
  if (n == 0)
    return 0;
  int rest = deep(n - 1);
  return rest + own[n & 63];
}

__global__ void recursion(int *out, int n) {
  int i = threadIdx.x;
  if (i == 5)
    out[0] = deep(n);
}

int main() {
  Buffer<int> out(std::vector<int>(64, 0));
  recursion<<<1, 64>>>(out.data, 1000);
  printf("%s\n", hipGetErrorString(hipDeviceSynchronize()));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
