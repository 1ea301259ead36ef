// Templates, lambdas, classes and HIP's built-in variables, for expressions. Tests find lines by their marks.
#include "check.h"

enum Color { Red = 3, Green = 7 };
struct Inner {
  short a;
  unsigned bits : 5;
  unsigned more : 11;
};
union Both {
  float f;
  unsigned u;
};
struct Outer : Inner {
  int values[4];
  Inner *next;
  Both both;
};

template <typename T, int N> struct Ring {
  T items[N];
  int count;
  __device__ void push(T item) {
    items[count] = item;
    count = (count + 1) % N; // push
  }
};

template <typename T, int N> __global__ void grid(T *out, T factor, int n) {
  __shared__ T tile[N];
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int index = y * gridDim.x * blockDim.x + x;
  Ring<T, 3> ring{};
  ring.push(T(index));
  Outer outer{};
  outer.a = -index;
  outer.bits = index & 31;
  outer.more = 77;
  outer.values[2] = index * 2;
  outer.next = &outer;
  outer.both.f = 1.5f;
  Outer &reference = outer;
  Color color = index & 1 ? Red : Green;
  double precise = index / 4.0;
  bool odd = index & 1;
  auto twice = [&, factor](T value) {
    T result = value * factor + T(x);
    return result + ring.items[0]; // lambda
  };
  tile[threadIdx.y * blockDim.x + threadIdx.x] = twice(T(index));
  __syncthreads();
  if (index < n)
    out[index] = tile[threadIdx.y * blockDim.x + threadIdx.x] + reference.values[2] + color + T(precise) + odd; // store
}

int main() {
  const int n = 3 * 16 * 2 * 8;
  Buffer<float> out(n);
  grid<float, 128><<<dim3(3, 2), dim3(16, 8)>>>(out.data, 2.5f, n);
  HIP(hipDeviceSynchronize());
  std::vector<float> want(n);
  for (int index = 0; index < n; ++index)
    want[index] = index * 2.5f + index % 48 + index + index * 2 + (index & 1 ? 3 : 7) + index / 4.0f + (index & 1);
  return report("expressions", out.get(), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
