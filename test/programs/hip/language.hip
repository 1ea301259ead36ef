// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be named in an expression: memory of each space, pointers into spaces, the position of a lane, names of
// both sides, templates with arguments of several kinds.
#include <hip/hip_runtime.h>
#include "check.h"

struct Pair {
  int first;
  float second;
};

__device__ int counter = 5;
__device__ float table[4] = {1, 2, 3, 4};
__device__ Pair pair = {3, 4.5f};
int host_number = 77;
Pair host_pair = {7, 8.5f};

__attribute__((noinline)) int host_function(int value) { return value + host_number; }

template <class A, class B> __device__ __attribute__((noinline)) int sum_of(A a, B b) { return int(a + b); }
template <unsigned N> __device__ __attribute__((noinline)) int deep(int value) { return value * 2 + int(N); }

typedef __attribute__((address_space(3))) int *LocalPointer;
typedef __attribute__((address_space(5))) int *PrivatePointer;
struct Holder {
  LocalPointer local[2];
  int *generic;
};

__device__ __attribute__((noinline)) int look(LocalPointer local, PrivatePointer priv, int *generic, int *out) {
  Holder holder = {{local, local + 1}, generic};
  int value = *local + *priv + *generic + *holder.local[1];
  *out = value; // look
  return value;
}

__global__ void language(int *out) {
  __shared__ int tile[128];
  int mine[4] = {int(threadIdx.x), 10, 20, 30};
  tile[threadIdx.x] = threadIdx.x * 2;
  __syncthreads();
  int value = look((LocalPointer)&tile[threadIdx.x], (PrivatePointer)mine, &tile[1], out + threadIdx.x);
  value += sum_of<int, long>(1, 2l) + deep<0u>(2) + deep<3u>(value) + mine[1] + counter + int(table[threadIdx.x & 3]) + pair.first;
  out[threadIdx.x] = value; // after
}

int main() {
  int *out;
  HIP(hipMallocManaged(&out, 128 * sizeof(int)));
  language<<<dim3(2, 2), 100>>>(out);
  HIP(hipDeviceSynchronize()); // host
  printf("language: %d %d %d\n", out[0] != 0, host_function(1), host_pair.first);
}
