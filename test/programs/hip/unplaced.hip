// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __shared__ variables that clang 22 describes without a place.
#include <hip/hip_runtime.h>

__global__ void reverse(int *out) {
  __shared__ int tile[64];
  static_assert(sizeof(tile) == 256);
  const int i = threadIdx.x;
  tile[i] = 3 * i;
  __builtin_amdgcn_s_barrier();
  out[i] = tile[63 - i];
  out[i] *= 2; // in reverse
}

struct Pair {
  int key;
  double value;
};
template <class T> __global__ void sums(T *out) {
  __shared__ T partial[64];
  __shared__ Pair best;
  const int i = threadIdx.x;
  partial[i] = T(i) * 2;
  if (i == 0)
    best = {7, 2.5};
  __builtin_amdgcn_s_barrier();
  out[i] = partial[63 - i] + best.key;
  out[i] *= 2; // in sums
}

__global__ void equal(int *out) {
  __shared__ int first[64], second[64];
  const int i = threadIdx.x;
  first[i] = i;
  second[i] = -i;
  __builtin_amdgcn_s_barrier();
  out[i] = first[63 - i] + second[i];
  out[i] *= 2; // in equal
}

int main() {
  int *out;
  (void)hipMalloc(&out, 256);
  reverse<<<1, 64>>>(out);
  sums<<<1, 64>>>(out);
  equal<<<1, 64>>>(out);
  (void)hipDeviceSynchronize();
  (void)hipFree(out);
}
