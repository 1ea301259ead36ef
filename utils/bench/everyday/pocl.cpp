// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// usage: pocl KERNEL LAUNCHES KERNELS-FILE: the same as device.hip, by the
// first OpenCL device, which must use one thread.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "cases.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

static void check(cl_int E, const char *What) {
  if (E == CL_SUCCESS)
    return;
  fprintf(stderr, "%s: error %d\n", What, E);
  exit(1);
}

static double milliseconds() {
  timespec T;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &T);
  return double(T.tv_sec) * 1e3 + double(T.tv_nsec) * 1e-6;
}

int main(int Count, char **Arguments) {
  const Case *Found = Count == 4
                          ? std::find_if(std::begin(Cases), std::end(Cases),
                                         [&](const Case &C) {
                                           return !strcmp(C.Name, Arguments[1]);
                                         })
                          : nullptr;
  if (!Found || Found == std::end(Cases))
    return 2;
  std::ifstream File(Arguments[3]);
  const std::string Text((std::istreambuf_iterator<char>(File)),
                         std::istreambuf_iterator<char>());
  cl_platform_id Platform;
  cl_device_id Device;
  cl_int E = clGetPlatformIDs(1, &Platform, nullptr);
  check(E, "platform");
  check(clGetDeviceIDs(Platform, CL_DEVICE_TYPE_ALL, 1, &Device, nullptr),
        "device");
  cl_context Context =
      clCreateContext(nullptr, 1, &Device, nullptr, nullptr, &E);
  check(E, "context");
  cl_command_queue Queue = clCreateCommandQueue(Context, Device, 0, &E);
  check(E, "queue");
  const char *Source = Text.c_str();
  cl_program Program =
      clCreateProgramWithSource(Context, 1, &Source, nullptr, &E);
  check(E, "program");
  check(clBuildProgram(Program, 1, &Device, "", nullptr, nullptr), "build");
  cl_kernel Kernel = clCreateKernel(Program, Found->Name, &E);
  check(E, "kernel");
  cl_mem Memory[3];
  std::vector<uint32_t> Words[3];
  const cl_uint N = Found->N;
  check(clSetKernelArg(Kernel, 0, sizeof(N), &N), "argument");
  for (cl_uint I = 0; I < 3; ++I) {
    Words[I] = beginning(Found->Sizes[I], Found->Begins[I]);
    Memory[I] = clCreateBuffer(Context, CL_MEM_READ_WRITE, 4 * Found->Sizes[I],
                               nullptr, &E);
    check(E, "buffer");
    check(clSetKernelArg(Kernel, I + 1, sizeof(cl_mem), &Memory[I]),
          "argument");
  }
  double First = 0, Best = 1e9;
  std::vector<uint32_t> Result(Found->Sizes[Found->Result]);
  for (int Launch = 0; Launch <= atoi(Arguments[2]); ++Launch) {
    for (int I = 0; I < 3; ++I)
      check(clEnqueueWriteBuffer(Queue, Memory[I], CL_TRUE, 0,
                                 4 * Found->Sizes[I], Words[I].data(), 0,
                                 nullptr, nullptr),
            "write");
    const double Before = milliseconds();
    const size_t Items = Found->Groups * size_t(256), Size = 256;
    check(clEnqueueNDRangeKernel(Queue, Kernel, 1, nullptr, &Items, &Size, 0,
                                 nullptr, nullptr),
          "launch");
    check(clFinish(Queue), "finish");
    const double Time = milliseconds() - Before;
    (Launch ? Best : First) = Launch ? std::min(Best, Time) : Time;
    if (!Launch)
      check(clEnqueueReadBuffer(Queue, Memory[Found->Result], CL_TRUE, 0,
                                4 * Result.size(), Result.data(), 0, nullptr,
                                nullptr),
            "read");
  }
  printf("%.4f %.4f %.9g\n", First, Best, sumOf(*Found, Result));
  return 0;
}
