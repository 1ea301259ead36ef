// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that writes where nothing is.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void violate(int *p, long at) {
  int mine = threadIdx.x * 3;
  p[at + threadIdx.x] = mine;
}

int main() {
  int *d = nullptr;
  if (hipMalloc(&d, 256) != hipSuccess)
    return 2;
  violate<<<2, 64>>>(d, 1L << 32);
  printf("%s\n", hipGetErrorString(hipDeviceSynchronize()));
}
