// What daily use meets: HIP's headers in each line, lanes that end early or have no work-item, a kernel that hangs.
#include "check.h"
#include <cassert>
#include <cstdlib>
#include <cstring>

__global__ void spot(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; // in index
  int twice = i * 2;                             // after index
  if (i < n)
    out[i] = twice; // in store
}

__global__ void uneven(int *out) {
  int i = threadIdx.x; // in uneven
  if (i % 2 == 1)
    return;    // odd ends
  out[i] = i;  // even goes on
  out[i] += 1; // even again
}

__global__ void hang(volatile int *go, int *out) {
  if (threadIdx.x < 64)
    while (*go == 0)
      __builtin_amdgcn_s_sleep(1); // spins
  __syncthreads();                 // meets
  out[threadIdx.x] = threadIdx.x;
}

__global__ void turn(volatile int *go, int *out) {
  while (*go == 0)
    out[threadIdx.x] += 1; // turns
  out[0] = 0;              // out of it
}

__global__ void refuse(const int *in) {
  assert(in[threadIdx.x] == 0); // asserts
}

struct Later {
  // Code of the host behind the kernels.
  int get() { return value; }
  int value = 3;
};

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  const char *word = getenv("DAILY");
  printf("mode '%s', DAILY=%s\n", mode, word ? word : "");
  fflush(stdout);
  int *out, *go;
  HIP(hipMalloc((void **)&out, 256 * sizeof(int)));
  HIP(hipMemset(out, 0, 256 * sizeof(int)));
  HIP(hipHostMalloc((void **)&go, sizeof(int), 0));
  *go = 0;
  if (!strcmp(mode, "hang"))
    hang<<<1, 256>>>(go, out);
  if (!strcmp(mode, "turn"))
    turn<<<4, 64>>>(go, out);
  spot<<<2, 64>>>(out, 128);
  uneven<<<1, 40>>>(out);
  if (!strcmp(mode, "assert"))
    refuse<<<1, 64>>>(out + 1);
  HIP(hipDeviceSynchronize()); // host waits
  return Later().get() - 3;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
