/* What today's compilers make of a widened loop: no word of lanes. */
#include <stdio.h>

enum { N = 64 };
int a[N], b[N];

__attribute__((noinline)) void keep(int total) {
  __asm__ volatile("" : : "r"(total)); /* break here */
}

__attribute__((noinline)) int sum(const int *x, const int *y, int n, int scale) {
  int total = 0;
#pragma omp simd reduction(+ : total)
  for (int i = 0; i < n; ++i)
    total += x[i] * scale + y[i];
  keep(total);
  return total;
}

int main(void) {
  for (int i = 0; i < N; ++i) {
    a[i] = i;
    b[i] = 2 * i;
  }
  int result = sum(a, b, N, 3);
  printf("%d\n", result);
  return result != 10080;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
