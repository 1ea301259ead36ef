// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/hip_runtime.h>
__global__ void down(int *out) {
  for (int i = 0; i < (int)(threadIdx.x & 3); ++i) {
    asm volatile("s_nop 13" ::: "memory"); // down
    out[threadIdx.x] ^= 5;
  }
}
__global__ void both(int *out) {
  for (int i = threadIdx.x & 3; i != 0; --i)
    asm volatile("s_nop 13 ; %0" ::"v"(i) : "memory"); // both
}
int main() {
  int *out;
  if (hipMalloc(&out, 1024))
    return 1;
  down<<<1, 64>>>(out);
  both<<<1, 64>>>(out);
  return hipDeviceSynchronize();
}
