// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that compilers describe by typed operations: of 128 bits, of x86's long double, and of types of which some bits count; and small
// numbers in registers.
enum mood { bad = -1, good = 1 };
__attribute__((noinline)) void use(long a) { __asm__ volatile("" : : "r"(a) : "memory"); }
__attribute__((noinline)) long wide(long x, long y, unsigned char small) {
  __int128 product = (__int128)x * y;
  unsigned __int128 sum = (unsigned __int128)x + ((unsigned __int128)y << 64);
  long double ratio = (long double)x / 3;
  __float128 quad = x;
  double twice = (double)x * 2 + small;
  use(x);
  __asm__ volatile("nop"); // wide
  use(y + small);
  return x + y;
}
#ifdef __clang__
__attribute__((noinline)) long bits(long y) {
  _BitInt(17) b = y;
  unsigned _BitInt(5) c = y;
  int from_b = b, from_c = c;
  use(y);
  __asm__ volatile("nop"); // bits
  use(y + 1);
  return y;
}
#endif
__attribute__((noinline)) int small(signed char a, short b, enum mood m, unsigned char u, _Bool t) {
  __asm__ volatile("nop" : : "r"(a), "r"(b), "r"(m), "r"(u), "r"(t) : "memory"); // small
  __asm__ volatile("" : : "r"(a), "r"(b), "r"(m), "r"(u), "r"(t) : "memory");
  return a + b + m + u + t;
}
int main(int argc, char **argv) {
  use(wide(argc * 0x7123456789abcdefL, argc + 0x1122334455667788L, argc + 6));
#ifdef __clang__
  use(bits(0x60000L * argc + 0x1c34f));
#endif
  return small(-argc - 2, argc - 301, -argc, argc + 199, argc) != 0 ? 0 : 1;
}
