// Kernels that write so many MiB, each word once, and again: what a check, or a recording, keeps of them grows.
#include "check.h"

__global__ void fill(unsigned *words, size_t count, unsigned value) {
  size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    words[i] = value; // filled
}

int main(int argc, char **argv) {
  size_t count = (argc > 1 ? strtoul(argv[1], nullptr, 0) : 1) << 18;
  unsigned times = argc > 2 ? strtoul(argv[2], nullptr, 0) : 1;
  Buffer<unsigned> words(count);
  for (unsigned n = 1; n <= times; ++n) {
    fill<<<16, 256>>>(words.data, count, n);
    hipError_t error = hipDeviceSynchronize();
    printf("%u: %s\n", n, hipGetErrorString(error));
    fflush(stdout);
    if (error != hipSuccess)
      return 1;
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
