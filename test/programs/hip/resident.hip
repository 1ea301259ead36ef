// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 1,600 waves that stay: two of the four of a workgroup count for ever, the others wait for them. One passes a line of its own.
#include "check.h"

__global__ void resident(volatile unsigned *counts) {
  const unsigned wave = threadIdx.x / 64;
  if (wave < 2)
    for (unsigned round = 1; counts[0]; ++round) {
      counts[16 + wave] = round; // counted
      if (blockIdx.x == 0 && wave == 0)
        counts[18] = round; // first
    }
  __syncthreads();
}

int main() {
  Buffer<unsigned> counts(std::vector<unsigned>(32, 1));
  resident<<<400, 256>>>(counts.data);
  HIP(hipDeviceSynchronize());
  return 0;
}
