#include <hip/hip_runtime.h>
#include <cstdio>

__device__ int inner(int value, int low, int high) {
  int bounded = value < low ? low : value;
  return bounded > high ? high : bounded; // inner
}

__device__ __attribute__((noinline)) int outer(const int *from, int pitch, int row, float unused) {
  const int *line = from + row * pitch;
  const float half = 0.5f;
  int sum = 0;
  for (int k = 0; k < 3; ++k)
    sum += inner(line[k], row + 1, pitch - 1); // outer
  return sum + int(half);
}

__device__ int weight(const int *table, int index, float scale, int spare) {
  int w = table[index & 3]; // weight
  return w * 2;
}

__global__ void passed(int *out, const int *in, int n, float ratio, float2 by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int total = outer(in, n / 8, i & 7, ratio);
  total += weight(in, i * 3, ratio, n - 1); // call
  out[i] = total;                  // store
}

int main() {
  int *in, *out, h[128];
  hipMalloc(&in, sizeof h);
  hipMalloc(&out, sizeof h);
  for (int i = 0; i < 128; ++i) h[i] = i % 11;
  hipMemcpy(in, h, sizeof h, hipMemcpyHostToDevice);
  passed<<<1, 64>>>(out, in, 128, 1.5f, make_float2(1, 2));
  hipMemcpy(h, out, sizeof h, hipMemcpyDeviceToHost);
  printf("passed: %d\n", h[5]);
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
