#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) int descend(int d, int x) {
  if (d <= 0)
    return x; // the last call
  int y = x * 3 + d;
  int z = descend(d - 1, y);
  z += d;
  return z;
}
__global__ void kernel(int *out) {
  int i = threadIdx.x;
  out[i] = descend(i & 3, 1);
}
int main() {
  int *out;
  if (hipMalloc(&out, 256))
    return 1;
  kernel<<<1, 64>>>(out);
  return hipDeviceSynchronize();
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
