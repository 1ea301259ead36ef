// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines that an optimizer leaves without code.
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void choose(int *out, int way, int n) {
  int dropped = 0;
  if (way == 1) {
    dropped = n * 3;
  } else {
    out[threadIdx.x] = n;
    __threadfence();
  }
  for (int i = 0; i < n; ++i) {
    atomicAdd(out, i);
    dropped = i;
  }
  out[64 + threadIdx.x] = n;
}
int main() {
  int *out;
  (void)hipMalloc(&out, 1024);
  choose<<<1, 64>>>(out, 1, 2);
  choose<<<1, 64>>>(out, 2, 3);
  printf("%d\n", hipDeviceSynchronize());
}
