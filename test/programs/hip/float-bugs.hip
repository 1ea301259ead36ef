// Kernels that make infinite values or such that aren't numbers, and the same without ("clean"); check_bugs.py reads the comments.
#include "check.h"

#include <cmath>
#include <cstring>

constexpr int Size = 64;

// BUG: divide division-by-zero out 5
__global__ void divide(const float *in, float *out) {
  out[threadIdx.x] = 1 / in[threadIdx.x]; // LINE: divide
}

// The first of the divisions makes it, and the end of the loop stores it.
// BUG: average division-by-zero out 7
__global__ void average(const float *in, const float *counts, float *out) {
  float sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += in[threadIdx.x] / counts[(threadIdx.x + i) % Size]; // OTHER: average
  out[threadIdx.x] = sum; // LINE: average
}

// BUG: product infinite-result out 3,9
__global__ void product(const float *in, float *out) {
  float p = in[threadIdx.x] * in[threadIdx.x]; // OTHER: product
  out[threadIdx.x] = p;                        // LINE: product
}

// What the host has stored isn't reported, what is made of it is.
// BUG: difference nan-result out 11
__global__ void difference(const float *a, const float *b, float *out) {
  float d = a[threadIdx.x] - b[threadIdx.x]; // OTHER: difference
  out[threadIdx.x] = d;                      // LINE: difference
}

// BUG: root nan-result out 2
__global__ void root(const float *in, float *out) {
  out[threadIdx.x] = sqrtf(in[threadIdx.x]); // LINE: root
}

// BUG: logarithm infinite-result out 4
__global__ void logarithm(const float *in, float *out) {
  out[threadIdx.x] = logf(in[threadIdx.x]); // LINE: logarithm
}

// BUG: wide infinite-result out 6
__global__ void wide(const double *in, double *out) {
  double p = in[threadIdx.x] * 1e200; // OTHER: wide
  out[threadIdx.x] = p;               // LINE: wide
}

// BUG: ratio division-by-zero out 8
__global__ void ratio(const double *in, double *out) {
  double q = 3 / in[threadIdx.x]; // OTHER: ratio
  out[threadIdx.x] = q;           // LINE: ratio
}

// BUG: narrow infinite-result out 1
__global__ void narrow(const float *in, _Float16 *out) {
  _Float16 h = _Float16(in[threadIdx.x]); // OTHER: narrow
  out[threadIdx.x] = h;                   // LINE: narrow
}

// BUG: half infinite-result out 12
__global__ void half_product(const _Float16 *in, _Float16 *out) {
  _Float16 h = in[threadIdx.x] * in[threadIdx.x]; // OTHER: half
  out[threadIdx.x] = h;                           // LINE: half
}

// BUG: tile nan-result tile 13
__global__ void tile_of(const float *in, float *out) {
  __shared__ float tile[Size];
  float d = in[threadIdx.x] - in[threadIdx.x]; // OTHER: tile
  tile[threadIdx.x] = d;                       // LINE: tile
  __syncthreads();
  out[threadIdx.x] = tile[Size - 1 - threadIdx.x];
}

// BUG: caller division-by-zero out 14
__device__ __attribute__((noinline)) float quotient(float a, float b) {
  return a / b; // OTHER: caller
}
__global__ void caller(const float *in, float *out) {
  float q = quotient(2, in[threadIdx.x]) + 1;
  out[threadIdx.x] = -q; // LINE: caller
}

//===----------------------------------------------------------------------===//
// What is right
//===----------------------------------------------------------------------===//

// A maximum begins with a constant, and what the host has stored is copied.
__global__ void maximum(const float *in, float *out) {
  float most = -INFINITY;
  for (int i = 0; i < 4; ++i)
    most = fmaxf(most, in[(threadIdx.x + i) % Size]);
  out[threadIdx.x] = threadIdx.x == 1 ? most : threadIdx.x == 2 ? INFINITY : NAN;
}
__global__ void copy(const float *in, float *out) { out[threadIdx.x] = -in[threadIdx.x]; }
// A result that isn't a number is replaced.
__global__ void guarded(const float *in, float *out) {
  float q = 1 / in[threadIdx.x];
  out[threadIdx.x] = std::isinf(q) ? 0 : q;
  float r = sqrtf(-in[threadIdx.x]);
  out[threadIdx.x] += r == r ? r : 1;
}
// Functions and divisions of all sizes have such values on the way.
__global__ void functions(const float *in, float *out) {
  const float x = in[threadIdx.x];
  const double d = x;
  out[threadIdx.x] = expf(-x) + logf(x + 1) + powf(x + 1, 1.5f) + sqrtf(x) + sinf(x * 1e5f) + tanhf(x) + x / (x + 1) +
                     1e-38f / (x + 1) + 1e38f / (x + 1) + float(exp(-d) + log(d + 1) + pow(d + 1, 1.5) + sqrt(d) + d / (d + 1)) +
                     rsqrtf(x + 1) + cbrtf(x) + erff(x) + fmodf(x, 3) + float(int(x) / (int(threadIdx.x) + 1));
}

