// A workgroup stores a row, and then a flag, for which the others wait. Without a fence, they may see the flag first.
#include "check.h"
#include <cstring>

__global__ void publish(int *row, int *flag, int *stale, bool fence) {
  if (blockIdx.x == 0) {
    row[threadIdx.x] = 7;
    if (fence)
      __threadfence();
    if (threadIdx.x == 0)
      __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
  } else {
    while (__atomic_load_n(flag, __ATOMIC_RELAXED) == 0)
      ;
    if (__atomic_load_n(&row[threadIdx.x], __ATOMIC_RELAXED) != 7)
      atomicAdd(stale, 1);
  }
}

int main(int argc, char **argv) {
  Buffer<int> row(std::vector<int>(32)), flag(std::vector<int>(1)), stale(std::vector<int>(1));
  publish<<<4, 32>>>(row.data, flag.data, stale.data, argc > 1 && !strcmp(argv[1], "fence"));
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  printf("%d old values\n", stale.get()[0]);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
