// Of 77 rounds, vectors of four leave one.
__attribute__((noinline)) void shift(double *restrict to, const double *restrict from) {
  for (int i = 0; i < 77; ++i)
    to[i] = from[i] + 2; // line 4
}
int main(void) {
  static double to[77], from[77];
  shift(to, from);
  return to[76] != 2;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
