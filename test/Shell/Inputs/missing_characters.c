volatile int sink;
__attribute__((noinline)) void use(int x) { sink += x; }
struct Item { int id; char tag[4]; int count; };
struct Name { int id; char name[8]; };
__attribute__((noinline)) int work(int n, const char *p) {
  struct Item it;
  it.id = n * 3;
  for (int k = 0; k < 4; k++) it.tag[k] = p[k];
  it.count = n + 1;
  use(it.id);
  use(it.count);          /* the tag is never used */
  return it.id + it.count;
}
__attribute__((noinline, optimize(0))) int unreadable(int n) {
  struct Name *far = (struct Name *)16; char (*letters)[4] = (char (*)[4])16;
  char open[n];
  for (int i = 0; i < n; ++i) open[i] = 'a' + i;
  sink += open[0];        /* no end of the string */
  return far == 0 || letters == 0;
}
int main(void) { return work(5, "abc") + unreadable(3) > 200; }
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
