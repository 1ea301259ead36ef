// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At -O2, the location of `a` outlives an assignment that clang has dropped.
#include <hip/hip_runtime.h>
#define MARK asm volatile("s_nop 13" ::: "memory")
__device__ __attribute__((noinline)) int narrow(signed char a, unsigned item) {
  int result = (a & 4) ? a * a : int(item * a);
  a ^= item < 7u ? int(item) << (a & 7) : int(unsigned(result) % 13u);
  MARK; // the assignment is dropped
  if (result < (item < 1u ? result : result)) {
    MARK;
    a += result;
  }
  return result;
}
__device__ __attribute__((noinline)) int late(signed char a) {
  int result = a;
  a ^= 3;
  result += 85;
  MARK; // computed behind this
  return result;
}
__global__ void kernel(unsigned *out, int n) {
  out[threadIdx.x] = narrow(n, threadIdx.x) + late(n);
}
int main() {
  unsigned *d;
  if (hipMalloc(&d, 1024) || hipMemset(d, 0, 1024))
    return 1;
  kernel<<<1, 64>>>(d, 100);
  return hipDeviceSynchronize();
}
