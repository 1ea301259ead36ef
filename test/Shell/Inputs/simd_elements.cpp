#include <cstdio>
#include <experimental/simd>
namespace stdx = std::experimental;
typedef int v4 __attribute__((vector_size(16)));
typedef float f8 __attribute__((vector_size(32)));
using Fixed = stdx::fixed_size_simd<int, 8>;
using Nat = stdx::native_simd<float>;
struct Holder {
  v4 a[2];
  Nat n;
};
__attribute__((noinline)) int look(v4 &r, Nat &t, Fixed &f, const v4 (&arr)[3],
                                   stdx::simd_mask<float> &m) {
  v4 local[2] = {r, r + 1};
  f8 wide[2][2] = {};
  Holder h = {{r, r}, t};
  Holder *hp = &h;
  int sum = local[1][2] + arr[2][3] + f[3] + (int)t[2] + (int)wide[1][1][7] +
            m[1] + hp->a[1][0];
  return sum; // break here
}
int main() {
  v4 a = {1, 2, 3, 4};
  v4 arr[3] = {a, a + 10, a + 20};
  Nat t([](int i) { return 1.5f * i; });
  Fixed f([](int i) { return i * i; });
  auto m = t > 2;
  printf("%d\n", look(a, t, f, arr, m));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
