// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mistakes that show in nothing but wrong results. The argument chooses one.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>

struct Params {
  float scale;
#ifndef __HIP_DEVICE_COMPILE__
  double extra;
#endif
  int count;
};
// The size is the same.
struct Range {
  float low;
#ifdef __HIP_DEVICE_COMPILE__
  int count;
  float high;
#else
  float high;
  int count;
#endif
};

__global__ void scale(float *x, const Params *p) {
  if (int(threadIdx.x) < p->count)
    x[threadIdx.x] *= p->scale;
}
extern "C" __global__ void fill(float *x, int value) { x[threadIdx.x] = value; }
extern "C" __global__ void limit(float *x, Range r) {
  if (int(threadIdx.x) < r.count)
    x[threadIdx.x] = fminf(fmaxf(x[threadIdx.x], r.low), r.high);
}

int main(int count, char **arguments) {
  const char *mistake = count > 1 ? arguments[1] : "";
  const size_t tooMuch = size_t(1) << 50;
  float *x = nullptr;
  if (!strcmp(mistake, "ignored")) {
    hipMalloc(&x, tooMuch);
  } else if (!strcmp(mistake, "struct")) {
    Params *p = nullptr;
    if (hipMalloc(&x, 256) || hipHostMalloc(&p, sizeof(*p)))
      return 1;
    p->scale = 2;
    p->count = 64;
    scale<<<1, 64>>>(x, p);
    const Range range{0, 1, 64}; limit<<<1, 64>>>(x, range);
    if (hipDeviceSynchronize())
      return 1;
  } else if (!strcmp(mistake, "launch")) {
    hipMalloc(&x, 1024);
    fill<<<1, 4096>>>(x, 1);
  } else if (!strcmp(mistake, "used")) {
    if (hipMalloc(&x, tooMuch) != hipSuccess)
      printf("no memory\n");
  } else if (!strcmp(mistake, "asked")) {
    hipMalloc(&x, 1024);
    fill<<<1, 4096>>>(x, 1);
    printf("launch: %s\n", hipGetErrorName(hipGetLastError()));
  } else {
    // The block of arguments lacks the last one.
    hipFunction_t function;
    hipModule_t module;
    hipMalloc(&x, 1024);
    if (hipModuleLoad(&module, mistake) == hipSuccess &&
        hipModuleGetFunction(&function, module, "fill") == hipSuccess) {
      size_t size = sizeof(x);
      void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &x, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                       HIP_LAUNCH_PARAM_END};
      if (hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra) == hipSuccess &&
          hipDeviceSynchronize() == hipSuccess)
        printf("launched\n");
    }
  }
  printf("the end\n");
}
