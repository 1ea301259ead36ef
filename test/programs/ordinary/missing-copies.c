#include <stdio.h>
int a[200], b[200];
__attribute__((noinline)) void versions(int *to, const int *from, int n, int step) {
  for (int i = 0; i < n; ++i) {
    int at = i * step; // line 5: only one copy of the loop multiplies
    to[i] += from[at]; // line 6
  }
}
__attribute__((noinline)) void jumps(int *to, const int *from, int n, int step) {
  for (int i = 0; i < n; ++i) {
    if (to[i] == 77)
      continue;
    int at = i * step; // line 13
    to[i] += from[at];
  }
}
int main(int argc, char **argv) {
  for (int i = 0; i < 200; ++i)
    b[i] = i;
  versions(a, b, 50, argc);
  jumps(a, b, 50, argc);
  printf("%d\n", a[3]);
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
