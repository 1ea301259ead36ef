// Values of every shape, for scripts to read.
enum Small : signed char { Minus = -3, Plus = 7 };
struct Base {
  short base = -2;
};
struct Bits {
  int low : 3, high : 5;
  unsigned flag : 1;
};
struct Shape : Base {
  bool yes = true;
  char letter = 'x';
  Small small = Minus;
  Bits bits = {-2, 9, 1};
  struct {
    double inner = 0.25;
  };
  float list[3] = {1, 2, 3};
  int grid[2][2] = {{1, 2}, {3, 4}};
  long double wide = -1.5L;
  __int128 huge = -5;
  const char *text = nullptr;
};
typedef float Four __attribute__((ext_vector_type(4)));
struct Plain {
  unsigned char byte;
  double number;
};

int main() {
  Shape shape;
  Four four = {1, 2, 3, 4};
  Plain plain[2] = {{255, 0.5}, {1, 1.5}};
  Shape &same = shape;
  _Float16 half = 0.5;
  float none = __builtin_nanf("");
  return shape.bits.low + int(four.x) + plain[0].byte + same.base + int(half) + (none > 0); // here
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
