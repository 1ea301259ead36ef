// Lanes that differ in loops, in calls and in how deep they recurse. At -O0, a function's code turns all lanes on, or only the others, to
// save and load registers.
#include "check.h"

__device__ __attribute__((noinline)) int down(int n, int depth) {
  int result = depth; // down
  if (n > 0)          // deeper?
    result += down(n - 1, depth + 1); // deeper
  return result; // up
}

__device__ __attribute__((noinline)) int odd(int i) {
  int result = i * 3; // odd
  if (result & 4)     // has 4?
    result += 1;      // has 4
  return result;      // odd ends
}

__global__ void loop(int *out, int n) {
  int i = threadIdx.x;                // loop
  int a = 1;                          // before
  for (int j = 0; j < (i & 3); ++j) { // turn?
    a = a * 3 + j;                    // turn
    if (a & 1)                        // add?
      a += 7;                         // add
  }
  a += 5;     // after
  out[i] = a; // stored
}

__global__ void recursion(int *out, int n) {
  int i = threadIdx.x;      // recursion
  int a = down(i & 3, n);   // called
  out[i] = a;               // recursion ends
}

__global__ void some(int *out, int n) {
  int i = threadIdx.x; // some
  int a = 0;           // none
  if (i & 1)           // odd?
    a = odd(i);        // call
  else
    a = n;    // even
  out[i] = a; // some ends
}

int main() {
  int *out;
  HIP(hipMalloc(&out, 64 * sizeof(int)));
  loop<<<1, 64>>>(out, 0);
  recursion<<<1, 64>>>(out, 0);
  some<<<1, 64>>>(out, 7);
  HIP(hipDeviceSynchronize());
  return 0;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
