// Local memory of functions that kernels call: of one kernel, of several, inlined; arrays in rows, structs.
#include "check.h"
#include <cstdio>

struct Range {
  int low, high;
};
struct Particle {
  float x, y;
  int id;
  Range range;
};

__device__ __attribute__((noinline)) int reverse(const int *in, int n) {
  __shared__ int tile[64];
  __shared__ int count;
  const int i = threadIdx.x;
  tile[i] = in[blockIdx.x * blockDim.x + i];
  if (i == 0)
    count = n;
  __syncthreads();
  return tile[n - 1 - i] + count; // in reverse
}

__device__ __attribute__((noinline)) int both(int v) {
  __shared__ int pairs[64];
  pairs[threadIdx.x] = v * 3;
  __syncthreads();
  return pairs[threadIdx.x ^ 1]; // in both
}

__device__ inline int inlined(int v) {
  __shared__ int part[64];
  part[threadIdx.x] = v * 5;
  __syncthreads();
  return part[threadIdx.x ^ 1]; // in inlined
}

__global__ void first(const int *in, int *out) {
  __shared__ int own[64];
  const int r = reverse(in, 64);
  own[threadIdx.x] = r * 2;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] += own[threadIdx.x ^ 1] + r; // in first
}

__global__ void second(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] += inlined(in[i]); // in second
}

__global__ void third(const int *in, int *out) {
  __shared__ short small[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  small[threadIdx.x] = short(i);
  out[i] += both(in[i]) + small[threadIdx.x]; // in third
}

__global__ void fourth(const int *in, int *out) {
  __shared__ double large[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  large[threadIdx.x] = i;
  out[i] += both(in[i]) + int(large[threadIdx.x]); // in fourth
}

__global__ void values(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int grid[3][4];
  for (int row = 0; row < 3; ++row) // rows
    for (int column = 0; column < 4; ++column)
      grid[row][column] = i * 100 + row * 10 + column;
  Particle particle = {i * 0.5f, -1.0f, i, {in[i], grid[2][3]}};
  // A comment has no code.

  out[i] += particle.range.high + grid[i % 3][i % 4] + particle.id; // in values
}

int main() {
  int *in, *out, host[128];
  for (int i = 0; i < 128; ++i)
    host[i] = i;
  HIP(hipMalloc(&in, sizeof(host))); // in is allocated
  HIP(hipMalloc(&out, sizeof(host)));
  HIP(hipMemcpy(in, host, sizeof(host), hipMemcpyHostToDevice));
  HIP(hipMemset(out, 0, sizeof(host)));
  first<<<2, 64>>>(in, out);
  second<<<2, 64>>>(in, out);
  third<<<2, 64>>>(in, out);
  fourth<<<2, 64>>>(in, out);
  values<<<2, 64>>>(in, out);
  HIP(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost));
  printf("%d %d\n", host[0], host[100]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
