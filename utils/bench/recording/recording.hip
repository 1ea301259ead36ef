// A kernel of about as many wave instructions as the argument says, in millions: arithmetic, loads and stores.
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

constexpr unsigned Waves = 32, Lanes = 64 * Waves;

__global__ void work(unsigned *data, unsigned rounds) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = i;
  for (unsigned r = 0; r < rounds; ++r) {
    unsigned at = (i + r * 64) % (Lanes * 16);
    sum = sum * 5 + data[at];
    data[i * 16 % (Lanes * 16) + r % 16] = sum;
  }
  data[i] = sum; // end
}

int main(int count, char **arguments) {
  const unsigned millions = count > 1 ? unsigned(atoi(arguments[1])) : 10;
  // How many instructions a round has, at -O0.
  const unsigned each = 60;
  unsigned *data;
  if (hipMalloc((void **)&data, Lanes * 16 * sizeof(unsigned)) != hipSuccess)
    return 1;
  work<<<Waves / 4, 256>>>(data, unsigned(millions * 1000000ull / Waves / each));
  return hipDeviceSynchronize() != hipSuccess;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
