// Ends while a kernel still runs, and the kernel then fails. Arguments: how the program ends, and how the kernel does.
#include "check.h"
#include <csignal>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

__global__ void late(int *out, int rounds, int way) {
  int t = threadIdx.x;
  for (int i = 0; i < rounds; ++i)
    out[t] += i;
  out[64] = 1; // near
  if (way == 1)
    *(int *)64 = t; // fault
  if (way == 2)
    __builtin_trap(); // trap
  out[t] = 1;         // last
}

int main(int count, char **arguments) {
  const char *end = count > 1 ? arguments[1] : "exit", *way = count > 2 ? arguments[2] : "fault";
  signal(SIGUSR1, [](int) { _exit(5); });
  int *out;
  HIP(hipHostMalloc((void **)&out, 65 * sizeof(int), 0));
  out[64] = 0;
  late<<<1, 64>>>(out, strcmp(way, "endless") ? 20000 : 2000000000, strcmp(way, "fault") ? strcmp(way, "trap") ? 0 : 2 : 1);
  printf("the end\n");
  fflush(stdout);
  if (!strcmp(end, "_exit"))
    _exit(3);
  if (!strcmp(end, "quick"))
    quick_exit(3);
  // While the debugger shows what has happened to the kernel.
  if (!strcmp(end, "raw")) {
    while (!*(volatile int *)(out + 64))
      ;
    usleep(1000); // ends
    syscall(SYS_exit_group, 3);
  }
  if (!strcmp(end, "signal"))
    raise(SIGUSR1);
  return 3;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
