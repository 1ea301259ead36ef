// Variables that the optimizer keeps in registers: a counter that all lanes share and values of each lane.
#include "check.h"

__global__ void optimized(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int group = blockIdx.x * 10 + n;
  float sum = 1;
  for (int k = 0; k < n; ++k) {
    float term = x[k] * i;
    sum += term + group; // sum
  }
  y[i] = sum;
}

int main() {
  const int n = 8, threads = 128;
  std::vector<float> x(n), want(threads, 1);
  for (int k = 0; k < n; ++k)
    x[k] = k + 1;
  for (int i = 0; i < threads; ++i)
    for (int k = 0; k < n; ++k)
      want[i] += x[k] * i + (i / 64 * 10 + n);
  Buffer<float> dx(x), dy(threads);
  optimized<<<threads / 64, 64>>>(dy.data, dx.data, n);
  HIP(hipDeviceSynchronize());
  return report("optimized", dy.get(), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
