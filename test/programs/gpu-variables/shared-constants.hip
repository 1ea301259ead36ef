// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without optimization, clang makes the base of local memory and the offsets
// into it once for several lines.
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void rows(double *o) {
  __shared__ double A[16][16];
  __shared__ double B[16][16];
  const int i = threadIdx.x, j = threadIdx.y;
  A[j][i] = 100 + i + j;
  B[j][i] = 1 + j;
  __syncthreads();
  double U = 0, V = 0;
  for (int n = 0; n < 16; ++n) {
    double D = A[i][n];
    U += D * B[j][n];
    V += D * A[j][n];
  }
  o[j * 16 + i] = U + V;
}
int main() {
  double *d;
  (void)hipMalloc(&d, 256 * 8);
  rows<<<1, dim3(16, 16)>>>(d);
  printf("%d\n", hipDeviceSynchronize());
}
