#pragma pack(1)
struct { signed f0 : 27; unsigned f5 : 30; } g = {5070, 1795821};
struct { unsigned long a : 60; unsigned long b : 50; unsigned short c : 9; unsigned short d : 15; } h = {0x123456789abcdef, 0x2222233333444, 0x1aa, 0x5a5a};
struct { _Bool x : 1; unsigned char y : 8; signed char z : 7; enum { P, Q, R } e : 9; } k = {1, 0xa5, -3, R};
#pragma pack()
struct __attribute__((packed)) { unsigned char a : 7; unsigned char b : 4; unsigned short c : 13; } f = {1, 9, 5000};
struct Plain { unsigned a : 3; int b : 9; unsigned long c : 33; signed char d : 2; };
volatile int sink;
struct Foo { unsigned char a : 7; unsigned char b : 4; } __attribute__((packed));
__attribute__((noinline)) int work(struct Foo p, struct Plain q) { sink++; return p.a + p.b + q.a + q.b + (int)q.c + q.d; }
int main(void) {
  struct Foo loc = {3, 13};
  struct Plain plain = {5, -200, 0x123456789, -1};
  sink++;
  return work(loc, plain) + g.f5 + h.b + k.y + f.b;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
