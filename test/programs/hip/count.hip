// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel whose lines have known costs, launched with 64 work-items twice.
#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void costs(const float *in, float *out, int way) {
  __shared__ float tile[64 * 32];
  int lane = threadIdx.x;
  float apart = in[lane * 32];
  float together = in[lane];
  tile[lane * 32] = apart;
  __syncthreads();
  if (lane % 4 == 0)
    together += tile[0] * 3;
  if (way == 7)
    together = apart;
  out[lane] = together;
}

int main() {
  float *in, *out;
  if (hipMalloc(&in, 64 * 32 * sizeof(float)) || hipMalloc(&out, 64 * sizeof(float)) ||
      hipMemset(in, 0, 64 * 32 * sizeof(float)))
    return 1;
  for (int i = 0; i < 2; ++i)
    costs<<<1, 64>>>(in, out, i);
  if (hipDeviceSynchronize())
    return 1;
  printf("counted\n");
}