template <typename T> struct Values {
  Buffer<T> in{Size}, out{Size};
  explicit Values(T value) {
    T host[Size];
    for (T &one : host)
      one = value;
    HIP(hipMemcpy(in.data, host, sizeof(host), hipMemcpyHostToDevice));
  }
  void set(int at, T value) { HIP(hipMemcpy(in.data + at, &value, sizeof(value), hipMemcpyHostToDevice)); }
};

static void run(const char *what, bool bad) {
  Values<float> a(2), b(2);
  Values<double> wides(2);
  Values<_Float16> halves(2);
  const auto set = [&](int at, float value) {
    if (bad)
      a.set(at, value);
  };
  if (!strcmp(what, "divide")) {
    set(5, 0);
    divide<<<1, Size>>>(a.in.data, a.out.data);
  } else if (!strcmp(what, "average")) {
    if (bad)
      b.set(10, 0);
    average<<<1, 8>>>(a.in.data, b.in.data, a.out.data);
  } else if (!strcmp(what, "product")) {
    set(3, 1e30f), set(9, -1e25f);
    product<<<1, Size>>>(a.in.data, a.out.data);
  } else if (!strcmp(what, "difference")) {
    a.set(11, INFINITY), a.set(12, NAN);
    if (bad)
      b.set(11, INFINITY);
    difference<<<1, Size>>>(a.in.data, b.in.data, a.out.data);
  } else if (!strcmp(what, "root")) {
    set(2, -4);
    root<<<1, Size>>>(a.in.data, a.out.data);
  } else if (!strcmp(what, "logarithm")) {
    set(4, 0);
    logarithm<<<1, Size>>>(a.in.data, a.out.data);
  } else if (!strcmp(what, "wide")) {
    if (bad)
      wides.set(6, 1e200);
    wide<<<1, Size>>>(wides.in.data, wides.out.data);
  } else if (!strcmp(what, "ratio")) {
    if (bad)
      wides.set(8, 0);
    ratio<<<1, Size>>>(wides.in.data, wides.out.data);
  } else if (!strcmp(what, "narrow")) {
    set(1, 70000);
    narrow<<<1, Size>>>(a.in.data, halves.out.data);
  } else if (!strcmp(what, "half")) {
    if (bad)
      halves.set(12, 1000);
    half_product<<<1, Size>>>(halves.in.data, halves.out.data);
  } else if (!strcmp(what, "tile")) {
    set(13, INFINITY);
    tile_of<<<1, Size>>>(a.in.data, a.out.data);
  } else if (!strcmp(what, "caller")) {
    set(14, 0);
    caller<<<1, Size>>>(a.in.data, a.out.data);
  } else if (!strcmp(what, "right")) {
    a.set(3, INFINITY), a.set(4, NAN);
    maximum<<<1, Size>>>(a.in.data, a.out.data);
    copy<<<1, Size>>>(a.in.data, a.out.data);
    b.set(5, 0);
    guarded<<<1, Size>>>(b.in.data, b.out.data);
    b.set(6, 1e-40f), b.set(7, 0.5f), b.set(8, 40);
    functions<<<1, Size>>>(b.in.data, b.out.data);
  }
  HIP(hipDeviceSynchronize());
}

int main(int count, char **arguments) {
  const bool bad = count < 3 || strcmp(arguments[2], "clean") != 0;
  const char *what = count > 1 ? arguments[1] : "divide";
  if (strcmp(what, "all")) {
    run(what, bad);
    return 0;
  }
  for (const char *one : {"divide", "average", "product", "difference", "root", "logarithm", "wide", "ratio", "narrow", "half", "tile",
                          "caller", "right"})
    run(one, bad);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
