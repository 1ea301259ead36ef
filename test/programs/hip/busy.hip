// The host calls a function all the time while waves run.
#include "check.h"

__global__ void turns(int *out, int rounds) {
  int t = threadIdx.x;
  for (int i = 0; i < rounds; ++i)
    out[t] += 1;
  out[t] = 1; // turn's end
}

__attribute__((noinline)) int called(int number) {
  return number + 1; // called
}

int main() {
  Buffer<int> out(64);
  int calls = 0;
  for (int turn = 0; turn < 20; ++turn) {
    turns<<<1, 64>>>(out.data, 200 + turn * 37);
    while (hipStreamQuery(nullptr) == hipErrorNotReady)
      calls = called(calls);
  }
  printf("turns: %s\n", calls ? "PASSED" : "FAILED");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
