// Kernels with a mistake of synchronization each, and the same without ("clean"); check_bugs.py reads the comments.
#include "check.h"

#include <chrono>
#include <cstring>
#include <thread>

// BUG: half barrier-divergence - 0-15,32-47
__global__ void half(int *out, int bad) {
  __shared__ int tile[64];
  int i = threadIdx.x;
  tile[i] = i;
  if (i % 32 < 16 || !bad)
    __syncthreads(); // LINE: half
  out[i] = tile[63 - i]; // OTHER: half
}

__global__ void returns(int *out, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  __syncthreads();
  out[i] = i;
}

// BUG: elsewhere barrier-divergence - 64-127
__global__ void elsewhere(int *out, int bad) {
  if (bad && threadIdx.x >= 64) {
    __syncthreads(); // LINE: elsewhere
    out[threadIdx.x] = 1;
  } else {
    __syncthreads(); // OTHER: elsewhere
    out[threadIdx.x] = 2;
  }
}

// BUG: flag deadlock out[0] 0-63
__global__ void flag(volatile int *out, int bad) {
  if (!bad)
    out[0] = 1;
  while (out[0] == 0) // LINE: flag
    ;
  out[1] = 2;
}

// BUG: lock deadlock out[0] *
// Every lane of a wave wants the lock, and the one that has it waits for the others.
__global__ void lock(int *out, int bad) {
  if (bad) {
    while (atomicCAS(out, 0, 1) != 0) // LINE: lock
      ;
    out[1]++;
    atomicExch(out, 0);
  } else {
    for (int lane = 0; lane < 64; ++lane)
      if (threadIdx.x == lane) {
        while (atomicCAS(out, 0, 1) != 0)
          ;
        out[1]++;
        atomicExch(out, 0);
      }
  }
}

// BUG: grid deadlock out[0] *
// More workgroups than the GPU holds wait for each other.
__global__ void grid(int *out, int groups) {
  __shared__ int room[16000];
  room[threadIdx.x] = threadIdx.x;
  atomicAdd(out, 1);
  while (atomicAdd(out, 0) < groups * 64) // LINE: grid
    ;
  out[1] = room[groups];
}

// BUG: waves deadlock turn 0-63
__global__ void waves(int *out, int bad) {
  __shared__ volatile int turn;
  if (threadIdx.x == 0)
    turn = 0;
  __syncthreads();
  if (threadIdx.x < 64) {
    while (turn == 0) // LINE: waves
      ;
  } else if (!bad) {
    turn = 1;
  }
  __syncthreads(); // OTHER: waves
  out[threadIdx.x] = turn;
}

__global__ void counts(int *out, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (sum ^ i) * 3 + out[i & 31];
  out[threadIdx.x + 32] = sum;
}

// BUG: odd barrier-divergence - 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63
__global__ void odd(int *out, int bad) {
  if (!bad || threadIdx.x & 1) {
    out[threadIdx.x] = 1;
    __syncthreads(); // LINE: odd
  }
  out[threadIdx.x] += 2; // OTHER: odd
}

// BUG: turns barrier-divergence - *
__global__ void turns(int *out, int bad) {
  for (int i = 0; i < (bad ? threadIdx.x % 3 + 1 : 3); ++i)
    __syncthreads(); // LINE: turns
  out[threadIdx.x] = 1; // OTHER: turns
}

// Each half of a wave at a barrier of its own.
// BUG: cases barrier-divergence - *
__global__ void cases(int *out, int bad) {
  if (bad && threadIdx.x % 32 < 16) {
    out[threadIdx.x] = 1; // OTHER: cases
    __syncthreads();      // LINE: cases
    out[threadIdx.x] = 2; // OTHER: cases
  } else {
    out[threadIdx.x] = 3; // OTHER: cases
    __syncthreads();      // LINE: cases
    out[threadIdx.x] = 4; // OTHER: cases
  }
}

