/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines that an optimizer leaves without code. */
int shown;
__attribute__((noinline)) static void show(int n) {
  shown = n;
  __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void choose(int way, int n) {
  int dropped = 0;
  if (way == 1) {
    dropped = n * 3;
  } else {
    show(n);
  }
  for (int i = 0; i < n; ++i) {
    show(i);
    dropped = i;
  }
  show(n + 1);
}
static inline void twice(int n) {
  __asm__ volatile("" : : "r"(n * 2));
}
int main(void) {
  choose(1, 2);
  twice(shown);
  choose(2, 3);
  twice(shown);
  return 0;
}
