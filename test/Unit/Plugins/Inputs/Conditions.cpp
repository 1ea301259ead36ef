// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device function with a variable of each kind that a condition can name.
enum Color { Red, Green };

struct Pair {
  short first;
  int second;
  unsigned flags : 3;
  int numbers[4];
};

extern "C" __attribute__((used, noinline)) int
work(int n, unsigned u, long wide, unsigned long mask, float f, double d,
     unsigned char byte, bool flag, Color color, float *floats, Pair *pairs,
     Pair &reference, int &number, void *nothing) {
  Pair pair = {1, 2, 3, {4, 5, 6, 7}};
  int matrix[2][3] = {{n, 0, 0}, {0, 0, 0}};
  int inner = 0;
  {
    int inner = n + 1;
    pair.second += inner; // here
  }
  return pair.second + matrix[1][2] + inner + int(floats[u]) + int(d) +
         int(wide + mask) + byte + flag + color + pairs[n].second +
         reference.second + number + (nothing != nullptr) + int(f);
}
