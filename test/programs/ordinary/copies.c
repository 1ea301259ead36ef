#include <stdio.h>
int out[300], a[100], b[100];
__attribute__((noinline)) void unrolled(int i, int n) {
  for (int j = 0; j < 3; j++) {
    out[i + 64 * j] = i * j + n;
    __asm__ volatile("nop" ::: "memory"); // line 6
  }
}
__attribute__((noinline)) void remainder_too(int dst[], int src[], int len) {
#pragma omp simd
  for (int i = 0; i < len; ++i)
    dst[i] += src[i]; // line 12
}
__attribute__((noinline)) int in_parts(int *p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += p[i] // line 17
           * out[i];
    __asm__ volatile("nop" ::: "memory");
  }
  return sum;
}
int main(void) {
  unrolled(3, 4);
  for (int k = 0; k < 100; k++) {
    a[k] = k;
    b[k] = 100;
  }
  remainder_too(a, b, 77);
  printf("%d %d %d\n", out[67], a[76], in_parts(a, 5));
  return 0;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
