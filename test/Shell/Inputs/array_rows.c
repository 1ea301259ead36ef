volatile long sink;
__attribute__((noinline)) void use(void *p, long x) { sink += x; asm volatile("" :: "r"(p) : "memory"); }
__attribute__((noinline)) long work(int n, int m, double mat[n][m]) {
  int a[n]; long b[n][m]; int w[2][n]; char names[n][4]; struct { int k; } s[n - 1];
  int (*p)[n] = w;
  for (int i = 0; i < n; i++) { a[i] = i * i; for (int j = 0; j < m; j++) b[i][j] = i * 10 + j; }
  for (int i = 0; i < n; i++) { w[0][i] = i; w[1][i] = 100 + i; names[i][0] = 'a' + i; names[i][1] = names[i][2] = names[i][3] = 0; }
  for (int j = 0; j < n - 1; j++) s[j].k = j + 500;
  use(p, a[n - 1] + b[1][1] + names[1][0] + s[0].k + (long)mat[1][1]); // all are set
  return a[0];
}
int main(void) {
  double m[4][3];
  for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) m[i][j] = i + j * 0.5;
  return work(4, 3, m) == 1;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
