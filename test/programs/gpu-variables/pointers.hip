// Variables of every address space, and pointers into each.
#include <cstdio>
#include <hip/hip_runtime.h>

struct Point {
  int x;
  float y;
  short z[4];
};

__device__ int counter = 77;

__global__ void pointers(int *out, float scale, int n) {
  __shared__ int tile[64];
  __shared__ Point shared_point;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long big = (long)i * 3;
  Point point;
  point.x = i;
  point.y = scale;
  point.z[2] = 5;
  int array[4] = {i, i + 1, i + 2, i + 3};
  Point *to_point = &point;
  int *to_tile = &tile[3];
  tile[threadIdx.x & 63] = i;
  shared_point.x = n;
  __syncthreads();
  if (i < n)
    out[i] = tile[i & 63] + array[i & 3] + to_point->x + (int)big + *to_tile + counter + shared_point.x; // break here
}

int main() {
  int *out;
  if (hipMalloc((void **)&out, 128 * sizeof(int)) != hipSuccess)
    return 1;
  pointers<<<2, 64>>>(out, 2.5f, 100);
  int host[128];
  if (hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess)
    return 1;
  printf("out[84] %d, out[85] %d\n", host[84], host[85]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
