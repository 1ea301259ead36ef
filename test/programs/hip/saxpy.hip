// The program that the README debugs.
#include "check.h"

__device__ float scale(float a, float b) {
  float product = a * b;
  return product;
}

__global__ void saxpy(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float t = scale(a, x[i]);
    y[i] += t;
  }
}

int main() {
  const int n = 1000;
  std::vector<float> x(n), y(n), want(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i;
    y[i] = 1;
    want[i] = 3 * x[i] + 1;
  }
  Buffer<float> dx(x), dy(y);
  saxpy<<<(n + 255) / 256, 256>>>(dy.data, dx.data, 3.0f, n);
  HIP(hipGetLastError());
  HIP(hipDeviceSynchronize());
  return report("saxpy", dy.get(), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
