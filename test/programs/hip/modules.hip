// Loads a code object from a file, launches its kernel, and sees that a damaged file is refused.
#include "check.h"
#include <unistd.h>
#include <fstream>
#include <iterator>

extern "C" __global__ void fill(int *data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = value + i;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  hipModule_t module;
  hipFunction_t function;
  HIP(hipModuleLoad(&module, argv[1]));
  HIP(hipModuleGetFunction(&function, module, "fill"));
  Buffer<int> out(100);
  int n = 100, value = 7;
  int *data = out.data;
  void *arguments[] = {&data, &n, &value};
  HIP(hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  HIP(hipDeviceSynchronize());
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = value + i;
  int bad = report("module", out.get(), want);
  hipFunction_t none;
  bad += hipModuleGetFunction(&none, module, "nothing") != hipErrorNotFound;
  HIP(hipModuleUnload(module));

  std::ifstream file(argv[1], std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // The last one cuts the code.
  char name[] = "/tmp/wavelane-cut-XXXXXX";
  close(mkstemp(name));
  for (size_t size : {3, 64, 3000}) {
    std::vector<char> cut(bytes.begin(), bytes.begin() + size);
    std::ofstream(name, std::ios::binary).write(cut.data(), cut.size());
    hipError_t error = hipModuleLoad(&module, name);
    printf("cut to %zu bytes: %s\n", size, hipGetErrorString(error));
    bad += error == hipSuccess;
  }
  unlink(name);
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
