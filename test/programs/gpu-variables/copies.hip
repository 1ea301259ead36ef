#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void unrolled(int *out, int n) {
  int i = threadIdx.x;
  for (int j = 0; j < 3; j++) {
    out[i + 64 * j] = i * j + n;
    asm volatile("s_nop 13" ::: "memory"); // line 7
  }
}
__global__ void versions(int *out, const int *in, int n, int step) {
  int sum = 0;
  for (int i = 0; i < n; i += step)
    sum += in[i]; // line 13
  out[threadIdx.x] = sum;
}
int main() {
  int *out, *in;
  (void)hipMallocManaged((void **)&out, 4096);
  (void)hipMallocManaged((void **)&in, 4096);
  for (int i = 0; i < 1024; ++i)
    in[i] = i;
  unrolled<<<1, 64>>>(out, 64);
  (void)hipDeviceSynchronize();
  versions<<<1, 64>>>(out, in, 9, 3);
  (void)hipDeviceSynchronize();
  printf("%d\n", out[3]);
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
