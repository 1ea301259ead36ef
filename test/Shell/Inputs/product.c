double A[64][64], B[64][64];

void product(int n) {
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 32; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += A[i][k] * B[k][j];
      A[i][j] = sum;
    }
}
void rows(int n) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < n; j++)
      A[i][j] += B[i][j];
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
