// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As dropped_store.hip, with an object that is stored by one wide store first.
#include <hip/hip_runtime.h>
#define MARK asm volatile("s_nop 13" ::: "memory")
struct S {
  int a, b, c, d;
};
__device__ __attribute__((noinline)) int bump(S &s) {
  s.a += 5;
  return s.b;
}
__global__ void kernel(int *out, int n) {
  S s = {n, 2, 3, 4};
  MARK; // joined
  int result = bump(s);
  MARK; // current
  s.a ^= 69;
  MARK; // dropped
  out[threadIdx.x] = s.a + s.b + s.c + s.d + result;
}
int main() {
  int *d;
  if (hipMalloc(&d, 1024))
    return 1;
  kernel<<<1, 64>>>(d, 100);
  return hipDeviceSynchronize();
}
