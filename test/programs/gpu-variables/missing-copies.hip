// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void unrolled(int *out, int n) {
  int i = threadIdx.x;
  for (int j = 0; j < 3; j++) {
    int at = j == 1 ? out[i + n] : j; // line 7: one of the three rounds has code for it
    out[i + 64 * j] = at + n;
    asm volatile("s_nop 13" ::: "memory"); // line 9
  }
}
int main() {
  int *out;
  (void)hipMalloc((void **)&out, 4096);
  unrolled<<<1, 64>>>(out, 64);
  (void)hipDeviceSynchronize();
  int one = 0;
  (void)hipMemcpy(&one, out + 3, sizeof(one), hipMemcpyDeviceToHost);
  printf("%d\n", one);
}
