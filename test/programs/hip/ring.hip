// A job for sessions: each rank computes on its GPU, and passes the result to the next one.
// ring [WHAT RANK]: rank RANK crashes, exits, aborts or hangs after the first round.
#include "check.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <unistd.h>

__global__ void scale(int *data, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = data[i] * factor;
  data[i] = value + 1; // in the kernel
}

static void misbehave(const char *what) {
  if (!strcmp(what, "crash"))
    *(volatile int *)nullptr = 1; // the crash
  if (!strcmp(what, "exit"))
    exit(3);
  if (!strcmp(what, "hang"))
    for (;;)
      sleep(1);
}

static int compute(int *device, int rank) {
  scale<<<2, 64>>>(device, rank + 1);
  HIP(hipDeviceSynchronize());
  int result = 0;
  HIP(hipMemcpy(&result, device + 5, sizeof(result), hipMemcpyDeviceToHost));
  return result;
}

int main(int count, char **arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int host[128];
  for (int i = 0; i < 128; ++i)
    host[i] = i;
  int *device = nullptr;
  HIP(hipMalloc(&device, sizeof(host)));
  HIP(hipMemcpy(device, host, sizeof(host), hipMemcpyHostToDevice));
  int result = compute(device, rank); // the first round
  if (count > 2 && rank == atoi(arguments[2]))
    misbehave(arguments[1]);
  int sum = 0;
  MPI_Allreduce(&result, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); // all ranks
  printf("rank %d of %d: %d, sum %d\n", rank, size, result, sum);
  fflush(stdout);
  HIP(hipFree(device));
  MPI_Finalize();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
