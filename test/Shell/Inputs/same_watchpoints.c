#include <stdio.h>

long long pair; // a variable with two halves
int main() {
  int *half = (int *)&pair;
  pair = 1;             // begin
  half[1] = 2;          // upper
  half[0] = 3;          // lower
  half[1] = 4;          // upper again
  half[0] = 5;          // lower again
  printf("%lld\n", pair);
  return 0;             // end
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
