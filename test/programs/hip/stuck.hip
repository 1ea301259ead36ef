// Two waves wait for each other: the tutorial's fifth lesson looks at it in a core.
#include "check.h"

__global__ void handOver(int *out, int waves) {
  __shared__ volatile int ready;
  int wave = threadIdx.x / 64;
  if (threadIdx.x == 0)
    ready = 0;
  __syncthreads();
  if (wave == 0) {
    while (!ready)
      ;
    out[0] = ready;
  }
  __syncthreads();
  if (wave == waves - 1)
    ready = 1;
}

int main() {
  Buffer<int> out(1);
  handOver<<<1, 128>>>(out.data, 2);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  printf("stuck: %d\n", out.get()[0]);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
