// A GPU that retries page faults (HSA_XNACK=1) accesses all of the program's memory, as the program's code does.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <sys/mman.h>
#include <vector>
#define TRY(x) do { hipError_t e_ = (x); if (e_ != hipSuccess) { printf("%s: %s\n", #x, hipGetErrorName(e_)); return 1; } } while (0)
__global__ void add(int *p, int n, int v) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += v; }
__global__ void count(int *p, int n) { int i = threadIdx.x; atomicAdd(&p[i * (n / 64)], 1); }
static int data[5000];
static bool all(const int *p, int n, int v) { for (int i = 0; i < n; ++i) if (p[i] != v) return false; return true; }
static void report(const char *what, bool good) { printf("%s: %s\n", what, good ? "PASSED" : "FAILED"); fflush(stdout); }
static int run(int *p, int n, int v) { add<<<(n + 63) / 64, 64>>>(p, n, v); TRY(hipDeviceSynchronize()); return 0; }
int main(int argc, char **argv) {
  const int n = 1 << 19;
  mallopt(M_MMAP_THRESHOLD, 1 << 20); // So that what is freed is unmapped.
  int *heap = (int *)calloc(n, 4), stack[1000] = {};
  if (run(heap, n, 3)) return 1;
  report("heap", all(heap, n, 3));
  if (run(stack, 1000, 4) || run(data, 5000, 5)) return 1;
  report("stack and data", all(stack, 1000, 4) && all(data, 5000, 5));
  // What the host writes afterwards is the GPU's as well.
  for (int i = 0; i < n; ++i) heap[i] = i;
  if (run(heap, n, 1)) return 1;
  bool good = true;
  for (int i = 0; i < n; ++i) good &= heap[i] == i + 1;
  report("both", good);
  // Other memory at the same address, which the C library reports to nobody.
  // Another thread may map its own there in between: then the GPU gets what malloc gave, and it is tried with that.
  int *again = nullptr;
  for (int round = 0; round < 50; ++round) {
    free(heap);
    again = (int *)malloc(n * 4);
    if (again == heap) break;
    if (run(again, n, 0)) return 1;
    heap = again;
  }
  for (int i = 0; i < n; ++i) again[i] = 7;
  if (run(again, n, 1)) return 1;
  report(again == heap ? "again, at the same address" : "again", all(again, n, 8));
  // Each lane of an atomic instruction is done once, also if some of them have to wait.
  int *fresh = (int *)mmap(nullptr, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  count<<<1, 64>>>(fresh, 64 << 18); TRY(hipDeviceSynchronize());
  good = true;
  for (int i = 0; i < 64; ++i) good &= fresh[i << 18] == 1;
  report("atomics", good);
  // A part of it belongs to the GPU already.
  TRY(hipHostRegister(again, 4096, 0));
  if (run(again, n, 1)) return 1;
  report("beside registered memory", all(again, n, 9));
  TRY(hipHostUnregister(again));
  int *from; TRY(hipMalloc((void **)&from, n * 4)); TRY(hipMemcpy(from, again, n * 4, hipMemcpyHostToDevice));
  if (run(from, n, 1)) return 1;
  TRY(hipMemcpy(fresh, from, n * 4, hipMemcpyDeviceToHost));
  report("copies", all(fresh, n, 10));
  if (argc > 1) {
    int *none = (int *)mmap(nullptr, 4096, !strcmp(argv[1], "constant") ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return run(none, 64, 1);
  }
  return 0;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
