// Values that other waves have stored: of the same kernel, and of an earlier
// one.
#include "check.h"

__global__ void squares(int *x) {
  int square = threadIdx.x * threadIdx.x;
  x[threadIdx.x] = square; // squared
}

__global__ void total(const int *x, const int *copied, int *out) {
  __shared__ int sum;
  int i = threadIdx.x;
  if (i == 0)
    sum = 0;
  __syncthreads();
  atomicAdd(&sum, x[i]); // added
  __syncthreads();
  int far = x[i ^ 100];
  int other = copied[i];
  if (i < 64)
    out[i] = sum + far + other; // end
}

int main() {
  Buffer<int> x(std::vector<int>(128, 1)), copied(std::vector<int>(128, 2)),
      out(std::vector<int>(64, 0));
  squares<<<1, 128>>>(x.data);
  total<<<1, 128>>>(x.data, copied.data, out.data);
  HIP(hipDeviceSynchronize());
  printf("%d\n", out.get()[3]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
