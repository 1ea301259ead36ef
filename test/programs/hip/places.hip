// Lanes that wait while others go: where they are, and what their variables are to them. A store in each branch keeps it one.
#include "check.h"

__global__ void places(int *out) {
  int lane = threadIdx.x;
  int value = 5;
  if (lane % 4 == 1) {      // branch
    value = lane * 100;
    out[64 + lane] = value; // then
    if (lane > 20) {        // inner
      value = lane * 1000;
      out[128 + lane] = value; // deep
    }
  }
  out[lane] = value; // end
}

int main() {
  std::vector<int> want(192);
  for (int lane = 0; lane < 64; ++lane) {
    want[lane] = lane % 4 != 1 ? 5 : lane > 20 ? lane * 1000 : lane * 100;
    if (lane % 4 == 1)
      want[64 + lane] = lane * 100;
    if (lane % 4 == 1 && lane > 20)
      want[128 + lane] = lane * 1000;
  }
  Buffer<int> out(std::vector<int>(192));
  places<<<1, 64>>>(out.data);
  HIP(hipDeviceSynchronize());
  return report("places", out.get(), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
