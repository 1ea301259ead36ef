// Calls of every kind: recursion, function pointers, values kept across calls, results in one register and in several.
#include "check.h"

// HIP's __noinline__ is lost at -O2.
#define CALLED __attribute__((noinline))

struct Triple {
  int first, second, third;
};
// Fields of one register and of two, and what fills neither.
struct Mixed {
  char letter;
  double half;
  short numbers[2];
};
// More than registers take: the caller gives memory for it.
struct Large {
  int numbers[20];
};

__device__ CALLED int leaf(int value) {
  return value * 3; // leaf
}

__device__ CALLED int middle(int value) {
  int kept = value + 7;
  int got = leaf(value);
  return got + kept;
}

__device__ CALLED int fibonacci(int n) {
  if (n < 2)
    return n; // small
  int before = fibonacci(n - 1);
  return before + fibonacci(n - 2); // second
}

__device__ CALLED Triple triple(int value) {
  return {value, middle(value), value * 2}; // triple
}

__device__ CALLED Mixed mixed(int value) {
  return {char('a' + value % 8), value / 2.0, {short(value), short(-value)}}; // mixed
}

__device__ CALLED Large large(int value) {
  Large result = {};
  result.numbers[1] = value;
  result.numbers[19] = value * 19;
  return result;
}

// Every other lane calls: what the others have in registers must survive.
__device__ CALLED int half(int value) {
  int kept = value * 11;
  if (value % 2)
    kept += fibonacci(value % 4);
  return kept + value;
}

// Changes registers that it must give back as it got them: it puts them on the stack, into lanes of a vector register, and where the GPU has
// accumulation registers into those.
__device__ CALLED int changing(int value) {
#if defined(__gfx90a__) || defined(__gfx942__)
  asm volatile("v_accvgpr_write_b32 a40, 1" ::: "a40");
#endif
  asm volatile("v_mov_b32 v40, 1\n v_mov_b32 v41, 1\n s_mov_b32 s40, 5" ::: "v40", "v41", "s40");
  return value + 1; // changing
}

__device__ CALLED int keeping(int value) {
  int held = value * 13;
  asm volatile("" : "+{v40}"(held)); // In the register that is changed.
  int got = changing(value);
  asm volatile("" : "+{v40}"(held));
  return got + held;
}

__device__ int (*volatile chosen)(int) = middle;

__global__ void calls(int *out) {
  int lane = threadIdx.x;
  int sum = middle(lane);        // first
  sum += fibonacci(lane % 4);
  sum += chosen(lane);           // pointer
  Triple three = triple(lane);
  Mixed parts = mixed(lane);
  sum += parts.letter - 'a' + int(parts.half * 2) + parts.numbers[0] + parts.numbers[1];
  Large many = large(lane);
  sum += many.numbers[1] + many.numbers[19];
  sum += half(lane);
  sum += keeping(lane);
  out[lane] = sum + three.first + three.second + three.third;
}

int main() {
  const int n = 64;
  const int fibonacci[] = {0, 1, 1, 2};
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) {
    int middle = i * 3 + i + 7;
    want[i] = middle * 3 + fibonacci[i % 4] + i + i * 2 + i % 8 + i + i * 20 + i * 12 + i + 1 + i * 13 + (i % 2 ? fibonacci[i % 4] : 0);
  }
  Buffer<int> out(n);
  calls<<<1, n>>>(out.data);
  HIP(hipDeviceSynchronize());
  return report("calls", out.get(), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