__device__ __attribute__((noinline)) void meet(int *out) {
  out[threadIdx.x] += 1;
  __syncthreads(); // LINE: function, LINE: sites, LINE: former
}
// BUG: function barrier-divergence - 0-7
__global__ void function(int *out, int bad) {
  if (!bad || threadIdx.x < 8)
    meet(out);
  out[threadIdx.x] += 3; // OTHER: function
}

// Waves that call the same function from two places.
// BUG: sites barrier-divergence - 64-127
__global__ void sites(int *out, int bad) {
  if (bad && threadIdx.x >= 64)
    meet(out);
  else
    meet(out + 128);
}

// One wave has a barrier more.
// BUG: extra barrier-divergence - 64-127
__global__ void extra(int *out, int bad) {
  if (bad && threadIdx.x < 64)
    __syncthreads(); // LINE: extra
  out[threadIdx.x] = 1;
  __syncthreads(); // LINE: extra
  out[threadIdx.x] += 1;
}

// BUG: third barrier-divergence - 128-191
__global__ void third(int *out, int bad) {
  const int wave = threadIdx.x / 64;
  if (bad && wave == 2) {
    out[threadIdx.x] = 1;
    __syncthreads(); // LINE: third
  } else {
    out[threadIdx.x] = 2;
    __syncthreads(); // LINE: third
  }
  out[threadIdx.x] += 1;
}

// Waves whose loops have different lengths.
// BUG: lengths barrier-divergence - *
__global__ void lengths(int *out, int bad) {
  const int n = bad ? threadIdx.x / 64 + 1 : 2;
  for (int i = 0; i < n; ++i) {
    out[threadIdx.x] += i;
    __syncthreads(); // LINE: lengths
  }
  __syncthreads(); // LINE: lengths
  out[threadIdx.x] += 1;
}

// Lanes that leave a loop before its barrier.
// BUG: leaves barrier-divergence - 0-9
__global__ void leaves(int *out, int bad) {
  for (int i = 0; i < 2; ++i) {
    out[threadIdx.x] += 1;
    if (bad && threadIdx.x >= 10)
      break;
    __syncthreads(); // LINE: leaves
  }
  out[threadIdx.x + 64] = 1; // OTHER: leaves
}

// The barrier of a reduction within its condition.
// BUG: halving barrier-divergence - 0-15
__global__ void halving(int *out, int bad) {
  __shared__ int sums[64];
  sums[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int n = 16; n; n /= 2) {
    if (threadIdx.x < n) {
      sums[threadIdx.x] += sums[threadIdx.x + n];
      if (bad)
        __syncthreads(); // LINE: halving
    }
    if (!bad)
      __syncthreads();
  }
  out[threadIdx.x] = sums[0]; // OTHER: halving
}

// BUG: nested barrier-divergence - 4-7
__global__ void nested(int *out, int bad) {
  if (threadIdx.x < 8 || !bad) {
    out[threadIdx.x] = 1;
    if (threadIdx.x >= 4 || !bad)
      __syncthreads();    // LINE: nested
    out[threadIdx.x] = 2; // OTHER: nested
  }
  out[threadIdx.x] += 1; // OTHER: nested
}

// BUG: filled barrier-divergence - 0-39
__global__ void filled(int *out, int bad) {
  __shared__ int tile[64];
  if (threadIdx.x < (bad ? 40 : 64)) {
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads(); // LINE: filled
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
  }
  out[threadIdx.x] += 1; // OTHER: filled
}

// Two workgroups take two locks in another order each.
// BUG: order deadlock locks *
__global__ void order(int *locks, int bad) {
  if (threadIdx.x)
    return;
  const int mine = bad ? blockIdx.x : 0, other = bad ? 1 - blockIdx.x : 1;
  while (atomicCAS(&locks[mine], 0, 1)) // LINE: order
    ;
  if (bad)
    for (atomicAdd(&locks[2], 1); atomicAdd(&locks[2], 0) < 2;) // both have one
      ;
  while (atomicCAS(&locks[other], 0, 1)) // LINE: order
    ;
  atomicExch(&locks[other], 0);
  atomicExch(&locks[mine], 0);
}

