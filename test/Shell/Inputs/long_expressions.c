enum { C = 67 };
void saxpy(int n, float a, const float *restrict x, float *restrict y) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
void conv3(int rows, int cols, float (*restrict o)[C], double (*restrict in)[C]) { for (int i = 1; i < rows - 1; i++) for (int j = 1; j < cols - 1; j++) { float s = 1; for (int u = -1; u <= 1; u++) for (int v = -1; v <= 1; v++) s += (float)in[i + u][j + v] * (u + 2 * v + 3); o[i][j] = s; } }
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
