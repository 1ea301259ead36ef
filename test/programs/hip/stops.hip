// What stops waves and steps: conditions, watchpoints, divergent branches. Tests find lines by their marks.
#include "check.h"
#include <cstring>

struct Pair {
  int first;
  float second;
};

template <typename T> __device__ __forceinline__ T twice(T value) {
  T result = value + value; // inlined
  return result;
}

template <typename T> __global__ void scale(T *out, const Pair *pairs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    T value = twice(T(i));
    out[i] = value + pairs[i % 8].first; // store
  }
}

__global__ void diverge(int *out) {
  int lane = threadIdx.x;
  int value = 0;
  if (lane % 2 == 0) {  // branch
    value = lane * 10;  // even
    value += 1;         // even again
  } else {
    value = lane * 100; // odd
  }
  value += 1000;        // joined
  for (int k = 0; k < lane % 4; ++k) // loop
    value += k;         // body
  out[lane] = value;    // end
}

__device__ int early(int lane) {
  if (lane < 3)      // test
    return lane;     // early
  int twice = lane * 2; // late
  return twice;
}

__global__ void leave(int *out) {
  int lane = threadIdx.x;
  int value = early(lane); // call
  if (value > 40)
    return;            // returns
  out[lane] = value;   // stays
}

__global__ void exchange(int *out, int *total) {
  __shared__ int tile[128];
  int own = threadIdx.x;
  tile[own] = own * 3;             // fill
  __syncthreads();                 // barrier
  int other = tile[127 - own];     // read
  own += other;                    // own
  if (threadIdx.x == 69)
    *total = own;                  // total
  out[threadIdx.x] = own;          // out
}

__global__ void straggle(int *out) {
  int own = threadIdx.x;
  if (own >= 64 && own < 128)
    for (int k = 0; k < 5000; ++k)
      own += k;
  if (threadIdx.x == 64)
    out[0] = own;    // last
  __syncthreads();
  out[threadIdx.x] = own;
}
typedef int Ints __attribute__((ext_vector_type(4)));
// D = A * 1 + C, where A[row][k] is row * 2 + k and C is 100 everywhere.
__global__ void tiles(int *out) {
#ifdef __gfx90a__
  int lane = threadIdx.x, a = 0, b = 0;
  for (int n = 0; n < 4; ++n) {
    int k = lane / 16 * 4 + n;
    a |= (lane % 16 * 2 + k) << 8 * n;
    b |= (lane % 16 == k) << 8 * n;
  }
  Ints c = {100, 100, 100, 100};
  c = __builtin_amdgcn_mfma_i32_16x16x16i8(a, b, c, 0, 0, 0); // multiply
  out[lane] = c[0];
#endif
}
// outside

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "scale";
  const int n = argc > 2 ? atoi(argv[2]) : 1000;
  std::vector<int> want(n);
  Buffer<int> out(n);
  if (!strcmp(kind, "scale")) {
    std::vector<Pair> pairs(8);
    for (int i = 0; i < 8; ++i)
      pairs[i] = {i, i / 2.0f};
    Buffer<Pair> device(pairs);
    scale<int><<<(n + 255) / 256, 256>>>(out.data, device.data, n);
    for (int i = 0; i < n; ++i)
      want[i] = 2 * i + i % 8;
  } else if (!strcmp(kind, "twice")) {
    std::vector<Pair> pairs(8);
    Buffer<Pair> device(pairs);
    for (int launch = 0; launch < 2; ++launch)
      scale<int><<<1, 64>>>(out.data, device.data, 64);
    return hipDeviceSynchronize() != hipSuccess;
  } else if (!strcmp(kind, "diverge")) {
    diverge<<<1, 64>>>(out.data);
    return hipDeviceSynchronize() != hipSuccess;
  } else if (!strcmp(kind, "leave")) {
    leave<<<1, 64>>>(out.data);
    return hipDeviceSynchronize() != hipSuccess;
  } else if (!strcmp(kind, "tiles")) {
    tiles<<<1, 64>>>(out.data);
    return hipDeviceSynchronize() != hipSuccess;
  } else if (!strcmp(kind, "straggle")) {
    straggle<<<1, 192>>>(out.data);
    return hipDeviceSynchronize() != hipSuccess;
  } else if (!strcmp(kind, "exchange")) {
    Buffer<int> total(1);
    exchange<<<2, 128>>>(out.data, total.data);
    HIP(hipDeviceSynchronize());
    printf("total %d\n", total.get()[0]);
    return 0;
  }
  HIP(hipDeviceSynchronize());
  return report("stops", out.get(), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
