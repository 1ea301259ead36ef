#include <memory>

struct Deleter {
  void operator()(int *pointer) const { delete pointer; }
  int tag = 5;
};

int main() {
  std::unique_ptr<int> plain(new int(7));
  std::unique_ptr<int, Deleter> other(new int(8));
  return *plain + *other; // stop
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
