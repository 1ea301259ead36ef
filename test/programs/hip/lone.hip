// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One wave takes long, and then waits for the other one.
#include "check.h"

__device__ __attribute__((noinline)) unsigned work(unsigned rounds) {
  unsigned sum = 0;
  for (unsigned i = 0; i < rounds; ++i)
    sum = sum * 5 + i;
  return sum;
}

__device__ __attribute__((noinline)) void await(volatile unsigned *set) {
  while (!*set)
    ;
}

__global__ void lone(volatile unsigned *out, unsigned rounds) {
  if (threadIdx.x < 64) {
    out[0] = work(rounds); // long
    await(out + 1);        // waits
    out[2] = 1;            // set
  } else {
    out[3] = 2; // other
    out[1] = 1;
  }
}

int main() {
  Buffer<unsigned> out(std::vector<unsigned>(4));
  lone<<<1, 128>>>(out.data, 600000);
  HIP(hipDeviceSynchronize());
  std::vector<unsigned> got = out.get();
  got[0] = 0;
  return report("lone", got, {0, 1, 1, 2});
}
