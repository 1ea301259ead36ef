// The kernels that peers.py executes in several simulators; as OpenCL, those without matrices.
// As a HIP program: usage: peers KERNEL ROUNDS. It prints the seconds of the shortest of three turns, and a sum of the results.
#ifdef __OPENCL_VERSION__
#define KERNEL kernel void
#define GLOBAL global
#define ITEM get_global_id(0)
#else
#include <hip/hip_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define ITEM (blockIdx.x * blockDim.x + threadIdx.x)
#endif

// The loops of loops.hip, which write elsewhere than they read: simulators execute waves in different orders.
KERNEL integers(GLOBAL int *out, GLOBAL int *data, int n, int rounds) {
  int i = ITEM, value = i;
  for (int k = 0; k < rounds; ++k)
    value = value * 1664525 + 1013904223;
  out[i] = value;
}

KERNEL memory(GLOBAL int *out, GLOBAL int *data, int n, int rounds) {
  int i = ITEM, value = i;
  for (int k = 0; k < rounds; ++k)
    value += data[(i + k * 64) % n];
  out[i] = value;
}

KERNEL floats(GLOBAL int *out, GLOBAL int *data, int n, int rounds) {
  int i = ITEM;
  float number = i;
  for (int k = 0; k < rounds; ++k)
    number = number * 0.5f + k;
  out[i] = (int)number;
}

#ifndef __OPENCL_VERSION__
// Elements are -1, 0 and 1, so that no order of additions rounds.
__device__ static int element(int row, int k, int wave) { return (row * 5 + k * 3 + wave) % 3 - 1; }

// A round is one matrix instruction of each wave.
KERNEL matrices(float *out, int *data, int n, int rounds) {
#ifdef __HIP_DEVICE_COMPILE__
  typedef _Float16 Halves __attribute__((ext_vector_type(16)));
  typedef float Floats __attribute__((ext_vector_type(8)));
  const int lane = threadIdx.x;
  Halves a, b;
  for (int k = 0; k < 16; ++k) {
    a[k] = (_Float16)element(lane % 16, k, blockIdx.x);
    b[k] = (_Float16)element(lane % 16, k, blockIdx.x + 1);
  }
  Floats c = {};
  for (int round = 0; round < rounds; round += 4) {
    c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);
    c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(b, a, c);
    c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, a, c);
    c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(b, b, c);
  }
  for (int i = 0; i < 8; ++i)
    out[blockIdx.x * 256 + i * 32 + lane] = c[i];
#endif
}

static double seconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void need(hipError_t error) {
  if (error == hipSuccess)
    return;
  fprintf(stderr, "%s\n", hipGetErrorString(error));
  exit(1);
}

int main(int count, char **arguments) {
  if (count != 3)
    return 2;
  const std::string kernel = arguments[1];
  const int rounds = atoi(arguments[2]), n = 1024;
  const bool matrix = kernel == "matrices";
  const int groups = matrix ? 64 : 4, lanes = matrix ? 32 : 256, words = matrix ? groups * 256 : n;
  std::vector<int> start(n), result(words);
  for (int i = 0; i < n; ++i)
    start[i] = i * 7;
  int *out, *data;
  need(hipMalloc((void **)&out, words * 4));
  need(hipMalloc((void **)&data, n * 4));
  need(hipMemcpy(data, start.data(), n * 4, hipMemcpyHostToDevice));
  const auto launch = [&](int rounds) {
    const double begin = seconds();
    if (kernel == "integers")
      integers<<<groups, lanes>>>(out, data, n, rounds);
    else if (kernel == "memory")
      memory<<<groups, lanes>>>(out, data, n, rounds);
    else if (kernel == "floats")
      floats<<<groups, lanes>>>(out, data, n, rounds);
    else
      matrices<<<groups, lanes>>>((float *)out, data, n, rounds);
    need(hipDeviceSynchronize());
    return seconds() - begin;
  };
  launch(100);
  double best = 1e9;
  for (int turn = 0; turn < 3; ++turn) {
    const double took = launch(rounds);
    best = took < best ? took : best;
  }
  need(hipMemcpy(result.data(), out, words * 4, hipMemcpyDeviceToHost));
  uint32_t sum = 0;
  for (int word : result)
    sum = sum * 31 + uint32_t(word);
  printf("%.6f %u\n", best, sum);
}
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
