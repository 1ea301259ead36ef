// Memory that the host changes itself between two kernels: managed and pinned.
#include "check.h"
#include <unistd.h>

__global__ void add(int *p, int n) {
  int i = threadIdx.x;
  int old = p[i];
  p[i] = old + n;
  old = 0; // stored
}

// The host answers while the kernel runs.
__global__ void wait(volatile int *flag, int *p) {
  int seen = 0;
  while (!seen)
    seen = flag[0];
  p[threadIdx.x] = seen; // answered
  p[0] = 7;
} // waited

int main(int argc, char **) {
  int *managed, *pinned;
  HIP(hipMallocManaged((void **)&managed, 64 * sizeof(int)));
  HIP(hipHostMalloc((void **)&pinned, 64 * sizeof(int)));
  for (int i = 0; i < 64; ++i)
    managed[i] = pinned[i] = i;
  if (argc > 1) {
    pinned[0] = 0;
    wait<<<1, 64>>>(pinned, managed);
    usleep(100000);
    *(volatile int *)pinned = 1;
    HIP(hipDeviceSynchronize());
    printf("%d %d\n", managed[0], managed[63]);
    return 0;
  }
  add<<<1, 64>>>(managed, 100);
  add<<<1, 64>>>(pinned, 200);
  HIP(hipDeviceSynchronize());
  managed[5] = 1000;
  pinned[5] = 2000;
  add<<<1, 64>>>(managed, 1);
  add<<<1, 64>>>(pinned, 2);
  HIP(hipDeviceSynchronize());
  printf("%d %d\n", managed[5], pinned[5]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
