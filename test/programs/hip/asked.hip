// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waves that run on until the debugger asks one to come by a line, or to end: each is a workgroup, and asked by its number.
#include "check.h"

constexpr unsigned Waves = 6;
enum Question { None, Come, End };

// Of each wave: what it is asked, how often it has been around its loop, and how often it has come.
__device__ volatile unsigned question[Waves] = {Come};
__device__ volatile unsigned rounds[Waves];
__device__ volatile unsigned comings[Waves];

__global__ void go_around() {
  const unsigned wave = blockIdx.x;
  unsigned came = 0;
  while (question[wave] != End) {
    if (question[wave] == Come) {
      question[wave] = None; // comes by
      came += 1;             // and here
      comings[wave] = came;  // and says so
    }
    rounds[wave] += 1; // around
  }
}

int main() {
  go_around<<<Waves, 1>>>();
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  unsigned all[Waves];
  HIP(hipMemcpyFromSymbol(all, HIP_SYMBOL(comings), sizeof(all)));
  printf("asked:");
  for (unsigned count : all)
    printf(" %u", count);
  printf("\n");
}
