// Functions of HIP that are newer than 5.2. Headers of HIP 5 don't declare them; "legacy" is what 5.2 has, too.
#include "check.h"
#include <cstring>
#include <string>

#if HIP_VERSION_MAJOR < 7
enum { hipLaunchAttributeCooperative = 2 };
struct hipLaunchAttribute {
  int id, padding;
  union {
    char pad[64];
    int cooperative;
  } val;
};
struct hipLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  hipStream_t stream;
  hipLaunchAttribute *attrs;
  unsigned numAttrs;
};
struct HIP_LAUNCH_CONFIG {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  hipStream_t hStream;
  hipLaunchAttribute *attrs;
  unsigned numAttrs;
};
enum hipDriverProcAddressQueryResult { HIP_GET_PROC_ADDRESS_SUCCESS, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND };
extern "C" {
hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *, const void *, void **);
hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *, hipFunction_t, void **, void **);
hipError_t hipGetProcAddress(const char *, void **, int, uint64_t, hipDriverProcAddressQueryResult *);
hipError_t hipGetFuncBySymbol(hipFunction_t *, const void *);
hipError_t hipStreamGetDevice(hipStream_t, int *);
hipError_t hipDrvGetErrorName(hipError_t, const char **);
hipError_t hipDrvGetErrorString(hipError_t, const char **);
hipError_t hipMemsetD2D16(hipDeviceptr_t, size_t, unsigned short, size_t, size_t);
hipError_t hipMemsetD2D32(hipDeviceptr_t, size_t, unsigned, size_t, size_t);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, hipStream_t, void **);
}
#endif
#if HIP_VERSION_MAJOR < 6
extern "C" hipError_t hipExtModuleLaunchKernel(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t, void **, void **,
                                               hipEvent_t, hipEvent_t, uint32_t);
#else
#include <hip/hip_ext.h>
#endif

__global__ void fill(int *data, int value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = value + blockIdx.x * 1000 + threadIdx.x;
}

static int bad;
static void check(const char *name, bool good) {
  printf("%s: %s\n", name, good ? "PASSED" : "FAILED");
  bad += !good;
}

// What fill(value) leaves, in two blocks of 64.
static bool filled(Buffer<int> &out, int value) {
  HIP(hipDeviceSynchronize());
  std::vector<int> got = out.get();
  for (int i = 0; i < 128; ++i)
    if (got[i] != value + i / 64 * 1000 + i % 64)
      return false;
  return true;
}

int main() {
  Buffer<int> out(128);
  int *data = out.data, value = 0;
  void *arguments[] = {&data, &value};
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));

  value = 1;
  hipLaunchConfig_t config = {dim3(2), dim3(64), 0, stream, nullptr, 0};
  HIP(hipLaunchKernelExC(&config, (const void *)fill, arguments));
  check("hipLaunchKernelExC", filled(out, 1));

  value = 2;
  hipLaunchAttribute attribute = {};
  attribute.id = hipLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  HIP(hipLaunchKernelExC(&config, (const void *)fill, arguments));
  check("cooperative", filled(out, 2));

  hipFunction_t function;
  HIP(hipGetFuncBySymbol(&function, (const void *)fill));
  value = 3;
  HIP_LAUNCH_CONFIG plain = {2, 1, 1, 64, 1, 1, 0, stream, nullptr, 0};
  HIP(hipDrvLaunchKernelEx(&plain, function, arguments, nullptr));
  check("hipDrvLaunchKernelEx", filled(out, 3));

  value = 4;
  hipEvent_t start, stop;
  HIP(hipEventCreate(&start));
  HIP(hipEventCreate(&stop));
  HIP(hipExtModuleLaunchKernel(function, 128, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr, start, stop, 0));
  check("hipExtModuleLaunchKernel", filled(out, 4) && hipEventQuery(stop) == hipSuccess);

  value = 5;
  HIP(hipModuleLaunchCooperativeKernel(function, 2, 1, 1, 64, 1, 1, 0, stream, arguments));
  check("hipModuleLaunchCooperativeKernel", filled(out, 5));

  int device = -1;
  HIP(hipStreamGetDevice(stream, &device));
  check("hipStreamGetDevice", device == 0);

  const char *text = nullptr;
  HIP(hipDrvGetErrorName(hipErrorInvalidValue, &text));
  check("hipDrvGetErrorName", !strcmp(text, "hipErrorInvalidValue"));
  HIP(hipDrvGetErrorString(hipErrorInvalidValue, &text));
  check("hipDrvGetErrorString", !strcmp(text, hipGetErrorString(hipErrorInvalidValue)));
  check("no such error", hipDrvGetErrorName(hipError_t(12345), &text) == hipErrorInvalidValue);
  (void)hipGetLastError();

  // Rows of 5 of 8 elements of 16 bits, 3 of 4 rows.
  Buffer<unsigned short> halves(std::vector<unsigned short>(32, 9));
  HIP(hipMemsetD2D16(hipDeviceptr_t(halves.data), 16, 0x1234, 5, 3));
  HIP(hipDeviceSynchronize());
  std::vector<unsigned short> rows = halves.get();
  bool good = true;
  for (int i = 0; i < 32; ++i)
    good &= rows[i] == (i % 8 < 5 && i / 8 < 3 ? 0x1234 : 9);
  check("hipMemsetD2D16", good);

  // Two slices of 2 of 4 rows each: between them are rows that stay.
  Buffer<unsigned char> bytes(std::vector<unsigned char>(64, 1));
  HIP(hipMemset3D(make_hipPitchedPtr(bytes.data, 8, 8, 4), 7, make_hipExtent(6, 2, 2)));
  HIP(hipDeviceSynchronize());
  std::vector<unsigned char> slices = bytes.get();
  good = true;
  for (int i = 0; i < 64; ++i)
    good &= slices[i] == (i % 8 < 6 && i / 8 % 4 < 2 ? 7 : 1);
  check("hipMemset3D", good);

  void *found = nullptr;
  hipDriverProcAddressQueryResult result;
  HIP(hipGetProcAddress("hipMalloc", &found, 600, 0, &result));
  int *other = nullptr;
  check("hipGetProcAddress", found && result == HIP_GET_PROC_ADDRESS_SUCCESS &&
                                 ((hipError_t(*)(void **, size_t))found)((void **)&other, 4) == hipSuccess && hipFree(other) == hipSuccess);
  (void)hipGetProcAddress("hipNothing", &found, 600, 0, &result);
  check("no such function", !found);
  printf("newer: %s\n", bad ? "FAILED" : "PASSED");
  return bad != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
