// Assembly that lacks a wait, and the same with it ("clean"); check_bugs.py reads the comments. The compiler adds none for loads
// in assembly.
#include "check.h"

#include <cstdlib>
#include <cstring>

#if defined(__gfx1100__) || defined(__gfx1201__)
#define LOAD "global_load_b32"
#define STORE "global_store_b32"
#define LOAD4 "global_load_b128"
#define LOAD_BYTE "global_load_u8"
#define LOAD_HIGH "global_load_d16_hi_b16"
#define ADD "global_atomic_add_u32"
#define LOCAL "ds_load_b32"
#define LOCAL2 "ds_load_2addr_b32"
#define LOCAL_ADD "ds_add_rtn_u32"
#define SCALAR "s_load_b32"
#define SCALAR2 "s_load_b64"
#define CLOCK "s_sendmsg_rtn_b64 s[42:43], sendmsg(MSG_RTN_GET_REALTIME)\n"
#else
#define LOAD "global_load_dword"
#define STORE "global_store_dword"
#define LOAD4 "global_load_dwordx4"
#define LOAD_BYTE "global_load_ubyte"
#define LOAD_HIGH "global_load_short_d16_hi"
#define ADD "global_atomic_add"
#define LOCAL "ds_read_b32"
#define LOCAL2 "ds_read2_b32"
#define LOCAL_ADD "ds_add_rtn_u32"
#define SCALAR "s_load_dword"
#define SCALAR2 "s_load_dwordx2"
#define CLOCK "s_memtime s[42:43]\n"
#endif
#if defined(__gfx1201__)
#define VECTORS(N) "s_wait_loadcnt " #N "\n"
#define LOCALS "s_wait_dscnt 0x0\n"
#define SCALARS "s_wait_kmcnt 0x0\n"
#define RETURN " th:TH_ATOMIC_RETURN"
#define BARRIER "s_barrier_signal -1\ns_barrier_wait -1\n"
#define FLAT_LOAD "flat_load_b32"
#else
#define VECTORS(N) "s_waitcnt vmcnt(" #N ")\n"
#define LOCALS "s_waitcnt lgkmcnt(0)\n"
#define SCALARS "s_waitcnt lgkmcnt(0)\n"
#define RETURN " glc"
#define BARRIER "s_barrier\n"
#define FLAT_LOAD "flat_load_dword"
#endif

// clang-format off
// BUG: global missing-wait - 0-63
template <bool Bad> __global__ void global(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %1, off\n" "v_xor_b32 %0, 1, %0" : "=&v"(a) : "v"(p) : "memory"); // LINE: global
  else
    asm volatile(LOAD " %0, %1, off\n" VECTORS(0x0) "v_xor_b32 %0, 1, %0" : "=&v"(a) : "v"(p) : "memory");
  out[threadIdx.x] = a;
}

// BUG: second missing-wait - 0-63
template <bool Bad> __global__ void second(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0, b = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %2, off\n" LOAD " %1, %2, off offset:4\n" VECTORS(0x1) "v_xor_b32 %1, 1, %1\n" VECTORS(0x0) : "=&v"(a), "=&v"(b) : "v"(p) : "memory"); // LINE: second
  else
    asm volatile(LOAD " %0, %2, off\n" LOAD " %1, %2, off offset:4\n" VECTORS(0x1) "v_xor_b32 %0, 1, %0\n" VECTORS(0x0) : "=&v"(a), "=&v"(b) : "v"(p) : "memory");
  out[threadIdx.x] = a + b;
}

// BUG: stored missing-wait - 0-63
template <bool Bad> __global__ void stored(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int *to = out + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %1, off\n" STORE " %2, %0, off\n" VECTORS(0x0) : "=&v"(a) : "v"(p), "v"(to) : "memory"); // LINE: stored
  else
    asm volatile(LOAD " %0, %1, off\n" VECTORS(0x0) STORE " %2, %0, off\n" : "=&v"(a) : "v"(p), "v"(to) : "memory");
}

// BUG: local missing-wait - 0-63
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

