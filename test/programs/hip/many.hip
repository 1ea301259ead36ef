// A grid of as many workgroups as the first argument says: waves come and go.
#include "check.h"

__global__ void many(unsigned *counts) {
  unsigned work = blockIdx.x % 16;
  atomicAdd(&counts[work], threadIdx.x == 0 ? 1u : 0u); // counted
}

int main(int argc, char **argv) {
  unsigned groups = argc > 1 ? strtoul(argv[1], nullptr, 0) : 1000;
  Buffer<unsigned> counts(std::vector<unsigned>(16, 0));
  many<<<groups, 64>>>(counts.data);
  HIP(hipDeviceSynchronize());
  unsigned total = 0;
  for (unsigned n : counts.get())
    total += n;
  printf("%u workgroups of %u\n", total, groups);
  return total == groups ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
