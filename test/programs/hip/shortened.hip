// The program truncates a file that it shares with the GPU; the GPU goes on.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>
#define TRY(x) do { hipError_t e_ = (x); if (e_ != hipSuccess) { printf("%s: %s\n", #x, hipGetErrorName(e_)); return 1; } } while (0)
__global__ void sum(int *shared, int n, int *result) {
  int i = threadIdx.x;
  for (int j = i; j < n; j += 64) atomicAdd(result, shared[j]);
  shared[i] = 1;
}
static int run(int *shared, int n, int *result, const char *what) {
  int value = 0;
  TRY(hipMemset(result, 0, 4));
  sum<<<1, 64>>>(shared, n, result);
  TRY(hipDeviceSynchronize());
  TRY(hipMemcpy(&value, result, 4, hipMemcpyDeviceToHost));
  printf("%s: %d\n", what, value);
  fflush(stdout);
  return 0;
}
int main() {
  const int n = 4096;
  char name[] = "/tmp/shortened-XXXXXX";
  int file = mkstemp(name), *result, *device;
  unlink(name);
  if (file < 0 || ftruncate(file, n * 4)) return 1;
  int *shared = (int *)mmap(nullptr, n * 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  for (int i = 0; i < n; ++i) shared[i] = 2;
  TRY(hipHostRegister(shared, n * 4, 0));
  TRY(hipHostGetDevicePointer((void **)&device, shared, 0));
  TRY(hipMalloc((void **)&result, 4));
  if (run(device, n, result, "whole")) return 1;
  if (ftruncate(file, 4096)) return 1;
  if (run(device, n, result, "a page of it")) return 1;
  if (ftruncate(file, 0)) return 1;
  return run(device, n, result, "nothing");
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
