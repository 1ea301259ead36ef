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
  float neighbor = exchange[i ^ 1];
  y[i] = t + n + neighbor; // end
}

__global__ void wide(long long *sums) {
  int i = threadIdx.x;
  long long sum = sums[i];
  for (int k = 1; k < 3; ++k)
    sum += sums[i + k]; // summed
  sums[i + 128] = sum;
} // wide end

int main(int argc, char **) {
  std::vector<float> h(64, 7);
  Buffer<float> dh(h), dx(h), dy(h);
  fill<<<1, 64>>>(dx.data);
  origins<<<1, 64>>>(dy.data, dx.data, dh.data, 3.0f);
  if (argc > 1) {
    std::vector<long long> n(192);
    for (int i = 0; i < 192; ++i)
      n[i] = i * 3000000000ll;
    Buffer<long long> dn(n);
    wide<<<1, 64>>>(dn.data);
    HIP(hipDeviceSynchronize());
  }
  printf("%g\n", double(dx.get()[3]));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
