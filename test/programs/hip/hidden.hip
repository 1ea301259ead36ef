// GPU memory that the program itself can't read, as ROCr 6 maps its waves' private memory.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <sys/mman.h>
__global__ void read(const int *p, int *out) {
  out[threadIdx.x] = p[threadIdx.x];
}
int main() {
  int *p, *out, values[64], results[64] = {};
  for (int i = 0; i < 64; ++i) values[i] = 100 + i;
  if (hipMalloc((void **)&p, 4096) != hipSuccess || hipMalloc((void **)&out, 4096) != hipSuccess) return 1;
  if (hipMemcpy(p, values, sizeof(values), hipMemcpyHostToDevice) != hipSuccess) return 1;
  if (mprotect(p, 4096, PROT_NONE) != 0) return 1;
  read<<<1, 64>>>(p, out);
  if (hipMemcpy(results, out, sizeof(results), hipMemcpyDeviceToHost) != hipSuccess) return 1;
  puts(results[63] == 163 ? "PASSED" : "FAILED");
  return 0;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
