// A sum that comes out wrong. docs/finding-bugs.md and utils/demo --hunt find out why.
#include "check.h"

constexpr int Size = 256;

__global__ void sum(const int *in, int *out) {
  __shared__ int part[Size];
  int i = threadIdx.x;
  part[i] = in[i];
  for (int n = Size / 2; n > 0; n /= 2) {
    if (i < n)
      part[i] += part[i + n];
    __syncthreads();
  }
  if (i == 0)
    *out = part[0];
}

int main() {
  int in[Size], want = 0, have = 0;
  for (int i = 0; i < Size; ++i)
    want += in[i] = i;
  int *deviceIn, *deviceOut;
  HIP(hipMalloc((void **)&deviceIn, sizeof(in)));
  HIP(hipMalloc((void **)&deviceOut, sizeof(int)));
  HIP(hipMemcpy(deviceIn, in, sizeof(in), hipMemcpyHostToDevice));
  sum<<<1, Size>>>(deviceIn, deviceOut);
  HIP(hipMemcpy(&have, deviceOut, sizeof(int), hipMemcpyDeviceToHost));
  printf("sum: got %d, want %d: %s\n", have, want, have == want ? "PASSED" : "FAILED");
  return have != want;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
