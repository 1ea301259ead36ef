// Functions that are inlined into a kernel and into a function that it calls, two levels deep.
#include "check.h"

#define CALLED __attribute__((noinline))
#define INLINED inline __attribute__((always_inline))

__device__ int table[64];

__device__ INLINED int inner(int base, int count) {
  int sum = base;
  for (int i = 0; i < count; ++i)
    sum = sum * 3 + table[sum & 63]; // inner
  return sum + 1;                    // inner's end
}

__device__ INLINED int outer(int value, int *seen) {
  int scaled = table[value] * 2; // outer
  seen[value] = scaled;          // seen
  int got = inner(scaled, value % 4 + 1); // outer calls
  seen[value] += got;            // outer's end
  return got;
}

__device__ CALLED int called(int which, int *seen) {
  int before = table[which];                // called
  int got = outer(((which + 1) & 31) | (which & 32), seen); // called calls
  seen[which] += before;                    // called's end
  return got;
}

__device__ INLINED int calling(int value, int *seen) {
  int kept = value * 5;
  int got = called(value, seen);  // calling
  return got + kept;
}

__global__ void inlined(int *out, int *seen) {
  int lane = threadIdx.x;
  int first = outer(lane, seen);     // first
  out[lane] = first;                 // stored
  int second = calling(lane, seen + 64); // second
  out[lane] += second;               // end
}

int inner_of(int base, int count, const std::vector<int> &table) {
  int sum = base;
  for (int i = 0; i < count; ++i)
    sum = sum * 3 + table[sum & 63];
  return sum + 1;
}

int main() {
  const int n = 64;
  std::vector<int> numbers(n), want(n);
  for (int i = 0; i < n; ++i)
    numbers[i] = i * 7 % 50 + 1;
  for (int i = 0; i < n; ++i) {
    const int next = ((i + 1) & 31) | (i & 32); // of the same wave
    want[i] = inner_of(numbers[i] * 2, i % 4 + 1, numbers) + inner_of(numbers[next] * 2, next % 4 + 1, numbers) + i * 5;
  }
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), numbers.data(), n * sizeof(int)));
  Buffer<int> out(n), seen(2 * n);
  printf("seen: %p\n", (void *)seen.data);
  fflush(stdout);
  inlined<<<1, n>>>(out.data, seen.data);
  HIP(hipDeviceSynchronize());
  return report("inlined", out.get(), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
