#include <stdio.h>

__attribute__((noinline)) int fill(int n, int m) {
  int first[n], second[n + m], table[n][2];
  char text[m];
  for (int i = 0; i < n; ++i)
    first[i] = table[i][0] = i, table[i][1] = 10 * i;
  for (int i = 0; i < n + m; ++i)
    second[i] = 100 + i;
  for (int i = 0; i < m; ++i)
    text[i] = (char)('a' + i);
  return printf("%d %d %d %c\n", first[n - 1], second[n], table[1][1], text[1]); // break here
}

int main(void) { return fill(3, 2) == 0; }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
