// Kernels with a race each, and the same without ("clean").
#include "check.h"

#include <cstdlib>
#include <cstring>

constexpr int Size = 256; // several waves

// BUG: barrier local-race tile
template <bool Bad> __global__ void barrier(int *out) {
  __shared__ int tile[Size];
  tile[threadIdx.x] = threadIdx.x; // LINE: barrier
  if (!Bad)
    __syncthreads();
  out[threadIdx.x] = tile[Size - 1 - threadIdx.x]; // OTHER: barrier
}

// A second use of the tile, too early.
// BUG: reuse local-race tile
template <bool Bad> __global__ void reuse(int *out) {
  __shared__ int tile[Size];
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    tile[threadIdx.x] = threadIdx.x + i; // LINE: reuse
    __syncthreads();
    sum += tile[Size - 1 - threadIdx.x]; // OTHER: reuse
    if (!Bad)
      __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// BUG: reduction local-race sums
template <bool Bad> __global__ void reduction(const int *in, int *out) {
  __shared__ int sums[Size];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int n = Size / 2; n; n /= 2) {
    int other = threadIdx.x < n ? sums[threadIdx.x + n] : 0; // LINE: reduction
    if (!Bad)
      __syncthreads();
    if (threadIdx.x < n)
      sums[threadIdx.x] += other; // OTHER: reduction
    if (!Bad)
      __syncthreads();
  }
  if (!threadIdx.x)
    *out = sums[0];
}

// BUG: bytes local-race flags
template <bool Bad> __global__ void bytes(int *out) {
  __shared__ unsigned char flags[Size + 1];
  flags[threadIdx.x] = (unsigned char)(threadIdx.x | 1); // LINE: bytes
  if (Bad && threadIdx.x == 64)
    flags[63] = 7; // OTHER: bytes
  __syncthreads();
  out[threadIdx.x] = flags[threadIdx.x];
}

// BUG: counter local-race count
template <bool Bad> __global__ void counter(int *out) {
  __shared__ int count;
  if (!threadIdx.x)
    count = 0;
  __syncthreads();
  if (threadIdx.x % 64 == 0) {
    if (Bad)
      count = count + threadIdx.x + 1; // LINE: counter
    else
      atomicAdd(&count, threadIdx.x + 1);
  }
  __syncthreads();
  out[threadIdx.x] = count;
}

// BUG: lanes lane-race tile
template <bool Bad> __global__ void lanes(int *out) {
  __shared__ int tile[32];
  if (threadIdx.x < 32)
    tile[Bad ? threadIdx.x / 2 : threadIdx.x] = threadIdx.x; // LINE: lanes
  __syncthreads();
  if (threadIdx.x < 32)
    out[threadIdx.x] = tile[threadIdx.x & 15];
}

// Neighbouring workgroups.
// BUG: halo global-race
template <bool Bad> __global__ void halo(int *data, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i + 1; // LINE: halo
  __syncthreads();
  const int at = Bad ? i + 1 : blockIdx.x * blockDim.x + (threadIdx.x + 1) % blockDim.x;
  out[i] = data[at]; // OTHER: halo
}

// BUG: sum global-race
template <bool Bad> __global__ void sum(int *total) {
  if (Bad)
    *total = *total + blockIdx.x + 1; // LINE: sum
  else
    atomicAdd(total, blockIdx.x + 1);
}

// A result that is read before all have added to it.
// BUG: early local-race total
template <bool Bad> __global__ void early(int *out) {
  __shared__ int total;
  if (!threadIdx.x)
    total = 0;
  __syncthreads();
  atomicAdd(&total, threadIdx.x); // LINE: early
  if (!Bad)
    __syncthreads();
  out[threadIdx.x] = total; // OTHER: early
}

// The last workgroup adds what the others have written.
// BUG: last global-race
template <bool Bad> __global__ void last(int *parts, unsigned *done, int *out) {
  __shared__ bool is_last;
  parts[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x + 1; // LINE: last
  if (!Bad)
    __threadfence();
  __syncthreads();
  if (!threadIdx.x)
    is_last = (Bad ? done[1] += blockIdx.x + 1, blockIdx.x : atomicAdd(done, 1u)) == gridDim.x - 1; // LINE: last
  __syncthreads();
  if (!is_last)
    return;
  __threadfence();
  int all = 0;
  for (int b = 0; b < gridDim.x; ++b)
    all += parts[b * blockDim.x + threadIdx.x]; // OTHER: last
  out[threadIdx.x] = all;
}

// A flag that one workgroup sets for the other.
// BUG: flag global-race
template <bool Bad> __global__ void flag(int *data, int *ready, int *out) {
  if (threadIdx.x)
    return;
  if (!blockIdx.x) {
    *data = 42; // LINE: flag
    if (Bad)
      *(volatile int *)ready = 1; // LINE: flag
    else
      __hip_atomic_store(ready, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  } else if (Bad) {
    *out = *data; // OTHER: flag
  } else {
    while (!__hip_atomic_load(ready, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
      ;
    *out = *data;
  }
}

int main(int count, char **arguments) {
  const bool bad = count < 3 || strcmp(arguments[2], "clean") != 0;
  const char *what = count > 1 ? arguments[1] : "barrier";
  int *a = nullptr, *b = nullptr, *c = nullptr;
  for (int **p : {&a, &b, &c}) {
    HIP(hipMalloc(p, 8 * Size * sizeof(int)));
    HIP(hipMemset(*p, 0, 8 * Size * sizeof(int)));
  }
#define RUN(NAME, GROUPS, ...)                                                 \
  if (!strcmp(what, #NAME))                                                    \
  (bad ? NAME<true> : NAME<false>)<<<GROUPS, Size>>>(__VA_ARGS__)
  RUN(barrier, 1, a);
  RUN(reuse, 1, a);
  RUN(reduction, 1, a, b);
  RUN(bytes, 1, a);
  RUN(counter, 1, a);
  RUN(lanes, 1, a);
  RUN(halo, 4, a, b);
  RUN(sum, 4, a);
  RUN(early, 1, a);
  RUN(last, 4, a, reinterpret_cast<unsigned *>(b), c);
  RUN(flag, 2, a, b, c);
  HIP(hipDeviceSynchronize());
  for (int *p : {a, b, c})
    HIP(hipFree(p));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
