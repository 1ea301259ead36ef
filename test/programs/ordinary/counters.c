// Loops that clang vectorizes; in each, it describes what it counts by the value from before the loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>

int a[100], b[100], c[32];

__attribute__((noinline)) void remainder_too(int *to, int *from, int n) {
#pragma omp simd
  for (int i = 0; i < n; ++i)
    to[i] += from[i];
}

__attribute__((noinline)) void nothing_remains(void) {
  int i = 0;
  while (i < 32) {
    // A multiple of what a vector has.
    c[i] += 2 * i;
    i++;
  }
}

__attribute__((noinline)) int with_constant(int *from, int n) {
  int mode = 3, sum = 0;
#pragma clang loop vectorize(disable) unroll(disable)
  for (int i = 0; i < n; ++i)
    sum += from[i] * mode;
  return sum;
}

int main(void) {
  for (int i = 0; i < 100; i++)
    b[i] = i;
  remainder_too(a, b, 77);
  nothing_remains();
  printf("%d %d %d\n", a[76], c[31], with_constant(a, 100));
  return 0;
}
