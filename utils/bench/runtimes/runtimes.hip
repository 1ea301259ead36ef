// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls cost over a runtime: lines of "name milliseconds", the median of several calls.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

__global__ void nothing() {}

/// Spins for about \a ticks of the clock that counts in 10 ns.
__global__ void spin(long long ticks) {
  const unsigned long long end = __builtin_amdgcn_s_memrealtime() + ticks;
  while (__builtin_amdgcn_s_memrealtime() < end)
    ;
}

static double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static double cpu() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 + double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

template <typename F> static void measure(const char *name, unsigned times, F call) {
  std::vector<double> took(times);
  for (double &t : took) {
    const double begin = now();
    call();
    t = now() - begin;
  }
  std::sort(took.begin(), took.end());
  printf("%s %.3f\n", name, took[times / 2]);
}

int main() {
  std::vector<char> host(1 << 20);
  char *device = nullptr;
  measure("first-use", 1, [&] {
    hipMalloc(reinterpret_cast<void **>(&device), host.size());
    nothing<<<1, 64>>>();
    hipDeviceSynchronize();
  });
  measure("launch", 50, [] {
    nothing<<<1, 64>>>();
    hipDeviceSynchronize();
  });
  measure("copy-1MB-to-GPU", 20, [&] { hipMemcpy(device, host.data(), host.size(), hipMemcpyHostToDevice); });
  measure("copy-1MB-to-host", 20, [&] { hipMemcpy(host.data(), device, host.size(), hipMemcpyDeviceToHost); });
  measure("kernel-of-1ms", 20, [] {
    spin<<<1, 64>>>(100000);
    hipDeviceSynchronize();
  });
  measure("1000-kernels", 3, [] {
    for (int i = 0; i < 1000; ++i)
      nothing<<<1, 64>>>();
    hipDeviceSynchronize();
  });
  // What the program's threads cost while it does nothing for a second.
  const double before = cpu();
  sleep(1);
  printf("cpu-of-1s-idle %.3f\n", cpu() - before);
  fflush(stdout);
  getchar(); // runtimes.py looks at the device meanwhile
  return 0;
}
