// Kernels with a mistake of synchronisation each, and the same without ("clean").
#include "check.h"

#include <cstring>

__global__ void half(int *out, int bad) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  tile[i] = i;
  if (i % 32 < 16 || !bad)
    __syncthreads(); // LINE: half
  out[i] = tile[63 - i];
}

__global__ void returns(int *out, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  __syncthreads();
  out[i] = i;
}

__global__ void elsewhere(int *out, int bad) {
  if (bad && threadIdx.x >= 64) {
    __syncthreads(); // LINE: elsewhere
    out[threadIdx.x] = 1;
  } else {
    __syncthreads(); // LINE: there
    out[threadIdx.x] = 2;
  }
}

__global__ void flag(volatile int *out, int bad) {
  if (!bad)
    out[0] = 1;
  while (out[0] == 0) // LINE: flag
    ;
  out[1] = 2;
}

// Every lane of a wave wants the lock, and the one that has it waits for the others.
__global__ void lock(int *out, int bad) {
  if (bad) {
    while (atomicCAS(out, 0, 1) != 0) // LINE: lock
      ;
    out[1]++;
    atomicExch(out, 0);
  } else {
    for (int lane = 0; lane < 64; ++lane)
      if (threadIdx.x == lane) {
        while (atomicCAS(out, 0, 1) != 0)
          ;
        out[1]++;
        atomicExch(out, 0);
      }
  }
}

// More workgroups than the GPU holds wait for each other.
__global__ void grid(int *out, int groups) {
  __shared__ int room[16000];
  room[threadIdx.x] = threadIdx.x;
  atomicAdd(out, 1);
  while (atomicAdd(out, 0) < groups * 64) // LINE: grid
    ;
  out[1] = room[groups];
}

__global__ void waves(int *out, int bad) {
  __shared__ volatile int turn;
  if (threadIdx.x == 0)
    turn = 0;
  __syncthreads();
  if (threadIdx.x < 64) {
    while (turn == 0) // LINE: waves
      ;
  } else if (!bad) {
    turn = 1;
  }
  __syncthreads(); // LINE: barrier
  out[threadIdx.x] = turn;
}

__global__ void counts(int *out, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (sum ^ i) * 3 + out[i & 31];
  out[threadIdx.x + 32] = sum;
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "half";
  const int bad = count < 3 || strcmp(arguments[2], "clean") != 0;
  int *out = nullptr;
  HIP(hipMalloc(&out, 4096));
  HIP(hipMemset(out, 0, 4096));
  if (!strcmp(what, "half"))
    half<<<1, 64>>>(out, bad);
  else if (!strcmp(what, "returns"))
    returns<<<1, 256>>>(out, 40);
  else if (!strcmp(what, "elsewhere"))
    elsewhere<<<1, 128>>>(out, bad);
  else if (!strcmp(what, "flag"))
    flag<<<1, 64>>>(out, bad);
  else if (!strcmp(what, "lock"))
    lock<<<1, 64>>>(out, bad);
  else if (!strcmp(what, "grid"))
    grid<<<bad ? 64 : 2, 64>>>(out, bad ? 64 : 2);
  else if (!strcmp(what, "waves"))
    waves<<<1, 128>>>(out, bad);
  else if (!strcmp(what, "counts"))
    counts<<<4, 64>>>(out, 200000);
  HIP(hipDeviceSynchronize());
  HIP(hipFree(out));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
