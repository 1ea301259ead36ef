// Divides each element by the sum of its row. One row comes out wrong: the tutorial's second lesson finds it.
#include "check.h"
#include <cmath>

constexpr int Columns = 4;

__global__ void normalize(float *out, const float *in, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float total = 0;
    for (int k = 0; k < Columns; ++k)
      total += in[row * Columns + k];
    for (int k = 0; k < Columns; ++k) {
      float share = in[row * Columns + k] / total;
      out[row * Columns + k] = share;
    }
  }
}

int main() {
  const int rows = 128;
  std::vector<float> in(rows * Columns);
  for (int i = 0; i < rows * Columns; ++i)
    in[i] = i / Columns == 37 ? 0 : 1 + i % Columns;
  Buffer<float> from(in), to(in.size());
  normalize<<<rows / 64, 64>>>(to.data, from.data, rows);
  HIP(hipGetLastError());
  int bad = 0;
  for (float value : to.get())
    bad += std::isnan(value);
  printf("rows: %d of %d results are not a number: %s\n", bad, rows * Columns, bad ? "FAILED" : "PASSED");
  return bad != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
