// What checks cost: a computation, a stream through global memory, and a reduction in local memory.
#include <hip/hip_runtime.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>

constexpr int Size = 256, Groups = 8;

__global__ void compute(int *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = data[i];
  for (int k = 0; k < n; ++k)
    value = value * 1664525 + 1013904223;
  data[i] = value;
}

__global__ void stream(int *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int *in = data + Size * Groups;
  int value = 0;
  for (int k = 0; k < n; ++k)
    value += in[(i + k * 64) % (Size * Groups)] * k;
  data[i] = value;
}

__global__ void reduce(int *data, int n) {
  __shared__ int sums[Size];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = data[i];
  for (int k = 0; k < n; ++k) {
    sums[threadIdx.x] = value + k;
    __syncthreads();
    for (int half = Size / 2; half; half /= 2) {
      if (threadIdx.x < half)
        sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads();
    }
    value ^= sums[0];
    __syncthreads();
  }
  data[i] = value;
}

template <typename Kernel> static void measure(const char *name, Kernel kernel, int *data, int n) {
  const auto begin = std::chrono::steady_clock::now();
  kernel<<<Groups, Size>>>(data, n);
  (void)hipDeviceSynchronize();
  printf("%s %f\n", name, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

int main(int argc, char **argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  int *data = nullptr;
  (void)hipMalloc(&data, 2 * Size * Groups * sizeof(int));
  (void)hipMemset(data, 1, 2 * Size * Groups * sizeof(int));
  measure("warm", compute, data, 1);
  measure("compute", compute, data, 20000 * times);
  measure("stream", stream, data, 5000 * times);
  measure("reduce", reduce, data, 400 * times);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
