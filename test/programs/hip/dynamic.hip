// Arrays whose size the launch decides, and functions with long names.
#include "check.h"
#include "dynamic.h"

namespace outer {
namespace inner {
struct Item {
  int a;
  short b;
};

template <typename T> struct Shared {
  __device__ operator T *() {
    extern __shared__ int raw[];
    return reinterpret_cast<T *>(raw); // line 15
  }
};

template <typename T, int Count, typename Options>
__global__ void reduce(T *out, const T *in, int unused, float scale,
                       Options options) {
  T *mem = Shared<T>();
  mem[threadIdx.x] = in[threadIdx.x] * T(scale);
  __syncthreads();
  T sum = mem[(threadIdx.x + Count) % 64];
  out[threadIdx.x] = sum + options.a; // line 26
}
} // namespace inner
} // namespace outer

__global__ void items(int *out) {
  HIP_DYNAMIC_SHARED(outer::inner::Item, things)
  things[threadIdx.x].a = threadIdx.x * 7;
  things[threadIdx.x].b = threadIdx.x;
  __syncthreads();
  __threadfence();
  out[threadIdx.x] = things[63 - threadIdx.x].a; // line 37
}

__global__ void rows(float *out, int n) {
  extern __shared__ __align__(16) float tile[][8];
  __shared__ int fixed[4];
  int r = threadIdx.x / 8, c = threadIdx.x % 8;
  fixed[threadIdx.x % 4] = n;
  tile[r][c] = r * 10 + c;
  __syncthreads();
  tile[c][r] += 100; // line 47
  __syncthreads();
  out[threadIdx.x] = tile[r][c] + fixed[0]; // line 49
}

__device__ __attribute__((noinline)) int fill(int k) {
  pool[k] = k * 2;
  __syncthreads();
  return pool[63 - k]; // line 55
}

__global__ void bytes(int *out) { out[threadIdx.x] = fill(threadIdx.x); }

__global__ void none(int *out) {
  extern __shared__ int absent[];
  if (out == nullptr)
    absent[0] = 1;
  out[threadIdx.x] = 4; // line 64
}

int main() {
  float *f;
  int *i;
  HIP(hipMallocManaged((void **)&f, 4096));
  HIP(hipMallocManaged((void **)&i, 4096));
  for (int k = 0; k < 64; ++k)
    i[k] = k;
  outer::inner::reduce<int, 16, outer::inner::Item>
      <<<1, 64, 256>>>(i + 64, i, 5, 2, {3, 4});
  HIP(hipDeviceSynchronize());
  items<<<1, 64, 64 * 8>>>(i);
  HIP(hipDeviceSynchronize());
  rows<<<1, 64, 64 * 4>>>(f, 3);
  HIP(hipDeviceSynchronize());
  bytes<<<1, 64, 64>>>(i);
  HIP(hipDeviceSynchronize());
  none<<<1, 64>>>(i);
  HIP(hipDeviceSynchronize());
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