// BUG: scalar missing-wait - 0-63
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

// BUG: counter missing-wait - 0-63
template <bool Bad> __global__ void counter(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %1, off\n" LOCALS "v_xor_b32 %0, 1, %0" : "=&v"(a) : "v"(p) : "memory"); // LINE: counter
  else
    asm volatile(LOAD " %0, %1, off\n" VECTORS(0x0) LOCALS "v_xor_b32 %0, 1, %0" : "=&v"(a) : "v"(p) : "memory");
  out[threadIdx.x] = a;
}

// BUG: overwritten missing-wait - 0-63
template <bool Bad> __global__ void overwritten(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %1, off\n" "v_mov_b32 %0, 7" : "=&v"(a) : "v"(p) : "memory"); // LINE: overwritten
  else
    asm volatile(LOAD " %0, %1, off\n" VECTORS(0x0) "v_mov_b32 %0, 7" : "=&v"(a) : "v"(p) : "memory");
  out[threadIdx.x] = a;
}

// The last register of four.
// BUG: wide missing-wait - 0-63
template <bool Bad> __global__ void wide(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD4 " v[40:43], %1, off\n" "v_mov_b32 %0, v43\n" VECTORS(0x0) : "=&v"(a) : "v"(p) : "memory", "v40", "v41", "v42", "v43"); // LINE: wide
  else
    asm volatile(LOAD4 " v[40:43], %1, off\n" VECTORS(0x0) "v_mov_b32 %0, v43\n" VECTORS(0x0) : "=&v"(a) : "v"(p) : "memory", "v40", "v41", "v42", "v43");
  out[threadIdx.x] = a;
}

// BUG: byte missing-wait - 0-63
template <bool Bad> __global__ void byte(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD_BYTE " %0, %1, off\n" "v_and_b32 %0, 15, %0\n" VECTORS(0x0) : "=&v"(a) : "v"(p) : "memory"); // LINE: byte
  else
    asm volatile(LOAD_BYTE " %0, %1, off\n" VECTORS(0x0) "v_and_b32 %0, 15, %0\n" VECTORS(0x0) : "=&v"(a) : "v"(p) : "memory");
  out[threadIdx.x] = a;
}

// BUG: high missing-wait - 0-63
template <bool Bad> __global__ void high(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD_HIGH " %0, %1, off\n" "v_lshrrev_b32 %0, 16, %0\n" VECTORS(0x0) : "+v"(a) : "v"(p) : "memory"); // LINE: high
  else
    asm volatile(LOAD_HIGH " %0, %1, off\n" VECTORS(0x0) "v_lshrrev_b32 %0, 16, %0\n" VECTORS(0x0) : "+v"(a) : "v"(p) : "memory");
  out[threadIdx.x] = a;
}

// The old value of an atomic.
// BUG: atomic missing-wait - 0-63
template <bool Bad> __global__ void atomic(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int *to = out + 64 + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(ADD " %0, %1, %2, off" RETURN "\n" "v_xor_b32 %0, 1, %0\n" VECTORS(0x0) : "=&v"(a) : "v"(to), "v"(1) : "memory"); // LINE: atomic
  else
    asm volatile(ADD " %0, %1, %2, off" RETURN "\n" VECTORS(0x0) "v_xor_b32 %0, 1, %0\n" VECTORS(0x0) : "=&v"(a) : "v"(to), "v"(1) : "memory");
  out[threadIdx.x] = a;
}

// One lane of it.
// BUG: compared missing-wait - 0
template <bool Bad> __global__ void compared(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " v40, %1, off\n" "v_readfirstlane_b32 s40, v40\n" "v_mov_b32 %0, s40\n" VECTORS(0x0) : "=&v"(a) : "v"(p) : "memory", "v40", "s40"); // LINE: compared
  else
    asm volatile(LOAD " v40, %1, off\n" VECTORS(0x0) "v_readfirstlane_b32 s40, v40\n" "v_mov_b32 %0, s40\n" VECTORS(0x0) : "=&v"(a) : "v"(p) : "memory", "v40", "s40");
  out[threadIdx.x] = a;
}

