volatile int sink;
__attribute__((noinline)) void use(int x) { sink += x; asm volatile("" ::: "rdi", "rsi", "rdx", "rcx", "r8", "r9"); }
__attribute__((noinline)) int callee(unsigned char v, double d, long w) { use(1); use(v > 3 ? 2 : 5); use((int)d); use((int)w & 1); use(8); return sink; }
/* The call is inlined. */
static inline int middle(int k) { int r = callee(k + 100, 1.25, 123456789012L); use(0); return r + 1; }
/* Its call is a tail call, and the callee is called by another function, too. */
__attribute__((noinline)) int tail(int a) { use(0); return callee(a, 0.5, a + 1L); }
/* The values are handed down through a frame. */
__attribute__((noinline)) int outer(int a) { int r = callee(a, 4.5, a * 2L); use(0); return r; }
/* After tail calls that lead back to it, its parameters aren't those of its caller. */
int odd(int n, int m);
__attribute__((noinline)) int even(int n, int m) { if (n > 7) { use(7); use(8); return sink; } use(n); return odd(n + 1, m + 1); }
__attribute__((noinline)) int odd(int n, int m) { use(n); if (n > 8) return sink; return even(n + 1, m + 1); }
int main(int argc, char **argv) {
  int s = 0;
  for (int i = 0; i < 1; i++) { /* a lexical block */
    int w = i + 200;
    s += callee(w, 2.5, 77);
  }
  s += middle(argc);
  s += outer(argc + 4);
  s += tail(argc + 8);
  s += even(argc + 5, 3);
  return s > 100000;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
