// A kernel whose debug information tests change until it lies. The program loads its code from a file: lies CODE-OBJECT.
#include "check.h"

typedef __attribute__((address_space(3))) int *LocalPointer;

struct Node {
  int value;
  Node *next;
  const char *name;
};

__device__ __attribute__((noinline)) int inner(int own, const Node *list) {
  int honest = own + 1;
  Node *wild = (Node *)0x123456789000;
  Node node = {honest, wild, (const char *)wild};
  return honest + node.value + (list ? list->value : 0); // inner
}

extern "C" __global__ void lies(int *out, int n) {
  // Each of these has a location of five bytes for a test to change.
  __shared__ int lie0, lie1, lie2, lie3, lie4, lie5, lie6, lie7, lie8, lie9;
  int honest = threadIdx.x * 2;
  float also = honest / 4.0f;
  lie0 = lie1 = lie2 = lie3 = lie4 = lie5 = lie6 = lie7 = lie8 = lie9 = n;
  LocalPointer pointer = (LocalPointer)&lie0;
  __syncthreads();
  int sum = inner(honest, nullptr) + lie0 + lie1 + lie2 + lie3 + lie4 + lie5 + lie6 + lie7 + lie8 + lie9;
  out[threadIdx.x] = sum + *pointer + int(also); // look
}

int main(int argc, char **argv) {
  hipModule_t module;
  hipFunction_t kernel;
  HIP(hipModuleLoad(&module, argv[1]));
  HIP(hipModuleGetFunction(&kernel, module, "lies"));
  Buffer<int> out(64);
  int n = 7;
  void *arguments[] = {&out.data, &n};
  HIP(hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  HIP(hipDeviceSynchronize());
  std::vector<int> want(64);
  for (int i = 0; i < 64; ++i)
    want[i] = 2 * (2 * i + 1) + 11 * 7 + i / 2;
  return report("lies", out.get(), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
