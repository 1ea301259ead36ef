// Follows lists of indices. One index is wrong, and the kernel faults: the tutorial's fourth lesson goes back to it.
#include "check.h"

__global__ void follow(int *out, const int *next, int steps) {
  int at = threadIdx.x;
  for (int k = 0; k < steps; ++k) {
    int following = next[at];
    at = following;
  }
  out[threadIdx.x] = at;
}

int main() {
  const int count = 256;
  std::vector<int> next(count);
  for (int i = 0; i < count; ++i)
    next[i] = (i + 8) % count;
  next[50] = 1 << 30;
  Buffer<int> links(next), ends(64);
  follow<<<1, 64>>>(ends.data, links.data, 6);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  printf("list: lane 0 ends at %d\n", ends.get()[0]);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
