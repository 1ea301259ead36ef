// The last wave to come decides: its number depends on the order of waves, and with luck, of lanes.
#include "check.h"

__global__ void order(unsigned *last, unsigned *count) {
  unsigned number = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  if (threadIdx.x % warpSize == 0) {
    for (unsigned i = 0; i < number % 7; ++i)
      atomicAdd(count, 1u);
    *last = number;
  }
}

int main() {
  Buffer<unsigned> last(std::vector<unsigned>(1)), count(std::vector<unsigned>(1));
  order<<<8, 128>>>(last.data, count.data);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  unsigned found = last.get()[0];
  printf("last %u, count %u\n", found, count.get()[0]);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
