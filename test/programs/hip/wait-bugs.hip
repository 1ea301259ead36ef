// Assembly that lacks a wait, and the same with it ("clean"). The compiler adds none for loads in assembly.
#include "check.h"

#include <cstdlib>
#include <cstring>

#if defined(__gfx1100__) || defined(__gfx1201__)
#define LOAD "global_load_b32"
#define STORE "global_store_b32"
#define LOCAL "ds_load_b32"
#define SCALAR "s_load_b32"
#else
#define LOAD "global_load_dword"
#define STORE "global_store_dword"
#define LOCAL "ds_read_b32"
#define SCALAR "s_load_dword"
#endif
#if defined(__gfx1201__)
#define VECTORS(N) "s_wait_loadcnt " #N "\n"
#define LOCALS "s_wait_dscnt 0x0\n"
#define SCALARS "s_wait_kmcnt 0x0\n"
#else
#define VECTORS(N) "s_waitcnt vmcnt(" #N ")\n"
#define LOCALS "s_waitcnt lgkmcnt(0)\n"
#define SCALARS "s_waitcnt lgkmcnt(0)\n"
#endif

// clang-format off
// BUG: global missing-wait
template <bool Bad> __global__ void global(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %1, off\n" "v_xor_b32 %0, 1, %0" : "=&v"(a) : "v"(p) : "memory"); // LINE: global
  else
    asm volatile(LOAD " %0, %1, off\n" VECTORS(0x0) "v_xor_b32 %0, 1, %0" : "=&v"(a) : "v"(p) : "memory");
  out[threadIdx.x] = a;
}

// BUG: second missing-wait
template <bool Bad> __global__ void second(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0, b = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %2, off\n" LOAD " %1, %2, off offset:4\n" VECTORS(0x1) "v_xor_b32 %1, 1, %1\n" VECTORS(0x0) : "=&v"(a), "=&v"(b) : "v"(p) : "memory"); // LINE: second
  else
    asm volatile(LOAD " %0, %2, off\n" LOAD " %1, %2, off offset:4\n" VECTORS(0x1) "v_xor_b32 %0, 1, %0\n" VECTORS(0x0) : "=&v"(a), "=&v"(b) : "v"(p) : "memory");
  out[threadIdx.x] = a + b;
}

// BUG: stored missing-wait
template <bool Bad> __global__ void stored(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int *to = out + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %1, off\n" STORE " %2, %0, off\n" VECTORS(0x0) : "=&v"(a) : "v"(p), "v"(to) : "memory"); // LINE: stored
  else
    asm volatile(LOAD " %0, %1, off\n" VECTORS(0x0) STORE " %2, %0, off\n" : "=&v"(a) : "v"(p), "v"(to) : "memory");
}

// BUG: local missing-wait
template <bool Bad> __global__ void local(const int *in, int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int a = 0;
  const unsigned at = 4 * threadIdx.x;
  if constexpr (Bad)
    asm volatile(LOCAL " %0, %1\n" "v_xor_b32 %0, 1, %0" : "=&v"(a) : "v"(at), "v"(tile) : "memory"); // LINE: local
  else
    asm volatile(LOCAL " %0, %1\n" LOCALS "v_xor_b32 %0, 1, %0" : "=&v"(a) : "v"(at), "v"(tile) : "memory");
  out[threadIdx.x] = a;
}

// BUG: scalar missing-wait
#define SCALAR_LOAD "v_readfirstlane_b32 s40, %1\n" "v_readfirstlane_b32 s41, %2\n" SCALAR " s42, s[40:41], 0x0\n"
template <bool Bad> __global__ void scalar(const int *in, int *out) {
  const unsigned lo = unsigned(size_t(in)), hi = unsigned(size_t(in) >> 32);
  int a = 0;
  if constexpr (Bad)
    asm volatile(SCALAR_LOAD "v_mov_b32 %0, s42" : "=&v"(a) : "v"(lo), "v"(hi) : "memory", "s40", "s41", "s42"); // LINE: scalar
  else
    asm volatile(SCALAR_LOAD SCALARS "v_mov_b32 %0, s42" : "=&v"(a) : "v"(lo), "v"(hi) : "memory", "s40", "s41", "s42");
  out[threadIdx.x] = a;
}

// BUG: counter missing-wait
template <bool Bad> __global__ void counter(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %1, off\n" LOCALS "v_xor_b32 %0, 1, %0" : "=&v"(a) : "v"(p) : "memory"); // LINE: counter
  else
    asm volatile(LOAD " %0, %1, off\n" VECTORS(0x0) LOCALS "v_xor_b32 %0, 1, %0" : "=&v"(a) : "v"(p) : "memory");
  out[threadIdx.x] = a;
}

// BUG: overwritten missing-wait
template <bool Bad> __global__ void overwritten(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %1, off\n" "v_mov_b32 %0, 7" : "=&v"(a) : "v"(p) : "memory"); // LINE: overwritten
  else
    asm volatile(LOAD " %0, %1, off\n" VECTORS(0x0) "v_mov_b32 %0, 7" : "=&v"(a) : "v"(p) : "memory");
  out[threadIdx.x] = a;
}
// clang-format on

int main(int count, char **arguments) {
  const bool bad = count < 3 || strcmp(arguments[2], "clean") != 0;
  const char *what = count > 1 ? arguments[1] : "global";
  int *in = nullptr, *out = nullptr;
  HIP(hipMalloc(&in, 1024));
  HIP(hipMalloc(&out, 1024));
  HIP(hipMemset(in, 0, 1024));
#define RUN(NAME)                                                              \
  if (!strcmp(what, #NAME))                                                    \
  (bad ? NAME<true> : NAME<false>)<<<2, 64>>>(in, out)
  RUN(global);
  RUN(second);
  RUN(stored);
  RUN(local);
  RUN(scalar);
  RUN(counter);
  RUN(overwritten);
  HIP(hipDeviceSynchronize());
  HIP(hipFree(in));
  HIP(hipFree(out));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
