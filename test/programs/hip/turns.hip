// One line calls several functions, in turns of different lanes.
#include "check.h"

__device__ __attribute__((noinline)) int odd(int x) {
  return x * 2; // in odd
}

__device__ __attribute__((noinline)) int even(int x) {
  return x * 3; // in even
}

__global__ void turns(int *out) {
  int i = threadIdx.x;
  int v = i & 1 ? odd(i) : even(i);                  // one or the other
  v += (i & 1 ? odd(i) : 0) + (i & 2 ? even(i) : 0); // one, both or none
  out[i] = v;                                        // end
}

int main() {
  Buffer<int> out(std::vector<int>(4));
  turns<<<1, 4>>>(out.data);
  HIP(hipDeviceSynchronize());
  return report("turns", out.get(), {0, 4, 12, 21});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
