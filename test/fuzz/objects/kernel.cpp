// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel with many kinds of debug information.
#define KERNEL                                                                 \
  extern "C" __attribute__((amdgpu_kernel, visibility("protected")))
#define GLOBAL __attribute__((address_space(1)))
#define LOCAL __attribute__((address_space(3)))

struct Point {
  int x;
  float y[3];
  Point *next;
};
template <typename T> struct Pair {
  T first;
  volatile T second;
  enum Kind { None, Some } kind;
};
typedef float Row[8];

__attribute__((visibility("protected"))) GLOBAL int table[16] = {1, 2, 3};
[[clang::loader_uninitialized]] static LOCAL int tile[64];

static inline int twice(int v) { return v + v; }
__attribute__((noinline)) static float deep(const Pair<float> &p, int n) {
  Row row = {p.first, p.second};
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    float term = row[i & 7] * i;
    sum += term;
  }
  return sum;
}

KERNEL void rich(GLOBAL int *out, const GLOBAL Point *points,
                 volatile GLOBAL int *flag, Pair<float> pair, int n) {
  int lane = __builtin_amdgcn_workitem_id_x();
  tile[lane] = twice(lane) + table[lane & 15];
  __builtin_amdgcn_s_barrier();
  Pair<int> own = {lane, n, Pair<int>::Some};
  if (lane % 2) {
    int odd = tile[63 - lane];
    out[lane] = odd + own.second;
  } else {
    float even = deep(pair, n) + points[lane].y[1];
    out[lane] = int(even) + *flag;
  }
}