// The wait is for the first of three.
// BUG: third missing-wait - 0-63
template <bool Bad> __global__ void third(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " v40, %1, off\n" LOAD " v41, %1, off offset:4\n" LOAD " v42, %1, off offset:8\n" VECTORS(0x2) "v_xor_b32 %0, v40, v41\n" VECTORS(0x0) : "=&v"(a) : "v"(p) : "memory", "v40", "v41", "v42"); // LINE: third
  else
    asm volatile(LOAD " v40, %1, off\n" LOAD " v41, %1, off offset:4\n" LOAD " v42, %1, off offset:8\n" VECTORS(0x1) VECTORS(0x2) "v_xor_b32 %0, v40, v41\n" VECTORS(0x0) : "=&v"(a) : "v"(p) : "memory", "v40", "v41", "v42");
  out[threadIdx.x] = a;
}

// Two values of local memory.
// BUG: couple missing-wait - 0-63
template <bool Bad> __global__ void couple(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const unsigned at = 4 * (threadIdx.x & 31);
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOCAL2 " v[40:41], %1 offset1:1\n" "v_mov_b32 %0, v41\n" LOCALS : "=&v"(a) : "v"(at), "v"(tile) : "memory", "v40", "v41"); // LINE: couple
  else
    asm volatile(LOCAL2 " v[40:41], %1 offset1:1\n" LOCALS "v_mov_b32 %0, v41\n" LOCALS : "=&v"(a) : "v"(at), "v"(tile) : "memory", "v40", "v41");
  out[threadIdx.x] = a; out[threadIdx.x] += int(size_t(p) & 0);
}

// BUG: localatomic missing-wait - 0-63
template <bool Bad> __global__ void localatomic(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const unsigned at = 4 * (threadIdx.x & 31);
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOCAL_ADD " %0, %1, %2\n" "v_xor_b32 %0, 1, %0\n" LOCALS : "=&v"(a) : "v"(at), "v"(1), "v"(tile) : "memory"); // LINE: localatomic
  else
    asm volatile(LOCAL_ADD " %0, %1, %2\n" LOCALS "v_xor_b32 %0, 1, %0\n" LOCALS : "=&v"(a) : "v"(at), "v"(1), "v"(tile) : "memory");
  out[threadIdx.x] = a; out[threadIdx.x] += int(size_t(p) & 0);
}

// Lanes that exchange values.
// BUG: permuted missing-wait - 0-63
template <bool Bad> __global__ void permuted(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  const unsigned at = 4 * (threadIdx.x ^ 1);
  int a = 0;
  if constexpr (Bad)
    asm volatile("ds_bpermute_b32 %0, %1, %2\n" "v_xor_b32 %0, 1, %0\n" LOCALS : "=&v"(a) : "v"(at), "v"(int(threadIdx.x)) : "memory"); // LINE: permuted
  else
    asm volatile("ds_bpermute_b32 %0, %1, %2\n" LOCALS "v_xor_b32 %0, 1, %0\n" LOCALS : "=&v"(a) : "v"(at), "v"(int(threadIdx.x)) : "memory");
  out[threadIdx.x] = a; out[threadIdx.x] += int(size_t(p) & 0);
}

// BUG: swizzled missing-wait - 0-63
template <bool Bad> __global__ void swizzled(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile("ds_swizzle_b32 %0, %1 offset:0x041f\n" "v_xor_b32 %0, 1, %0\n" LOCALS : "=&v"(a) : "v"(int(threadIdx.x)) : "memory"); // LINE: swizzled
  else
    asm volatile("ds_swizzle_b32 %0, %1 offset:0x041f\n" LOCALS "v_xor_b32 %0, 1, %0\n" LOCALS : "=&v"(a) : "v"(int(threadIdx.x)) : "memory");
  out[threadIdx.x] = a; out[threadIdx.x] += int(size_t(p) & 0);
}