// A consumer that waits for more than is produced.
// BUG: items deadlock count[0] 0
__global__ void items(int *count, int bad) {
  if (threadIdx.x)
    return;
  if (blockIdx.x)
    for (int i = 0; i < 4; ++i)
      atomicAdd(count, 1);
  else
    while (__hip_atomic_load(count, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < (bad ? 5 : 4)) // LINE: items
      ;
}

// BUG: inner deadlock ready 0-63
__global__ void inner(int *out, int bad) {
  __shared__ volatile int ready;
  ready = bad ? 0 : 1;
  while (!ready) // LINE: inner
    ;
  out[threadIdx.x] = ready;
}

// BUG: variable deadlock held *
// The same on a variable of the code object.
__device__ int held;
__global__ void variable(int *out, int bad) {
  for (int lane = 0; lane < 64; ++lane)
    if (bad || threadIdx.x == lane) {
      while (atomicCAS(&held, 0, 1) != 0) // LINE: variable
        ;
      out[1]++;
      atomicExch(&held, 0);
    }
}

// BUG: managed deadlock flags[0] 0-63
__global__ void managed(volatile int *flags, int bad) {
  if (!bad)
    flags[0] = 1;
  while (flags[0] == 0) // LINE: managed
    ;
  flags[1] = 2;
}

// Waves that end without a barrier that others pass.
// BUG: skips barrier-divergence - 0-63
__global__ void skips(int *out, int bad) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  if (!bad || threadIdx.x < 64)
    __syncthreads(); // LINE: skips
  out[threadIdx.x] = tile[threadIdx.x ^ 1]; // OTHER: skips
}

// BUG: former barrier-divergence - 64-127
__global__ void former(int *out, int bad) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  if (!bad || threadIdx.x >= 64)
    meet(out);                               // OTHER: former
  out[threadIdx.x] += tile[127 - threadIdx.x]; // OTHER: former
}

// Waves that have done their part may return.
__global__ void finishes(int *out) {
  __shared__ int tile[128];
  out[threadIdx.x] = tile[threadIdx.x] = 1;
  if (threadIdx.x >= 64) {
    out[threadIdx.x] += 2;
    return;
  }
  __syncthreads();
  out[threadIdx.x] += tile[threadIdx.x ^ 64];
}

// Lanes in the other branch: whichever branch the compiler puts first. (It merges equal stores of both.)
// BUG: branch barrier-divergence - 64-99
__global__ void branch(int *out, int bad) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < (bad ? 100 : 128)) {
    __syncthreads(); // LINE: branch
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
  } else {
    atomicAdd(&out[200], 3); // OTHER: branch
  }
}

// Lanes that have done their part may return.
__global__ void partly(int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= 100) {
    out[threadIdx.x] = 3;
    return;
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

// One line has it all: columns decide, in what macros expand to nothing.
// clang-format off
#define UNLESS(CONDITION) if (CONDITION) { out[threadIdx.x] = 4; return; } __syncthreads()
// BUG: oneline barrier-divergence - 0-39
__global__ void oneline(int *out, int bad) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  UNLESS(threadIdx.x >= 60);
  if (threadIdx.x >= 40 && !bad) { out[threadIdx.x] = 3; return; } if (threadIdx.x < 40) __syncthreads(); out[threadIdx.x] = tile[threadIdx.x ^ 1]; // LINE: oneline, OTHER: oneline
}
// clang-format on

// A kernel may wait for one that the host launches later.
__global__ void waits(int *flag, int *out) {
  while (!__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
    ;
  *out = 1;
}
__global__ void sets(int *flag) { __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT); }

