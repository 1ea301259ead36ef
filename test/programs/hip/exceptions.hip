// What the tests of exceptions in test/Shell/rocgdb look at, by the first argument. Tests find lines by their marks.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void empty() {}

/// Arithmetic that raises an exception in every fourth lane, where a debugger has
/// enabled it.
__global__ void arithmetic(float *out, int kind) {
  const bool raises = threadIdx.x % 4 == 1;
  volatile float a = 1, b = 1;
  volatile int whole = 1, part = 1;
  switch (raises ? kind : -1) {
  case 0: a = -1; break;
  case 1: a = 1e-40f; break;
  case 2: b = 0; break;
  case 3: a = 3e38f; b = 3e38f; break;
  case 4: a = 2e-38f; b = 2e-38f; break;
  case 5: a = 1.1f; b = 1.1f; break;
  case 6: part = 0; break;
  }
  __builtin_amdgcn_s_sleep(1); // enable
  float result = 0;
  if (kind == 0)
    result = __builtin_amdgcn_sqrtf(a); // kind 0
  else if (kind == 2)
    result = __builtin_amdgcn_rcpf(b);  // kind 2
  else if (kind == 6)
    result = whole / part;              // kind 6
  else
    result = a * b;                     // kind 1 3 4 5
  out[threadIdx.x] = result;
}
/// Beyond the workgroup's local memory, by ds_* instructions.
__global__ void local(int *out, unsigned at) {
  __shared__ int buffer[64];
  auto *beyond = (__attribute__((address_space(3))) volatile int *)buffer + at;
  buffer[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x % 16 == 3)
    beyond[threadIdx.x] = 77; // store
  __syncthreads();
  out[threadIdx.x] = -1;
  if (threadIdx.x % 16 == 3)
    out[threadIdx.x] = beyond[threadIdx.x]; // load
}

/// The same by a flat instruction, to which such an address is one of nowhere.
__global__ void generic(int *out, unsigned at) {
  __shared__ int buffer[64];
  int *volatile anywhere = buffer;
  if (threadIdx.x == 5)
    anywhere[at] = 77; // generic
  out[threadIdx.x] = threadIdx.x;
}


struct Bytes {
  alignas(8) unsigned char array[8];
};
__device__ Bytes global = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};

/// The same bytes in each kind of memory, read by words that aren't aligned.
__global__ void unaligned(int *out) {
  __shared__ Bytes shared;
  Bytes own = global;
  shared = global;
  unsigned char *from[] = {own.array, shared.array, global.array};
  __syncthreads();
  if (threadIdx.x < 3)
    out[threadIdx.x + 1] = *(int *)(from[threadIdx.x] + 3); // bytes
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  hipError_t error = hipSuccess;
  if (!strcmp(what, "errors")) {
    error = hipSetDevice(87654321); // device
    error = hipGetDevice(nullptr);  // value
    empty<<<1, 100000>>>();         // launch
    error = hipGetLastError();
    printf("%s: %d\n", what, error); // errors
    return 0;
  }
  int *out, values[64];
  if (hipMalloc((void **)&out, sizeof(values)) != hipSuccess)
    return 1;
  if (!strcmp(what, "arithmetic"))
    arithmetic<<<1, 64>>>((float *)out, argc > 2 ? atoi(argv[2]) : 0);
  else if (!strcmp(what, "unaligned"))
    unaligned<<<1, 64>>>(out);
  else if (!strcmp(what, "local"))
    local<<<1, 64>>>(out, 16000);
  else if (!strcmp(what, "generic"))
    generic<<<1, 64>>>(out, 16000);
  error = hipDeviceSynchronize();
  if (error == hipSuccess && hipMemcpy(values, out, sizeof(values), hipMemcpyDeviceToHost) == hipSuccess)
    printf("%s: %x %x\n", what, values[2], values[3]);
  printf("%s: %s\n", what, hipGetErrorString(error));
  return error == hipSuccess ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
