// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second kernel needs more private memory than the first, which the runtime allocates elsewhere.
#include <hip/hip_runtime.h>

__device__ float half(float v) { return v * 0.5f; }

__global__ void fill(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) // filled
    x[i] = i;
}

__global__ void use(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += half(x[(i + k) % n]);
  y[i] = sum; // used
}

int main() {
  float *x = nullptr, *y = nullptr;
  if (hipMalloc(reinterpret_cast<void **>(&x), 256) || hipMalloc(reinterpret_cast<void **>(&y), 256))
    return 1;
  fill<<<1, 64>>>(x, 64);
  use<<<1, 64>>>(y, x, 64);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
