/* Loops that today's compilers widen, for utils/annotate-lanes. */
#include <stdio.h>

enum { N = 256 };
int a[N], b[N], c[N];

__attribute__((noinline)) void add(int *restrict dst, const int *restrict src, int n) {
#pragma omp simd
  for (int i = 0; i < n; i++)
    dst[i] += src[i]; /* add */
}

__attribute__((noinline)) double dot(const double *x, const double *y, long n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (long k = 0; k < n; ++k)
    sum += x[k] * y[k]; /* dot */
  return sum;
}

__attribute__((noinline)) void fixed(void) {
#pragma omp simd
  for (int j = 0; j < N; ++j)
    c[j] = a[j] * 3 + b[j]; /* fixed */
}

static inline int sum(const int *x, int n) {
  int total = 0;
  for (int m = 0; m < n; m++)
    total += x[m]; /* sum */
  return total;
}

__attribute__((noinline)) int rows(const int *x, int height, int width) {
  int most = 0;
  for (int row = 0; row < height; row++) {
    int total = sum(x + row * width, width);
    most = total > most ? total : most;
  }
  return most;
}

__attribute__((noinline)) void backwards(int *x, int n) {
  for (int i = n - 1; i >= 0; i--)
    x[i] += 7;
}

int main(void) {
  double x[100], y[100];
  for (int i = 0; i < N; ++i) {
    a[i] = i;
    b[i] = 1000 * i;
  }
  for (int i = 0; i < 100; ++i)
    x[i] = i, y[i] = 2;
  add(a, b, N - 3);
  fixed();
  backwards(c, N);
  printf("%d %d %g %d\n", a[9], c[9], dot(x, y, 100), rows(a, 4, N / 4));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
