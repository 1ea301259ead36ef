// A stopped wave, and a megabyte of memory to read.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void stand(float *data, int n) {
  int i = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += data[(i + k) % n];
  data[i] = sum;
}

int main() {
  float *data;
  if (hipMalloc((void **)&data, 4 << 20) != hipSuccess)
    return 1;
  stand<<<16, 64>>>(data, 1 << 18);
  return hipDeviceSynchronize() != hipSuccess;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
