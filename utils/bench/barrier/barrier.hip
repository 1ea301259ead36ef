// Waves in workgroups of four, all resident at once, on all GPUs together; the first argument is their number. All
// stop in front of their workgroup's barrier.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// A kernel with few registers, so many waves fit a SIMD.
__global__ __launch_bounds__(256) __attribute__((amdgpu_waves_per_eu(8))) void barriers(unsigned *out, unsigned waves) {
  __shared__ unsigned tile[256];
  if (threadIdx.x % 64 == 0)
    atomicAdd(out + 16, 1u);
  while (__hip_atomic_load(out + 16, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) < waves)
    __builtin_amdgcn_s_sleep(100);
  unsigned sum = 0;
  for (unsigned round = 0; round < 16; ++round) {
    tile[threadIdx.x] = threadIdx.x + round; // all stop here
    __syncthreads();                         // barrier
    sum += tile[255 - threadIdx.x];          // behind
    __syncthreads();
  }
  out[threadIdx.x % 16] = sum;
}

/// Since HIP 5.4; 0 is the stack's size.
extern "C" __attribute__((weak)) hipError_t hipDeviceSetLimit(int limit, size_t value);

static void check(hipError_t error) {
  if (error == hipSuccess)
    return;
  fprintf(stderr, "%s\n", hipGetErrorString(error));
  exit(1);
}

int main(int argc, char **argv) {
  const unsigned waves = argc > 1 ? strtoul(argv[1], nullptr, 0) : 4;
  unsigned *out = nullptr;
  // The usual stack of so many lanes would be more than GPUs have.
  if (hipDeviceSetLimit)
    (void)hipDeviceSetLimit(0, 1024);
  check(hipHostMalloc(reinterpret_cast<void **>(&out), 128));
  memset(out, 0, 128);
  int devices = 0;
  check(hipGetDeviceCount(&devices));
  const int groups = (waves + 3) / 4;
  for (int device = 0; device < devices; ++device) {
    const int share = groups / devices + (device < groups % devices);
    check(hipSetDevice(device));
    if (share)
      barriers<<<share, 256>>>(out, groups * 4);
  }
  for (int device = 0; device < devices; ++device) {
    check(hipSetDevice(device));
    check(hipDeviceSynchronize());
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
