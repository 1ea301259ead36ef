// A job for sessions: kernels wait for flags in memory that ranks share.
// flags FILE [hang]: rank 0's kernel waits for rank 1's host, and rank 1's for rank 0's; with "hang", both for ever.
// Without FILE, each waits for itself. With HSA_XNACK, the GPU has the host's addresses.
#include "check.h"
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

__global__ void await(volatile int *flag) {
  while (*flag == 0) // until another rank sets it
    ;
}

__global__ void poll(int *flag, int *turns) {
  int count = 0;
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) // counts its turns
    ++count;
  *turns = count;
}

/// The shared file, for the host and the GPU.
static volatile int *share(const char *path, int **device) {
  int file = open(path, O_RDWR);
  void *host = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file < 0 || host == MAP_FAILED) {
    perror(path);
    exit(1);
  }
  *device = (int *)host;
  if (!getenv("HSA_XNACK")) {
    HIP(hipHostRegister(host, 4096, hipHostRegisterMapped));
    HIP(hipHostGetDevicePointer((void **)device, host, 0));
  }
  return (int *)host;
}

int main(int count, char **arguments) {
  const int rank = atoi(getenv("OMPI_COMM_WORLD_RANK"));
  const bool hangs = count > 2 && !strcmp(arguments[2], "hang");
  int *own, *device = nullptr;
  HIP(hipHostMalloc((void **)&own, 4096, hipHostMallocMapped));
  own[0] = 0;
  if (rank == 2 || !strcmp(arguments[1], "")) {
    if (!hangs)
      own[0] = 1;
    await<<<12, 64>>>(own);
    HIP(hipDeviceSynchronize());
  } else {
    volatile int *host = share(arguments[1], &device);
    if (rank == 1 && !hangs)
      host[0] = 1;
    if (rank == 0)
      await<<<1, 64>>>(device);
    else
      poll<<<1, 64>>>(device + 16, own);
    HIP(hipDeviceSynchronize());
    if (rank == 0)
      host[16] = 1;
  }
  printf("rank %d is done\n", rank);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