// Only the local one is waited for.
// BUG: mixed missing-wait - 0-63
template <bool Bad> __global__ void mixed(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const unsigned at = 4 * (threadIdx.x & 31);
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " v40, %2, off\n" LOCAL " v41, %1\n" LOCALS "v_xor_b32 %0, v40, v41\n" VECTORS(0x0) : "=&v"(a) : "v"(at), "v"(p), "v"(tile) : "memory", "v40", "v41"); // LINE: mixed
  else
    asm volatile(LOAD " v40, %2, off\n" LOCAL " v41, %1\n" VECTORS(0x0) LOCALS "v_xor_b32 %0, v40, v41\n" VECTORS(0x0) : "=&v"(a) : "v"(at), "v"(p), "v"(tile) : "memory", "v40", "v41");
  out[threadIdx.x] = a;
}

// BUG: flat missing-wait - 0-63
template <bool Bad> __global__ void flat(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(FLAT_LOAD " %0, %1\n" "v_xor_b32 %0, 1, %0\n" VECTORS(0x0) LOCALS : "=&v"(a) : "v"(p) : "memory"); // LINE: flat
  else
    asm volatile(FLAT_LOAD " %0, %1\n" VECTORS(0x0) LOCALS "v_xor_b32 %0, 1, %0\n" VECTORS(0x0) LOCALS : "=&v"(a) : "v"(p) : "memory");
  out[threadIdx.x] = a;
}

// The upper half of a scalar load.
// BUG: upper missing-wait - 0-63
template <bool Bad> __global__ void upper(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  const unsigned lo = unsigned(size_t(in)), hi = unsigned(size_t(in) >> 32);
  int a = 0;
  if constexpr (Bad)
    asm volatile("v_readfirstlane_b32 s40, %1\n" "v_readfirstlane_b32 s41, %2\n" SCALAR2 " s[42:43], s[40:41], 0x0\n" "v_mov_b32 %0, s43\n" SCALARS : "=&v"(a) : "v"(lo), "v"(hi) : "memory", "s40", "s41", "s42", "s43"); // LINE: upper
  else
    asm volatile("v_readfirstlane_b32 s40, %1\n" "v_readfirstlane_b32 s41, %2\n" SCALAR2 " s[42:43], s[40:41], 0x0\n" SCALARS "v_mov_b32 %0, s43\n" SCALARS : "=&v"(a) : "v"(lo), "v"(hi) : "memory", "s40", "s41", "s42", "s43");
  out[threadIdx.x] = a; out[threadIdx.x] += int(size_t(p) & 0);
}

// BUG: branched missing-wait - 0-63
template <bool Bad> __global__ void branched(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  const unsigned lo = unsigned(size_t(in)), hi = unsigned(size_t(in) >> 32);
  int a = 0;
  if constexpr (Bad)
    asm volatile("v_readfirstlane_b32 s40, %1\n" "v_readfirstlane_b32 s41, %2\n" SCALAR " s42, s[40:41], 0x0\n" "s_cmp_eq_u32 s42, 0\n" SCALARS "v_mov_b32 %0, 1\n" : "=&v"(a) : "v"(lo), "v"(hi) : "memory", "scc", "s40", "s41", "s42", "s43"); // LINE: branched
  else
    asm volatile("v_readfirstlane_b32 s40, %1\n" "v_readfirstlane_b32 s41, %2\n" SCALAR " s42, s[40:41], 0x0\n" SCALARS "s_cmp_eq_u32 s42, 0\n" SCALARS "v_mov_b32 %0, 1\n" : "=&v"(a) : "v"(lo), "v"(hi) : "memory", "scc", "s40", "s41", "s42", "s43");
  out[threadIdx.x] = a; out[threadIdx.x] += int(size_t(p) & 0);
}

