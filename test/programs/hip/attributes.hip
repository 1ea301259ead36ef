// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a runtime says of a device and of the errors of calls.
#include "check.h"

__global__ void kernel() {}

int main() {
#define ATTRIBUTE(NAME)                                                                                                       \
  {                                                                                                                           \
    int value = -1;                                                                                                           \
    const hipError_t error = hipDeviceGetAttribute(&value, hipDeviceAttribute##NAME, 0);                                      \
    printf(#NAME ": %d %d\n", error, value);                                                                                  \
  }
  ATTRIBUTE(AsicRevision)
  ATTRIBUTE(CanMapHostMemory)
  ATTRIBUTE(ClockRate)
  ATTRIBUTE(ComputeCapabilityMajor)
  ATTRIBUTE(ComputeCapabilityMinor)
  ATTRIBUTE(ConcurrentKernels)
  ATTRIBUTE(ConcurrentManagedAccess)
  ATTRIBUTE(CooperativeLaunch)
  ATTRIBUTE(CooperativeMultiDeviceLaunch)
  ATTRIBUTE(EccEnabled)
  ATTRIBUTE(FineGrainSupport)
  ATTRIBUTE(Integrated)
  ATTRIBUTE(L2CacheSize)
  ATTRIBUTE(ManagedMemory)
  ATTRIBUTE(MaxBlockDimX)
  ATTRIBUTE(MaxBlockDimY)
  ATTRIBUTE(MaxBlockDimZ)
  ATTRIBUTE(MaxGridDimX)
  ATTRIBUTE(MaxPitch)
  ATTRIBUTE(MaxRegistersPerBlock)
  ATTRIBUTE(MaxSharedMemoryPerBlock)
  ATTRIBUTE(MaxThreadsPerBlock)
  ATTRIBUTE(MaxThreadsPerMultiProcessor)
  ATTRIBUTE(MemoryBusWidth)
  ATTRIBUTE(MemoryClockRate)
  ATTRIBUTE(MultiprocessorCount)
  ATTRIBUTE(PageableMemoryAccess)
  ATTRIBUTE(PciBusId)
  ATTRIBUTE(PciDeviceId)
  ATTRIBUTE(PhysicalMultiProcessorCount)
  ATTRIBUTE(TotalConstantMemory)
  ATTRIBUTE(WarpSize)
  size_t free = 0, total = 0;
  HIP(hipMemGetInfo(&free, &total));
  printf("memory: %zu\n", total);

  // The last error is that of the last call.
  int device = 0;
  (void)hipSetDevice(99);
  printf("error: %d\n", hipGetLastError());
  (void)hipSetDevice(99);
  (void)hipGetDevice(&device);
  printf("after another call: %d\n", hipGetLastError());
  kernel<<<1, 100000>>>();
  printf("a launch: %d\n", hipGetLastError());
  kernel<<<1, 100000>>>();
  (void)hipDeviceSynchronize();
  printf("after waiting: %d\n", hipGetLastError());
  (void)hipSetDevice(99);
  kernel<<<1, 1>>>();
  printf("after a launch: %d\n", hipGetLastError());
  return 0;
}
