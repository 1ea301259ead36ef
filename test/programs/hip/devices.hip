// Several devices at once: each runs its own code on its own streams, sees the memory
// of the others, and has its own variables.
#include "check.h"
#include <cstring>
#include <thread>

__device__ int counter = 5;

__global__ void work(int *data, int n, int add) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = data[i] * 3 + add;
  if (i == 0)
    atomicAdd(&counter, add);
}

int main() {
  int count = 0, bad = 0;
  HIP(hipGetDeviceCount(&count));
  printf("%d devices\n", count);
  const int n = 300;
  std::vector<int> start(n);
  for (int i = 0; i < n; ++i)
    start[i] = i;
  Buffer<int> shared(start);
  for (int d = 0; d < count; ++d) {
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, d));
    printf("%d: %s, warp size %d, compute capability %d.%d, bus %d\n", d,
           properties.gcnArchName, properties.warpSize, properties.major, properties.minor,
           properties.pciBusID);
    HIP(hipSetDevice(d));
    int now = -1;
    HIP(hipGetDevice(&now));
    bad += now != d;
    if (d)
      HIP(hipDeviceEnablePeerAccess(0, 0));
    // On a stream of this device, in memory that another device has allocated.
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    work<<<(n + 127) / 128, 128, 0, stream>>>(shared.data, n, d + 1);
    HIP(hipGetLastError());
    HIP(hipStreamSynchronize(stream));
    HIP(hipStreamDestroy(stream));
  }
  std::vector<int> want = start;
  for (int d = 0; d < count; ++d)
    for (int &w : want)
      w = w * 3 + d + 1;
  bad += report("shared", shared.get(), want);
  for (int d = 0; d < count; ++d) {
    HIP(hipSetDevice(d));
    int value = 0;
    HIP(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), sizeof(value)));
    if (value != 5 + d + 1) {
      printf("device %d: counter %d\n", d, value);
      ++bad;
    }
  }
  // All at once, from a thread each: the choice of a device is the thread's own.
  std::vector<std::thread> threads;
  std::vector<int> failures(count);
  for (int d = 0; d < count; ++d)
    threads.emplace_back([&, d] {
      HIP(hipSetDevice(d));
      Buffer<int> own(start);
      for (int k = 0; k < 5; ++k)
        work<<<(n + 63) / 64, 64>>>(own.data, n, k);
      HIP(hipDeviceSynchronize());
      std::vector<int> expect = start;
      for (int k = 0; k < 5; ++k)
        for (int &w : expect)
          w = w * 3 + k;
      failures[d] = own.get() != expect;
    });
  for (std::thread &t : threads)
    t.join();
  for (int f : failures)
    bad += f;
  int can = -1;
  if (count > 1) {
    HIP(hipDeviceCanAccessPeer(&can, 0, 1));
    bad += can != 1;
  }
  bad += hipSetDevice(count) != hipErrorInvalidDevice;
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
