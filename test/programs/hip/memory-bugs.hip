// Kernels with a mistake of memory each, and the same without ("clean").
#include "check.h"

#include <cstdlib>
#include <cstring>

__global__ void overrun(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = i; // LINE: overrun
}

__global__ void underrun(const int *in, int *out) {
  int i = threadIdx.x;
  out[i] = in[i - 1]; // LINE: underrun
}

__global__ void readOne(const int *in, int *out) {
  int i = threadIdx.x;
  out[i] = in[i]; // LINE: freed
}

__global__ void local(int *out, int shift) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + shift]; // LINE: local
}

__global__ void count(char *to, int shift) {
  atomicAdd(reinterpret_cast<unsigned *>(to + shift), 1u); // LINE: misaligned
}

__constant__ int table[4] = {1, 2, 3, 4};
__global__ void constant(int *out) {
  out[threadIdx.x] = table[threadIdx.x & 3]; // LINE: constant
}

template <typename T> static T *make(size_t count) {
  T *p = nullptr;
  HIP(hipMalloc(&p, count * sizeof(T))); // LINE: make
  HIP(hipMemset(p, 0, count * sizeof(T)));
  return p;
}

int main(int count_, char **arguments) {
  const bool bad = count_ < 3 || strcmp(arguments[2], "clean") != 0;
  const char *what = count_ > 1 ? arguments[1] : "overrun";
  int *a = make<int>(64), *b = make<int>(64);
  if (!strcmp(what, "overrun")) {
    overrun<<<2, 64>>>(a, bad ? 96 : 64);
  } else if (!strcmp(what, "underrun")) {
    underrun<<<1, 32>>>(a + (bad ? 0 : 1), b);
  } else if (!strcmp(what, "freed")) {
    if (bad)
      HIP(hipFree(a)); // LINE: free
    readOne<<<1, 64>>>(a, b);
  } else if (!strcmp(what, "null")) {
    readOne<<<1, 64>>>(bad ? nullptr : a, b);
  } else if (!strcmp(what, "local")) {
    local<<<1, 64>>>(a, bad ? 4 : 0);
  } else if (!strcmp(what, "misaligned")) {
    count<<<1, 64>>>(reinterpret_cast<char *>(a), bad ? 2 : 4);
  } else if (!strcmp(what, "copy")) {
    int host[128] = {};
    (void)hipMemcpy(a, host, bad ? 512 : 256, hipMemcpyHostToDevice); // LINE: copy
  } else if (!strcmp(what, "fill")) {
    (void)hipMemset(a, 1, bad ? 257 : 256); // LINE: fill
  } else if (!strcmp(what, "doublefree")) {
    HIP(hipFree(b));
    b = nullptr;
    if (bad) {
      HIP(hipFree(a));
      (void)hipFree(a); // LINE: doublefree
      a = nullptr;
    }
  } else if (!strcmp(what, "badfree")) {
    if (bad)
      (void)hipFree(a + 4); // LINE: badfree
  } else if (!strcmp(what, "leak")) {
    if (bad)
      a = nullptr;
  } else if (!strcmp(what, "constant")) {
    constant<<<1, 64>>>(a);
  } else if (!strcmp(what, "million")) {
    overrun<<<4096, 256>>>(a, bad ? 1 << 20 : 64);
  }
  HIP(hipDeviceSynchronize());
  (void)hipFree(a);
  (void)hipFree(b);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
