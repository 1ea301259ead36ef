// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At -O2, the store of `s.a ^= 69` is dropped: `s` stays as `bump` has left it.
#include <hip/hip_runtime.h>
#define MARK asm volatile("s_nop 13" ::: "memory")
struct S {
  int a, b;
};
__device__ __attribute__((noinline)) int bump(S &s) {
  s.a += 5;
  return s.b;
}
__global__ void kernel(int *out, int n) {
  S s = {n, 2};
  int result = bump(s);
  MARK; // current
  s.a ^= 69;
  MARK; // dropped
  out[threadIdx.x] = s.a + s.b + result;
}
int main() {
  int *d;
  if (hipMalloc(&d, 1024))
    return 1;
  kernel<<<1, 64>>>(d, 100);
  return hipDeviceSynchronize();
}
