// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void one_loop(int *restrict y, const int *restrict x, int n) { for (int i = 0; i < n; i++) y[i] += x[i]; }
