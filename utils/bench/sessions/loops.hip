// A compute-bound and a memory-bound loop, the same on the device and on the host.
#include <hip/hip_runtime.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

// The host's loop is always built as at -O0.
#ifndef __HIP_DEVICE_COMPILE__
#pragma clang optimize off
#endif
template <bool Memory> __host__ __device__ inline void work(int *data, int n, int i, int rounds) {
  int value = i;
  for (int k = 0; k < rounds; ++k) {
    if (Memory)
      value += data[(i + k * 64) % n];
    else
      value = value * 1664525 + 1013904223;
  }
  data[i] = value;
}
#ifndef __HIP_DEVICE_COMPILE__
#pragma clang optimize on
#endif
template <bool Memory> __global__ void loop(int *data, int n, int rounds) {
  work<Memory>(data, n, blockIdx.x * blockDim.x + threadIdx.x, rounds);
}

template <bool Memory> void measure(const char *name) {
  const int lanes = 1024, rounds = 20000, n = lanes;
  using Clock = std::chrono::steady_clock;
  auto seconds = [](Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); };
  int *data;
  if (hipMalloc((void **)&data, n * sizeof(int)) != hipSuccess)
    exit(1);
  (void)hipMemset(data, 0, n * sizeof(int));
  loop<Memory><<<lanes / 256, 256>>>(data, n, 1);
  (void)hipDeviceSynchronize();
  auto begin = Clock::now();
  loop<Memory><<<lanes / 256, 256>>>(data, n, rounds);
  if (hipDeviceSynchronize() != hipSuccess)
    exit(1);
  const double device = seconds(begin);
  std::vector<int> host(n);
  begin = Clock::now();
  for (int i = 0; i < lanes; ++i)
    work<Memory>(host.data(), n, i, rounds);
  const double on_host = seconds(begin);
  const double steps = double(lanes) * rounds;
  printf("%s: %.1f M loop rounds/s of a lane, %.2f M of a wave; the host's loop takes %.2f of the time\n", name,
         steps / device / 1e6, steps / 64 / device / 1e6, on_host / device);
}

int main() {
  measure<false>("compute-bound");
  measure<true>("memory-bound");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
