// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects whose address is in a vector register: the result of `make`, which its caller has room for, and `moved` of `table`, which LLVM moves
// to local memory on gfx1100. clang 22 describes both as objects that are in the register.
#include <hip/hip_runtime.h>
struct Many {
  int first;
  float second;
  long rest[8];
};
struct Moved {
  int first;
  int second;
  float rest[9];
  int last;
};
__device__ __attribute__((noinline)) Many make(int i) {
  Many many;
  many.first = i * 3;
  many.second = i + 0.5f;
  for (int k = 0; k < 8; ++k)
    many.rest[k] = i * 10 + k;
  asm volatile("s_nop 1" ::: "memory"); // made
  return many;
}
__global__ void __launch_bounds__(64) table(int *out, const int *in, int n) {
  Moved moved;
  int i = threadIdx.x;
  moved.first = i * 7;
  moved.second = n;
  moved.last = 0;
  for (int k = 0; k < 9; ++k)
    moved.rest[k] = in[k] * i;
  for (int k = 0; k < n; ++k) {
    moved.rest[in[k]] += k;
    moved.last += moved.rest[in[k + 1]];
    asm volatile("s_nop 2" ::: "memory"); // summed
  }
  out[i] = moved.first + moved.second + moved.last;
}
__global__ void __launch_bounds__(64) made(int *out, int n) {
  Many many = make(threadIdx.x);
  many.rest[n] += n;
  out[threadIdx.x] = many.first + many.rest[n / 2];
}
int main() {
  int numbers[64], *in, *out;
  for (int k = 0; k < 64; ++k)
    numbers[k] = k % 9;
  (void)hipMalloc(&in, sizeof(numbers));
  (void)hipMalloc(&out, sizeof(numbers));
  (void)hipMemcpy(in, numbers, sizeof(numbers), hipMemcpyHostToDevice);
  table<<<1, 64>>>(out, in, 3);
  made<<<1, 64>>>(out, 4);
  return hipDeviceSynchronize() != hipSuccess;
}
