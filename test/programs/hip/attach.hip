// A program to be attached to: each line on its standard input lets it take a step.
#include "check.h"
#include <unistd.h>

__global__ void spin(volatile int *go, int *out) {
  int i = threadIdx.x;
  while (*go == 0)
    __builtin_amdgcn_s_sleep(1); // spinning
  out[i] = i * 3;                // released
}

static void step(const char *what) {
  char c;
  printf("%s\n", what);
  fflush(stdout);
  while (read(0, &c, 1) == 1 && c != '\n')
    ;
}

extern "C" int attach() {
  int *go, *out;
  HIP(hipHostMalloc((void **)&go, sizeof(int), 0));
  HIP(hipMalloc((void **)&out, 64 * sizeof(int)));
  *go = 0;
  spin<<<2, 64>>>(go, out);
  step("running");
  *(volatile int *)go = 1;
  HIP(hipDeviceSynchronize());
  int host[64];
  HIP(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost));
  printf("out[21] = %d\n", host[21]);
  return host[21] != 63;
}

#ifndef LIBRARY
int main() {
  step("started");
  return attach();
}
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
