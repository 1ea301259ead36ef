// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copies of the outer loop are scheduled together, so that the debug information lets `j` go back from 3 to 1.
#include <hip/hip_runtime.h>
#define MARK asm volatile("s_nop 13" ::: "memory")
__global__ void kernel(int *out, int n) {
  int result = out[threadIdx.x], last = 0, sum = n;
  for (int i = 0; i < 2; ++i) {
    MARK;
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 2; ++k) {
        sum += n;
        MARK; // inner
        sum += n % 13 >> (result & 7);
      }
      last = (unsigned)(sum + i) % 13u;
    }
  }
  out[threadIdx.x] = sum + last + result;
}
int main() {
  int *d;
  if (hipMalloc(&d, 1024))
    return 1;
  kernel<<<1, 64>>>(d, 100);
  return hipDeviceSynchronize();
}
