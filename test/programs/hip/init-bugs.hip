// Kernels that use what was never written, and the same with it written ("clean").
#include "check.h"

#include <cstdlib>
#include <cstring>

struct Pair {
  char tag;
  int value; // after padding
};

// BUG: branch uninitialized-branch flags
__global__ void branch(const int *flags, int *out) {
  if (flags[threadIdx.x] > 3) // LINE: branch
    out[threadIdx.x] = 1;
  __syncthreads();
}

// BUG: address uninitialized-address table
__global__ void address(const int *table, int *out) {
  const int at = table[threadIdx.x] & 63; // LINE: address
  out[at] = 1;                            // LINE: address
}

// BUG: tile uninitialized-branch tile
__global__ void tile(int *out, int bound) {
  __shared__ int tile[64];
  if (threadIdx.x < bound)
    tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (tile[threadIdx.x ^ 1] != 5) // LINE: tile
    out[threadIdx.x] = 2;
}

// BUG: stack uninitialized-branch
__global__ void stack(int *out, int bound) {
  volatile int local[8];
  for (int i = 0; i < bound; ++i)
    local[i] = i;
  if (local[threadIdx.x & 7] == 3) // LINE: stack
    out[threadIdx.x] = 3;
}

// Through another buffer, registers of other lanes and arithmetic.
__global__ void forward(const int *in, int *out) {
  out[threadIdx.x] = __shfl(in[threadIdx.x], (threadIdx.x + 1) & 31) * 3 + 1; // OTHER: through
}
// BUG: through uninitialized-branch
__global__ void through(const int *in, int *out) {
  if (in[threadIdx.x] & 4) // LINE: through
    out[threadIdx.x] = 4;
}

// BUG: scalar uninitialized-branch in
__global__ void scalar(const int *in, int *out) {
  int n = 0;
  while (n < 4 && in[n] >= 0) // LINE: scalar
    ++n;
  out[threadIdx.x] = n;
}

// BUG: copy uninitialized-copy
__global__ void fill(int *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = threadIdx.x;
}

// Nothing here depends on what wasn't written: padding, bits that are masked, a value that isn't selected.
__global__ void harmless(const Pair *in, Pair *to, const unsigned *words, const int *never, int *out) {
  Pair p = in[threadIdx.x];
  to[threadIdx.x] = p;
  if (p.tag == 7 && p.value == 9)
    out[threadIdx.x] = 5;
  if ((words[threadIdx.x] & 0xff) == 1 || ((words[threadIdx.x] << 24) >> 24) == 1)
    out[threadIdx.x] = 6;
  const int value = never[threadIdx.x];
  if ((threadIdx.x > 100 ? value : 1) == 2)
    out[threadIdx.x] = 7;
}

template <typename T> static T *make(bool written) {
  T *p = nullptr;
  HIP(hipMalloc(&p, 256 * sizeof(T)));
  if (written)
    HIP(hipMemset(p, 0, 256 * sizeof(T)));
  return p;
}

int main(int count, char **arguments) {
  const bool bad = count < 3 || strcmp(arguments[2], "clean") != 0;
  const char *what = count > 1 ? arguments[1] : "branch";
  int *in = make<int>(!bad), *middle = make<int>(true), *out = make<int>(strcmp(what, "copy") != 0);
  int host[64];
  if (!strcmp(what, "branch"))
    branch<<<1, 64>>>(in, out);
  if (!strcmp(what, "address"))
    address<<<1, 64>>>(in, out);
  if (!strcmp(what, "tile"))
    tile<<<1, 64>>>(out, bad ? 60 : 64);
  if (!strcmp(what, "stack"))
    stack<<<1, 64>>>(out, bad ? 7 : 8);
  if (!strcmp(what, "through")) {
    forward<<<1, 64>>>(in, middle);
    through<<<1, 64>>>(middle, out);
  }
  if (!strcmp(what, "scalar"))
    scalar<<<1, 64>>>(in, out);
  if (!strcmp(what, "copy"))
    fill<<<1, 64>>>(out, bad ? 63 : 64);
  if (!bad) {
    Pair *pairs = make<Pair>(false), *to = make<Pair>(false);
    unsigned char *words = make<unsigned char>(false);
    std::vector<Pair> parts(64);
    HIP(hipMemcpy2D(pairs, 8, parts.data(), 8, 1, 64, hipMemcpyHostToDevice));
    HIP(hipMemcpy2D(&pairs->value, 8, &parts[0].value, 8, 4, 64, hipMemcpyHostToDevice));
    std::vector<unsigned char> bytes(64);
    HIP(hipMemcpy2D(words, 4, bytes.data(), 1, 1, 64, hipMemcpyHostToDevice));
    harmless<<<1, 64>>>(pairs, to, reinterpret_cast<unsigned *>(words), make<int>(false), out);
  }
  HIP(hipDeviceSynchronize());
  HIP(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost)); // LINE: copy, OTHER: scalar
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
