// Two kernels read the same memory, which the host changes then; a third reads what is new.
#include "check.h"

__global__ void add(int *sum, const int *part) {
  int value = part[threadIdx.x]; // read
  sum[threadIdx.x] += value; // added
}

int main() {
  std::vector<int> old(64, 1), later(64, 100);
  Buffer<int> sum(std::vector<int>(64)), part(old);
  add<<<1, 64>>>(sum.data, part.data);
  add<<<1, 64>>>(sum.data, part.data);
  HIP(hipDeviceSynchronize());
  HIP(hipMemcpy(part.data, later.data(), 64 * sizeof(int), hipMemcpyHostToDevice));
  add<<<1, 64>>>(sum.data, part.data);
  HIP(hipDeviceSynchronize());
  return report("between", sum.get(), std::vector<int>(64, 102));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
