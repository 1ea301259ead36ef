// Values that come from somewhere.
#include "check.h"

__device__ float scale(float a, float b) {
  float product = a * b;
  return product;
}

__global__ void fill(float *x) {
  x[threadIdx.x] = 2.0f * threadIdx.x; // stored
}

__global__ void origins(float *y, const float *x, const float *h, float a) {
  __shared__ float exchange[64];
  int i = threadIdx.x;
  float t = scale(a, x[i]); // multiplied
  t += h[i];                // added
  float zero = h[i] - h[i];
  float n = zero / zero; // divided
  n = n + t;
  exchange[i] = t;
  __syncthreads();
  float neighbour = exchange[i ^ 1];
  y[i] = t + n + neighbour; // end
}

int main() {
  std::vector<float> h(64, 7);
  Buffer<float> dh(h), dx(h), dy(h);
  fill<<<1, 64>>>(dx.data);
  origins<<<1, 64>>>(dy.data, dx.data, dh.data, 3.0f);
  HIP(hipDeviceSynchronize());
  printf("%g\n", double(dx.get()[3]));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
