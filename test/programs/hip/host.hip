// What a program asks of the runtime beside launches.
#include "check.h"
#include <cassert>
#include <cstring>

__device__ int counter = 5;
__constant__ int table[4];
__managed__ int shared_value = 7;
__managed__ int shared_row[2] = {3, 4};

__global__ void symbols(int *out) {
  out[0] = counter;
  out[1] = table[2];
  out[2] = shared_value++ + shared_row[0];
  shared_row[1] = 20;
  counter += 10;
}
__global__ void add(int *data, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += by;
}
__global__ void say(int n) {
  if (threadIdx.x % 32 == 0)
    printf("lane %d of %d says %s %.2f\n", int(threadIdx.x), n, "hello", n * 0.5);
}

int main() {
  int bad = 0, count = 0;
  HIP(hipGetDeviceCount(&count));
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  int warp = 0;
  HIP(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0));
  printf("device %s, warp size %d\n", properties.gcnArchName, properties.warpSize);
  bad += count < 1 || warp != properties.warpSize || strncmp(properties.gcnArchName, "gfx", 3) != 0;
  // Every attribute but those that are names, pointers or structures.
  int unknown = 0;
  for (int what = hipDeviceAttributeEccEnabled; what <= hipDeviceAttributeMemoryPoolsSupported; ++what)
    unknown += hipDeviceGetAttribute(&warp, hipDeviceAttribute_t(what), 0) != hipSuccess;
  for (int what = hipDeviceAttributeClockInstructionRate; what <= hipDeviceAttributeFineGrainSupport; ++what)
    unknown += hipDeviceGetAttribute(&warp, hipDeviceAttribute_t(what), 0) != hipSuccess;
  bad += report("attributes", std::vector<int>{unknown, hipGetLastError()}, std::vector<int>{7, hipSuccess});
  {
    const int values[4] = {1, 2, 33, 4};
    shared_row[0] = 30;
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), values, sizeof(values)));
    Buffer<int> out(3);
    symbols<<<1, 1>>>(out.data);
    HIP(hipDeviceSynchronize());
    bad += report("symbols", out.get(), std::vector<int>{5, 33, 37});
    int after = 0;
    HIP(hipMemcpyFromSymbol(&after, HIP_SYMBOL(counter), sizeof(after)));
    bad += report("after", std::vector<int>{after, shared_value, shared_row[1]}, std::vector<int>{15, 8, 20});
  }
  {
    hipStream_t stream;
    hipEvent_t begin, end;
    HIP(hipStreamCreate(&stream));
    HIP(hipEventCreate(&begin));
    HIP(hipEventCreate(&end));
    int *managed, *mapped, *device;
    HIP(hipMallocManaged((void **)&managed, 100 * sizeof(int)));
    HIP(hipHostMalloc((void **)&mapped, 100 * sizeof(int), hipHostMallocMapped));
    for (int i = 0; i < 100; ++i)
      managed[i] = mapped[i] = i;
    HIP(hipHostGetDevicePointer((void **)&device, mapped, 0));
    HIP(hipEventRecord(begin, stream));
    add<<<2, 64, 0, stream>>>(managed, 100, 1);
    add<<<2, 64, 0, stream>>>(device, 100, 2);
    HIP(hipEventRecord(end, stream));
    HIP(hipEventSynchronize(end));
    HIP(hipStreamSynchronize(stream));
    float ms = -1;
    HIP(hipEventElapsedTime(&ms, begin, end));
    bad += ms < 0;
    bad += report("managed", std::vector<int>{managed[0], managed[99]}, std::vector<int>{1, 100});
    bad += report("mapped", std::vector<int>{mapped[0], mapped[99]}, std::vector<int>{2, 101});
    HIP(hipFree(managed));
    HIP(hipHostFree(mapped));
    HIP(hipEventDestroy(begin));
    HIP(hipEventDestroy(end));
    HIP(hipStreamDestroy(stream));
  }
  say<<<1, 64>>>(64);
  HIP(hipDeviceSynchronize());
  // Errors are reported, then forgotten.
  bad += hipMalloc(nullptr, 4) == hipSuccess;
  bad += hipSetDevice(99) != hipErrorInvalidDevice;
  bad += hipGetLastError() != hipErrorInvalidDevice || hipGetLastError() != hipSuccess;
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
