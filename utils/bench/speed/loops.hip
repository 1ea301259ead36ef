// Loops as people write them, the same on the device and on the host. Usage: loops [ROUNDS [TURNS]]
// It prints the shortest time of three turns on the device and on the host; with TURNS, of so many on the device.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

// The host's loop is always built as at -O0.
#ifndef __HIP_DEVICE_COMPILE__
#pragma clang optimize off
#endif
template <int Kind> __host__ __device__ inline void body(int *data, int n, int i, int rounds) {
  int value = i;
  float number = i;
  for (int k = 0; k < rounds; ++k) {
    if (Kind == 0)
      value = value * 1664525 + 1013904223;
    else if (Kind == 1)
      value += data[(i + k * 64) % n];
    else
      number = number * 0.5f + k;
  }
  data[i] = Kind == 2 ? int(number) : value;
}
#ifndef __HIP_DEVICE_COMPILE__
#pragma clang optimize on
#endif
template <int Kind> __global__ void loop(int *data, int n, int rounds) {
  body<Kind>(data, n, blockIdx.x * blockDim.x + threadIdx.x, rounds);
}

static double seconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

template <int Kind> void measure(const char *name, int rounds, int turns) {
  const int lanes = 1024;
  int *data;
  if (hipMalloc((void **)&data, lanes * sizeof(int)) != hipSuccess)
    exit(1);
  (void)hipMemset(data, 0, lanes * sizeof(int));
  loop<Kind><<<lanes / 256, 256>>>(data, lanes, 100);
  (void)hipDeviceSynchronize();
  double best = 1e9, host = 1e9;
  const bool both = !turns;
  for (int turn = 0; turn < (both ? 3 : turns); ++turn) {
    (void)hipMemset(data, 0, lanes * sizeof(int));
    double begin = seconds();
    loop<Kind><<<lanes / 256, 256>>>(data, lanes, rounds);
    if (hipDeviceSynchronize() != hipSuccess)
      exit(1);
    double end = seconds();
    best = end - begin < best ? end - begin : best;
    if (!both)
      continue;
    std::vector<int> same(lanes), result(lanes);
    begin = seconds();
    for (int i = 0; i < lanes; ++i)
      body<Kind>(same.data(), lanes, i, rounds);
    end = seconds();
    host = end - begin < host ? end - begin : host;
    (void)hipMemcpy(result.data(), data, lanes * sizeof(int), hipMemcpyDeviceToHost);
    // In the loop over memory, what a lane reads depends on which lanes have already written.
    if (Kind != 1 && result != same) {
      fprintf(stderr, "%s: the device's results are not the host's\n", name);
      exit(1);
    }
  }
  printf("%s %.6f %.6f\n", name, best, both ? host : 0);
}

int main(int count, char **arguments) {
  const int rounds = count > 1 ? atoi(arguments[1]) : 20000, turns = count > 2 ? atoi(arguments[2]) : 0;
  measure<0>("integers", rounds, turns);
  measure<1>("memory", rounds, turns);
  measure<2>("floats", rounds, turns);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
