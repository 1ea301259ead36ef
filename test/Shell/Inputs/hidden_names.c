int sink;
void use(int x) { sink += x; }
int main(void) {
  int x = 1, y = 5;
  {
    use(x);               /* the outer x */
    int x = 2;
    use(x);               /* the inner x */
    for (int y = 7; y < 8; ++y)
      use(y);             /* the loop's y */
  }
  use(y);                 /* the outer y */
  return 0;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
