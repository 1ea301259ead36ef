// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that optimized code doesn't keep in memory.
#include <cstdio>

struct Pair {
  long first, second;
};

__attribute__((noinline)) long add(const Pair &pair) {
  return pair.first + pair.second;
}
__attribute__((noinline)) void swap(Pair &pair) {
  long first = pair.first;
  pair.first = pair.second;
  pair.second = first;
}
__attribute__((noinline)) long show(long value) {
  std::printf("%ld\n", value);
  return value;
}
__attribute__((noinline)) long work(long n) {
  int size = 512;
  Pair pair{n * 3, n + 7};
  long sum = show(n);
  double scale = double(n) * 0.5;
  sum += show(pair.first); // in registers
  sum += show(pair.second) + long(scale);
  return sum + size; // the end
}
int main(int argc, char **) {
  Pair pair{argc, 2};
  swap(pair);
  return work(argc) + add(pair) == 0;
}