static void later(int *out, bool threaded) {
  hipStream_t one, two;
  HIP(hipStreamCreateWithFlags(&one, hipStreamNonBlocking));
  HIP(hipStreamCreateWithFlags(&two, hipStreamNonBlocking));
  HIP(hipDeviceSynchronize());
  waits<<<1, 1, 0, one>>>(out, out + 1);
  std::thread other;
  if (threaded)
    other = std::thread([=] { HIP(hipStreamSynchronize(one)); });
  // Longer than nothing may happen.
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  sets<<<1, 1, 0, two>>>(out);
  if (threaded)
    other.join();
  HIP(hipDeviceSynchronize());
}

// A thread of the host sets what a kernel waits for while another one waits for the kernel.
static void hostSets() {
  int *flag = nullptr;
  HIP(hipMallocManaged(&flag, 4096));
  flag[0] = 0;
  waits<<<1, 1>>>(flag, flag + 1);
  std::thread other([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  });
  HIP(hipDeviceSynchronize());
  other.join();
  HIP(hipFree(flag));
}

static void run(const char *what, int bad) {
  int *out = nullptr;
  HIP(hipMalloc(&out, 4096));
  HIP(hipMemset(out, 0, 4096));
#define RUN(NAME, GROUPS, SIZE)                                                \
  if (!strcmp(what, #NAME))                                                    \
  NAME<<<GROUPS, SIZE>>>(out, bad)
  RUN(half, 1, 64);
  RUN(oneline, 1, 64);
  if (!strcmp(what, "returns"))
    returns<<<1, 256>>>(out, 40);
  if (!strcmp(what, "later") || !strcmp(what, "thread"))
    later(out, *what == 't');
  RUN(skips, 1, 128);
  RUN(former, 1, 128);
  if (!strcmp(what, "finishes"))
    finishes<<<1, 128>>>(out);
  RUN(branch, 1, 128);
  if (!strcmp(what, "partly"))
    partly<<<1, 128>>>(out);
  RUN(elsewhere, 1, 128);
  RUN(flag, 1, 64);
  RUN(lock, 1, 64);
  RUN(variable, 1, 64);
  if (!strcmp(what, "managed")) {
    int *flags = nullptr;
    HIP(hipMallocManaged(&flags, 4096));
    memset(flags, 0, 4096);
    managed<<<1, 64>>>(flags, bad);
    HIP(hipDeviceSynchronize());
    HIP(hipFree(flags));
  }
  if (!strcmp(what, "host"))
    hostSets();
  if (!strcmp(what, "grid"))
    grid<<<bad ? 64 : 2, 64>>>(out, bad ? 64 : 2);
  RUN(waves, 1, 128);
  if (!strcmp(what, "counts"))
    counts<<<4, 64>>>(out, 20000);
  RUN(odd, 1, 64);
  RUN(turns, 1, 64);
  RUN(cases, 1, 64);
  RUN(function, 1, 64);
  RUN(sites, 1, 128);
  RUN(extra, 1, 128);
  RUN(third, 1, 192);
  RUN(lengths, 1, 128);
  RUN(leaves, 1, 64);
  RUN(halving, 1, 64);
  RUN(nested, 1, 64);
  RUN(filled, 1, 64);
  RUN(order, 2, 64);
  RUN(items, 2, 64);
  RUN(inner, 1, 64);
  HIP(hipDeviceSynchronize());
  HIP(hipFree(out));
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "half";
  const int bad = count < 3 || strcmp(arguments[2], "clean") != 0;
  if (strcmp(what, "all")) {
    run(what, bad);
    return 0;
  }
  for (const char *one :
       {"half",  "returns", "elsewhere", "flag",   "lock",    "grid",   "waves", "counts", "odd",   "turns", "cases", "function",
        "sites", "extra",   "third",     "lengths", "leaves", "halving", "nested", "filled", "order", "items", "inner",
        "skips", "former",  "finishes", "branch", "partly", "oneline", "variable", "managed"})
    run(one, bad);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
