// Runs a kernel of a code object: the arguments are the file and the kernel's name.
#include "../hip/check.h"

int main(int, char **argv) {
  hipModule_t module;
  hipFunction_t kernel;
  HIP(hipModuleLoad(&module, argv[1]));
  HIP(hipModuleGetFunction(&kernel, module, argv[2]));
  int *out, got[64];
  HIP(hipMalloc((void **)&out, sizeof(got)));
  long scale = 3;
  float bias = 0.5f;
  void *arguments[] = {&out, &scale, &bias};
  HIP(hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  HIP(hipMemcpy(got, out, sizeof(got), hipMemcpyDeviceToHost));
  unsigned sum = 0;
  for (int value : got)
    sum = sum * 31 + value;
  printf("result %u\n", sum);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
