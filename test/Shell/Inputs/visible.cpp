// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which GPUs HIP shows.
#define __HIP_PLATFORM_AMD__ 1
#include <cstdio>
#include <hip/hip_runtime_api.h>

int main() {
  int count = -1;
  const hipError_t error = hipGetDeviceCount(&count);
  printf("%d %s", count, hipGetErrorName(error));
  for (int i = 0; i < count; ++i) {
    hipDeviceProp_t properties;
    char bus[32] = "";
    if (hipGetDeviceProperties(&properties, i) || hipDeviceGetPCIBusId(bus, sizeof(bus), i))
      return 1;
    printf(", %.*s at %d (%s)", int(sizeof("gfx1030") - 1), properties.gcnArchName, properties.pciBusID, bus);
  }
  puts("");
}
