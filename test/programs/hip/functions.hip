// Functions that expressions call: operators, methods, lambdas, device functions, and what can't be called.
#include "check.h"

#define CALLED __attribute__((noinline))

struct Dims {
  int sizes[3];
  __device__ CALLED int operator[](int i) const { return sizes[i]; }
};

template <typename T> struct Span {
  T *begin;
  int count;
  __device__ CALLED int size() const { return count; }
  __device__ CALLED T &at(int i) { return begin[i]; }
  __device__ CALLED void grow(int by) { count += by; }
};

struct Complex {
  float re, im;
};
__device__ CALLED Complex operator*(const Complex &a, const Complex &b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

struct Mixed {
  char letter;
  double half;
  short numbers[2];
};
struct Large {
  int numbers[20];
};

__device__ CALLED float square(float x) { return x * x; }
__device__ CALLED int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ CALLED double mix(Mixed m, bool negate, long add) {
  double sum = m.letter + m.half + m.numbers[0] + m.numbers[1] + add;
  return negate ? -sum : sum;
}
__device__ CALLED Mixed mixed(int value) { return {char('a' + value % 8), value / 2.0, {short(value), short(-value)}}; }
__device__ CALLED Large large(Large l, int at) {
  l.numbers[at] += at;
  return l;
}
__device__ CALLED int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m, int n,
                           int o, int p, int q, int r, int s, int t, int u, int v, int w, int x, int y, int z, int aa, int bb,
                           int cc, int dd, int ee, int ff, int gg, int hh, int ii, int jj, int kk) {
  return a + b * 2 + dd * 3 + ee * 5 + ff * 7 + kk * 11 + q + r + x;
}
__device__ CALLED int place() { return blockIdx.x * 1000 + threadIdx.x; }
__device__ CALLED int shape() { return blockDim.x + gridDim.x * 1000; }
__device__ CALLED int spin(int n) {
  while (true)
    n = n * 3 + 1;
  return n;
}
__device__ CALLED int follow(int *p) { return *p; }
__device__ CALLED void put(int *p, int value) { *p = value; }
__device__ __attribute__((always_inline)) inline int inlined(int x) { return x + 1; }
template <typename T> __device__ CALLED T halved(T x) { return x / 2; }
__shared__ int shared[64];
__device__ CALLED int neighbor(int i) { return shared[i ^ 1]; }

__global__ void functions(float4 *out, int *numbers, int n) {
  int i = threadIdx.x;
  float4 f4 = make_float4(i, i + 0.5f, 2 * i, -i);
  Dims dims = {{i, 10 * i, 100 * i}};
  Span<int> s = {numbers, i + 3};
  Complex c = {float(i), 1};
  Mixed m = mixed(i);
  Large l = {{i, 2 * i}};
  int2 *pairs = nullptr;
  int local[4] = {i, i + 1, i + 2, i + 3};
  Span<int> inner = {local, 4};
  auto lambda = [&](int x) CALLED { return x * 2 + local[1]; };
  auto copies = [=](int x) CALLED { return x * 3 + local[2]; };
  shared[i] = i * 7;
  __syncthreads();
  float result = square(f4.x) + dims[1] + s.size() + lambda(i) + copies(i) + factorial(i % 5) + (c * c).re + inlined(i) +
                 mix(m, false, 3) + large(l, 4).numbers[4] + place() + shape() + neighbor(i) + follow(local) + inner.at(2);
  if (n == 12345) {
    put(local, spin(n));
    s.grow(1);
    result += many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
                   29, 30, 31, 32, 33, 34, 35, 36, n) + inner.size() + halved(n) + (pairs != nullptr);
  }
  int at = blockIdx.x * 64 + i;
  numbers[at] = at; // break here
  out[at] = make_float4(result, f4.y + l.numbers[1], dims.sizes[2] + s.count + c.im, local[0] + m.half + n);
}

int main() {
  float4 *out;
  int *numbers;
  HIP(hipMalloc((void **)&out, 128 * sizeof(float4)));
  HIP(hipMalloc((void **)&numbers, 128 * sizeof(int)));
  HIP(hipMemset(numbers, 1, 128 * sizeof(int)));
  functions<<<2, 64>>>(out, numbers, 64);
  float4 host[128];
  HIP(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost));
  printf("functions: %g %g %g %g\n", host[9].x, host[9].y, host[9].z, host[9].w);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
