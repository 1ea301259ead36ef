// Local and private memory to walk into: arrays, structs, and pointers to both. Tests find lines by their marks.
#include "check.h"

struct Point {
  int x;
  float y;
  short z[4];
};
struct Line {
  Point member[2];
  Point *to;
  unsigned bits : 5;
  unsigned more : 11;
};

__device__ __attribute__((noinline)) int follow(Line *line, Point *point, int *place) {
  asm volatile("" ::"v"(line), "v"(point), "v"(place)); // follow
  return line->member[1].x + line->to->z[2] + point->x + point[1].z[3] + *place;
}

__global__ void paths(int *out) {
  __shared__ int tile[64];
  __shared__ Line lines[2];
  int i = threadIdx.x;
  Point own[3] = {};
  for (int k = 0; k < 3; ++k) {
    own[k].x = i * 100 + k;
    own[k].y = i + k / 4.0f;
    own[k].z[3] = i - k;
  }
  Point *point = &own[i % 2];
  int *place = &tile[i];
  tile[i] = i * 10;
  if (i < 2) {
    lines[i].member[1].x = 77 + i;
    lines[i].member[1].y = 0.5f;
    lines[i].member[0].z[2] = -5;
    lines[i].to = &lines[i].member[0];
    lines[i].bits = 21;
    lines[i].more = 1000;
  }
  __syncthreads();
  int sum = follow(&lines[i % 2], point, place);
  out[i] = sum + *place + own[1].x; // kernel
}

int main() {
  const int n = 64;
  Buffer<int> out(n);
  paths<<<1, n>>>(out.data);
  HIP(hipDeviceSynchronize());
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = 77 + i % 2 - 5 + i * 100 + i % 2 + i - (i % 2 + 1) + i * 10 + i * 10 + i * 100 + 1;
  return report("paths", out.get(), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
