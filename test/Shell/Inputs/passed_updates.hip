// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/hip_runtime.h>

#define MARK() asm volatile("s_nop 13" ::: "memory")

__global__ void sums(unsigned *out, const unsigned *in) {
  unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = in[item] * 7u + 1u;
  MARK(); // first
  sum = sum * 31u + (item + item);
  MARK(); // summed
  unsigned other = in[item + 1] ^ sum;
  MARK(); // summed
  sum = sum * 31u + other;
  out[item] = sum;
}

__global__ void modes(int *out, const int *in) {
  int item = blockIdx.x * blockDim.x + threadIdx.x;
  int mode = in[item] % 23;
  int rounds = mode;
  MARK(); // before the loop
  for (int round = 0; round < (rounds & 3); ++round) {
    mode = 1000;
    for (int inner = 0; inner < int(item & 3) + 1; ++inner)
      MARK(); // in the loop
  }
  MARK(); // behind the loop
  out[item] = rounds;
}

int main() {
  unsigned *p;
  (void)hipMallocManaged((void **)&p, 4096);
  for (unsigned i = 0; i < 512; ++i)
    p[i] = i + 6;
  hipLaunchKernelGGL(sums, dim3(1), dim3(64), 0, 0, p + 128, p);
  hipLaunchKernelGGL(modes, dim3(1), dim3(64), 0, 0, (int *)p + 128, (int *)p);
  (void)hipDeviceSynchronize();
}
