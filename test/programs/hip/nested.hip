// Functions that are inlined in each other, for steps through them.
#include "check.h"

#define INLINE __attribute__((always_inline)) __device__

INLINE int leaf(int x) {
  x += 1;   // leaf begins
  x *= 3;   // leaf ends
  return x; // leaf returns
}

INLINE int only(int x) {
  return x ^ 5; // only
}

INLINE int middle(int x) {
  int v = leaf(x);     // middle begins
  if (x & 1)           // odd?
    v += only(v);      // odd
  while (v > 40)       // loop
    v -= only(x) + 20; // round
  return v;            // middle returns
}

__global__ void nested(int *out) {
  int i = threadIdx.x;       // begin
  int v = middle(i);         // call
  v += leaf(v) + leaf(i);    // twice
  out[i] = v;                // end
}

int main() {
  Buffer<int> out(std::vector<int>(4));
  nested<<<1, 4>>>(out.data);
  HIP(hipDeviceSynchronize());
  auto leaf = [](int x) { return (x + 1) * 3; };
  auto only = [](int x) { return x ^ 5; };
  std::vector<int> wanted;
  for (int i = 0; i < 4; ++i) {
    int v = leaf(i);
    if (i & 1)
      v += only(v);
    while (v > 40)
      v -= only(i) + 20;
    wanted.push_back(v + leaf(v) + leaf(i));
  }
  return report("nested", out.get(), wanted);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
