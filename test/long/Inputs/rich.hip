// A kernel whose debug information has much in it. `rich CODE-OBJECT` launches it from a file, which may be damaged: the
// program says which call failed, and ends.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <unistd.h>

namespace shapes {
enum class Color : unsigned char { Red, Green = 7, Blue };
union Word {
  unsigned bits;
  float value;
  unsigned char bytes[4];
};
struct Base {
  int tag : 5;
  unsigned flags : 3;
  Color color;
};
template <typename T, int Size> struct Row : Base {
  T items[Size];
  Row *next;
  __device__ T sum() const {
    T total = 0;
    for (const T &item : items)
      total += item;
    return total; // method
  }
};
} // namespace shapes

__constant__ int table[4] = {1, 2, 3, 4};
__device__ double scale = 1.5;

template <typename T> __device__ __attribute__((noinline)) T twice(T value, const shapes::Row<T, 3> &row) {
  T result = value + row.sum() * 2;
  __builtin_debugtrap();
  return result + table[int(value) & 3]; // callee
}

extern "C" __global__ void rich(int *out, int n) {
  __shared__ float tile[64];
  __shared__ shapes::Row<int, 3> shared;
  int lane = threadIdx.x;
  shapes::Row<float, 3> row;
  row.tag = lane & 15;
  row.flags = 5;
  row.color = shapes::Color::Green;
  row.next = &row;
  for (int i = 0; i < 3; ++i)
    row.items[i] = lane + i * 0.5f;
  shapes::Word word;
  word.value = row.items[1];
  tile[lane] = word.value;
  shared.items[lane % 3] = lane;
  __syncthreads();
  auto pick = [&](int at) { return tile[at & 63] + row.items[0]; };
  float (*corner)[64] = &tile;
  int grid[2][3] = {{lane, n, 2}, {3, 4, 5}};
  short small[4] = {1, 2, 3, short(lane)};
  float sum = 0;
  {
    int inner = lane * n;
    sum = twice<float>(pick(inner), row) + (*corner)[0];
  }
  if (lane < n) {
    double wide = sum * scale;
    out[lane] = int(wide) + grid[1][lane % 3] + small[lane & 3] + int(word.bits & 1) + shared.items[0];
  }
}

#define HIP(call)                                                                                                        \
  if (hipError_t error = (call); error != hipSuccess) {                                                                  \
    printf("%s: %s\n", #call, hipGetErrorString(error));                                                                 \
    return 3;                                                                                                            \
  }

int main(int, char **argv) {
  hipModule_t module;
  hipFunction_t kernel;
  int *out, n = 40;
  alarm(20); // A damaged kernel may run for ever.
  HIP(hipModuleLoad(&module, argv[1]));
  HIP(hipModuleGetFunction(&kernel, module, "rich"));
  HIP(hipMalloc((void **)&out, 64 * sizeof(int)));
  void *arguments[] = {&out, &n};
  HIP(hipModuleLaunchKernel(kernel, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  HIP(hipDeviceSynchronize());
  puts("done");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