// Overwritten while it is loaded.
// BUG: reloaded missing-wait - 0-63
template <bool Bad> __global__ void reloaded(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  const unsigned lo = unsigned(size_t(in)), hi = unsigned(size_t(in) >> 32);
  int a = 0;
  if constexpr (Bad)
    asm volatile("v_readfirstlane_b32 s40, %1\n" "v_readfirstlane_b32 s41, %2\n" SCALAR " s42, s[40:41], 0x0\n" "s_mov_b32 s43, 0\n" "s_mov_b32 s42, s43\n" SCALARS "v_mov_b32 %0, s42\n" : "=&v"(a) : "v"(lo), "v"(hi) : "memory", "s40", "s41", "s42", "s43"); // LINE: reloaded
  else
    asm volatile("v_readfirstlane_b32 s40, %1\n" "v_readfirstlane_b32 s41, %2\n" SCALAR " s42, s[40:41], 0x0\n" "s_mov_b32 s43, 0\n" SCALARS "s_mov_b32 s42, s43\n" SCALARS "v_mov_b32 %0, s42\n" : "=&v"(a) : "v"(lo), "v"(hi) : "memory", "s40", "s41", "s42", "s43");
  out[threadIdx.x] = a; out[threadIdx.x] += int(size_t(p) & 0);
}

// The time.
// BUG: clock missing-wait - 0-63
template <bool Bad> __global__ void clock(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(CLOCK "v_mov_b32 %0, s42\n" SCALARS : "=&v"(a) : : "memory", "s42", "s43"); // LINE: clock
  else
    asm volatile(CLOCK SCALARS "v_mov_b32 %0, s42\n" SCALARS : "=&v"(a) : : "memory", "s42", "s43");
  out[threadIdx.x] = a; out[threadIdx.x] += int(size_t(p) & 0);
}

// BUG: kept missing-wait - 0-63
template <bool Bad> __global__ void kept(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int *to = out + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " v40, %1, off\n" "v_mov_b32 %0, 3\n" "v_or_b32 v40, 1, v40\n" STORE " %2, v40, off\n" VECTORS(0x0) : "=&v"(a) : "v"(p), "v"(to) : "memory", "v40"); // LINE: kept
  else
    asm volatile(LOAD " v40, %1, off\n" "v_mov_b32 %0, 3\n" VECTORS(0x0) "v_or_b32 v40, 1, v40\n" STORE " %2, v40, off\n" VECTORS(0x0) : "=&v"(a) : "v"(p), "v"(to) : "memory", "v40");
  
}

// A barrier doesn't wait for loads.
// BUG: across missing-wait - 0-63
template <bool Bad> __global__ void across(const int *in, int *out) {
  const int *p = in + threadIdx.x;
  int a = 0;
  if constexpr (Bad)
    asm volatile(LOAD " %0, %1, off\n" BARRIER "v_xor_b32 %0, 1, %0\n" VECTORS(0x0) : "=&v"(a) : "v"(p) : "memory"); // LINE: across
  else
    asm volatile(LOAD " %0, %1, off\n" BARRIER VECTORS(0x0) "v_xor_b32 %0, 1, %0\n" VECTORS(0x0) : "=&v"(a) : "v"(p) : "memory");
  out[threadIdx.x] = a;
}
// clang-format on

static void run(const char *what, bool bad) {
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
  RUN(wide);
  RUN(byte);
  RUN(high);
  RUN(atomic);
  RUN(compared);
  RUN(third);
  RUN(couple);
  RUN(localatomic);
  RUN(permuted);
  RUN(swizzled);
  RUN(mixed);
  RUN(flat);
  RUN(upper);
  RUN(branched);
  RUN(reloaded);
  RUN(clock);
  RUN(kept);
  RUN(across);
  HIP(hipDeviceSynchronize());
  HIP(hipFree(in));
  HIP(hipFree(out));
}

int main(int count, char **arguments) {
  const bool bad = count < 3 || strcmp(arguments[2], "clean") != 0;
  const char *what = count > 1 ? arguments[1] : "global";
  if (strcmp(what, "all")) {
    run(what, bad);
    return 0;
  }
  for (const char *one :
       {"global", "second", "stored", "local", "scalar", "counter", "overwritten", "wide", "byte", "high", "atomic", "compared", "third", "couple", "localatomic", "permuted", "swizzled", "mixed", "flat", "upper", "branched", "reloaded", "clock", "kept", "across"})
    run(one, bad);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
