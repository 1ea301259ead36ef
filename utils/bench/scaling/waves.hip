// Waves in workgroups of 16, all resident at once, on all GPUs together; the first argument
// is their number. The first wave passes a line again and again while the others wait, most
// of them at their workgroup's barrier. With "locals" as the second argument, one wave has
// a hundred variables; with "alike", all waves loop in one function, on one GPU.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// A kernel with few registers, so many waves fit a SIMD.
#define ALL_RESIDENT __launch_bounds__(1024) __attribute__((amdgpu_waves_per_eu(8)))

__global__ ALL_RESIDENT void rounds(unsigned *arrived, unsigned waves, bool with_first) {
  if (threadIdx.x % 64 == 0)
    atomicAdd(arrived, 1u);
  if (threadIdx.x < 64) {
    while (__hip_atomic_load(arrived, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) < waves)
      __builtin_amdgcn_s_sleep(100);
    while (!with_first || blockIdx.x > 0)
      __builtin_amdgcn_s_sleep(100);
    for (unsigned round = 0; arrived[0]; ++round) {
      unsigned lane = threadIdx.x + round; // stop here
      arrived[1 + lane % 16] = round;
    }
  }
  __syncthreads();
}

// All waves of it are in one function.
__global__ ALL_RESIDENT void alike(unsigned *arrived, unsigned waves) {
  const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned count = 1 + atomicAdd(arrived, threadIdx.x % 64 == 0);
  while (count < waves)
    count = __hip_atomic_load(arrived, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  for (unsigned round = 0; arrived[0]; ++round)
    if (item == 0)
      arrived[1] = round; // all alike
}

#define ONE(n) int v##n = int(threadIdx.x) * 1##n;
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED TEN(0) TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)

__global__ void locals(unsigned *out) {
  HUNDRED
  out[threadIdx.x % 16] = v00 + v99; // all set
}

/// Since HIP 5.4; 0 is the stack's size.
extern "C" __attribute__((weak)) hipError_t hipDeviceSetLimit(int limit, size_t value);

static unsigned *check(hipError_t error, unsigned *result) {
  if (error == hipSuccess)
    return result;
  fprintf(stderr, "%s\n", hipGetErrorString(error));
  exit(1);
}

int main(int argc, char **argv) {
  const unsigned waves = argc > 1 ? strtoul(argv[1], nullptr, 0) : 1;
  unsigned *arrived = nullptr;
  // The usual stack of so many lanes would be more than GPUs have.
  if (hipDeviceSetLimit)
    (void)hipDeviceSetLimit(0, 1024);
  arrived = check(hipHostMalloc(reinterpret_cast<void **>(&arrived), 128), arrived);
  memset(arrived, 0, 128);
  if (argc > 2 && !strcmp(argv[2], "alike")) {
    alike<<<(waves + 15) / 16, 1024>>>(arrived, waves);
    return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
  }
  if (argc > 2 && !strcmp(argv[2], "locals")) {
    locals<<<1, 64>>>(arrived);
    return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
  }
  int devices = 0;
  check(hipGetDeviceCount(&devices), arrived);
  const int groups = (waves + 15) / 16;
  for (int device = 0; device < devices; ++device) {
    const int share = groups / devices + (device < groups % devices);
    check(hipSetDevice(device), arrived);
    if (share)
      rounds<<<share, 1024>>>(arrived, groups * 16, device == 0);
  }
  for (int device = 0; device < devices; ++device) {
    check(hipSetDevice(device), arrived);
    check(hipDeviceSynchronize(), arrived);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
