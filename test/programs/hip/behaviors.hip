// What the tests in test/Shell/rocgdb look at. Tests find lines by their marks.
#include "check.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unistd.h>

__device__ int counter = 40;
static __device__ int hidden = 7;

__device__ __attribute__((noinline)) int deep(int n) {
  if (n == 0)
    return 1; // bottom
  return deep(n - 1) + n;
}

__device__ __attribute__((noinline)) float first(float value) {
  float doubled = value * 2; // first
  return doubled;
}

__device__ __attribute__((noinline)) float second(float value) {
  float sum = first(value) + 1; // second
  return sum;
}

__global__ void functions(float *out) {
  float mine = threadIdx.x;
  out[threadIdx.x] = second(mine); // call
  out[64] = 1;                     // after
}

/// Called by the first 48 lanes; ten of them don't go into the branch.
__device__ __attribute__((noinline)) int choose(int n) {
  int result = n + 1;
  if (n > 9)
    result = n * 2; // many
  return result + 1000;
}

__global__ void choices(int *out) {
  int mine = threadIdx.x, got = -1;
  if (mine < 48)
    got = choose(mine);
  out[mine] = got; // chosen
}

__global__ void stack(int *out) { out[0] = deep(20); }

__global__ void memories(int *out) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[64];
  fixed[threadIdx.x] = threadIdx.x * 3;
  dynamic[threadIdx.x] = threadIdx.x * 5;
  int *generic = &fixed[threadIdx.x];
  int own = 11;
  int *mine = &own;
  int *nowhere = nullptr;
  __syncthreads();
  out[threadIdx.x] = *generic + dynamic[0] + *mine + counter + hidden + (nowhere == out); // store
}

__global__ void lanes(int *out) {
  int lane = threadIdx.x, value = 0;
  if (lane < 5)         // if
    value = lane + 100; // few
  for (int k = 0; k < lane % 3; ++k)
    value += k;
  out[lane] = value;    // joined
}

__global__ void waiting(volatile int *go) {
  while (*go == 0)
    __builtin_amdgcn_s_sleep(1);
}

__global__ void jump() { asm volatile("s_mov_b32 s4, 0x40\n s_mov_b32 s5, 0\n s_setpc_b64 s[4:5]" ::: "s4", "s5"); }

__global__ void ordered(int *out) {
  int mine = threadIdx.x;
  out[mine] = mine; // begin
  __syncthreads();  // barrier
  out[mine] += out[127 - mine]; // other
}

__device__ volatile int odds, evens;

__device__ __attribute__((noinline)) void odd(int lane) {
  odds = lane; // odd
}

__device__ __attribute__((noinline)) void even(int lane) {
  evens = lane; // even
}

/// Never ends.
__global__ void endless() {
  while (true)
    if (threadIdx.x & 1)
      odd(threadIdx.x);
    else
      even(threadIdx.x);
}

__global__ void rounds(int *out) {
  int mine = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 5; ++k)
    out[mine] += k; // round
}

/// Waits until there is a block of each device.
__global__ void meet(int *arrived, int devices, int *out) {
  int mine = threadIdx.x;
  if (mine == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < devices)
      __builtin_amdgcn_s_sleep(1);
  }
  out[mine] = mine; // met
}

__global__ void peer(const int *theirs, int *out) {
  int mine = threadIdx.x;
  out[mine] = theirs[mine] * 2; // across
}

/// Of the host, while it is busy.
volatile long turns;
volatile int leave;

/// The same kernel on all devices at once; or the second with the memory of the first.
static hipError_t onDevices(bool peers, int *first) {
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  std::vector<int> numbers(128);
  for (int i = 0; i < 128; ++i)
    numbers[i] = 100 + i;
  HIP(hipMemcpy(first, numbers.data(), 512, hipMemcpyHostToDevice));
  std::vector<int *> data(count);
  for (int d = 0; d < count; ++d) {
    HIP(hipSetDevice(d));
    HIP(hipMalloc(&data[d], 1024));
    if (d)
      HIP(hipDeviceEnablePeerAccess(0, 0));
    if (!peers) {
      meet<<<1, 64>>>(first + 200, count, data[d]);
    } else if (d) {
      peer<<<1, 64>>>(first, data[d]);
    }
  }
  for (int d = 0; d < count; ++d) {
    HIP(hipSetDevice(d));
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(numbers.data(), data[d], 256, hipMemcpyDeviceToHost));
    printf("device %d: %d %d\n", d, numbers[5], numbers[6]);
  }
  return hipSuccess;
}

__global__ void position(int *out) {
  out[threadIdx.x + 8 * (threadIdx.y + 4 * threadIdx.z)] = 1; // position
}

/// Loads a code object from memory, which is used for something else before the kernel runs.
static void snapshot(const char *file, int *out) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  hipModule_t module;
  hipFunction_t function;
  HIP(hipModuleLoadData(&module, bytes.data()));
  std::fill(bytes.begin(), bytes.end(), '\xff');
  HIP(hipModuleGetFunction(&function, module, "fill"));
  int n = 100, value = 7;
  void *arguments[] = {&out, &n, &value};
  HIP(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "functions";
  Buffer<int> out(256);
  HIP(hipMemset(out.data, 0, 1024));
  if (!strcmp(what, "functions"))
    functions<<<1, 64>>>(reinterpret_cast<float *>(out.data));
  else if (!strcmp(what, "choices"))
    choices<<<1, 64>>>(out.data);
  else if (!strcmp(what, "stack"))
    stack<<<1, 1>>>(out.data);
  else if (!strcmp(what, "memories"))
    memories<<<2, 64, 256>>>(out.data);
  else if (!strcmp(what, "lanes"))
    lanes<<<dim3(2, 1), 48>>>(out.data);
  else if (!strcmp(what, "position"))
    position<<<dim3(3, 2, 4), dim3(8, 4, 2)>>>(out.data);
  else if (!strcmp(what, "snapshot") && argc > 2)
    snapshot(argv[2], out.data);
  else if (!strcmp(what, "waiting"))
    waiting<<<2, 64>>>(out.data);
  else if (!strcmp(what, "jump"))
    jump<<<1, 64>>>();
  else if (!strcmp(what, "busy")) {
    waiting<<<2, 64>>>(out.data);
    while (!leave)
      turns = turns + 1; // busy
    return 0;
  } else if (!strcmp(what, "meeting"))
    endless<<<4, 4>>>();
  else if (!strcmp(what, "rounds"))
    rounds<<<4, 64>>>(out.data);
  else if (!strcmp(what, "both") || !strcmp(what, "peer"))
    return onDevices(!strcmp(what, "peer"), out.data);
  else if (!strcmp(what, "ordered"))
    ordered<<<1, 128>>>(out.data);
  hipError_t error = hipDeviceSynchronize();
  if (error == hipSuccess) {
    error = hipMemset(nullptr, 0, 4); // an error of HIP's
    error = hipSuccess;
  }
  printf("%s: %s\n", what, hipGetErrorString(error));
  if (!strcmp(what, "choices")) {
    std::vector<int> all = out.get();
    printf("%d %d %d %d\n", all[0], all[20], all[47], all[48]);
  }
  return error == hipSuccess ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
