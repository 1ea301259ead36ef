// Kernels with a mistake of memory each, and the same without ("clean"); "all clean" runs all of these.
#include "check.h"

#include <cstdlib>
#include <cstring>

__global__ void overrun(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = i; // LINE: overrun
}

__global__ void underrun(const int *in, int *out) {
  int i = threadIdx.x;
  out[i] = in[i - 1]; // LINE: underrun
}

__global__ void readOne(const int *in, int *out) {
  int i = threadIdx.x;
  out[i] = in[i]; // LINE: freed, LINE: null, LINE: unregistered
}

__global__ void local(int *out, int shift) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + shift]; // LINE: local
}

__global__ void count(char *to, int shift) {
  atomicAdd(reinterpret_cast<unsigned *>(to + shift) + threadIdx.x, 1u); // LINE: misaligned
}

__constant__ int table[4] = {1, 2, 3, 4};
__global__ void constant(int *out) {
  out[threadIdx.x] = table[threadIdx.x & 3];
}

// The bugs: name, kind, variable and work-items of what is found first ("-": none); check_bugs.py reads them.
// BUG: overrun invalid-global-access out[64] 0-31
// BUG: underrun invalid-global-access in[-1] 0
// BUG: freed use-after-free in[0] 0-63
// BUG: null invalid-global-access in[0] 0-63
// BUG: local invalid-local-access tile[64] 60-63
// BUG: copy invalid-copy - -
// BUG: fill invalid-copy - -
// BUG: doublefree double-free - -
// BUG: badfree invalid-free - -
// BUG: leak leak - -

// BUG: misaligned misaligned-access to[2] 0-31
// Between two allocations.
// BUG: gap invalid-global-access out[400] 16-63
__global__ void gap(int *out, int from) {
  if (threadIdx.x >= 16)
    out[from + threadIdx.x - 16] = 1; // LINE: gap
}

// The last element is only half there.
// BUG: straddle invalid-global-access in[15] 15
__global__ void straddle(const double2 *in, double *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = in[threadIdx.x].y; // LINE: straddle
}

// One load for all lanes.
// BUG: uniform invalid-global-access in[64] 0-63
__global__ void uniform(const int *in, int *out, int at) {
  out[threadIdx.x] = in[at]; // LINE: uniform
}

// BUG: histogram invalid-global-access bins[64] 3
__global__ void histogram(unsigned *bins, int top) {
  atomicAdd(&bins[threadIdx.x == 3 ? top : threadIdx.x], 1u); // LINE: histogram
}

__device__ __attribute__((noinline)) void put(short *to, int at, short value) {
  to[at] = value; // LINE: called
}
// BUG: called invalid-global-access to 7
__global__ void called(short *out, int last) {
  put(out, threadIdx.x == 7 ? last : threadIdx.x, 1);
}

// The compiler doesn't know whether it is local memory.
// BUG: flat invalid-global-access p 0
__global__ void flat(const char *in, char *out, int from) {
  __shared__ char some[64];
  some[threadIdx.x] = char(threadIdx.x);
  __syncthreads();
  const char *p = threadIdx.x < 32 ? in : some;
  asm("" : "+v"(p));
  out[threadIdx.x] = p[int(threadIdx.x) + (threadIdx.x ? 0 : from)]; // LINE: flat
}

// BUG: dynamic invalid-local-access * 48-63
__global__ void dynamic(int *out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = threadIdx.x; // LINE: dynamic
  __syncthreads();
  out[threadIdx.x] = threadIdx.x < 48 ? tile[threadIdx.x] : 0;
}

// BUG: localatomic invalid-local-access counts[16] 5
__global__ void localatomic(int *out, int at) {
  __shared__ int counts[16];
  if (threadIdx.x < 16)
    counts[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&counts[threadIdx.x == 5 ? at : threadIdx.x], 1); // LINE: localatomic
  __syncthreads();
  out[threadIdx.x] = counts[threadIdx.x & 15];
}

// Beyond the lane's private memory.
// BUG: stack invalid-private-access some[65536] 9
__global__ void stack(int *out, int at) {
  volatile int some[8];
  some[threadIdx.x & 7] = 1;
  some[threadIdx.x == 9 ? at : 0] = 2; // LINE: stack
  out[threadIdx.x] = some[threadIdx.x & 3];
}

// Into the next variable in local memory.
// BUG: neighbor invalid-local-access front[34] 60
__global__ void neighbor(int *out, int at) {
  __shared__ int front[32], rear[32];
  if (threadIdx.x < 32)
    front[threadIdx.x] = rear[threadIdx.x] = 1;
  __syncthreads();
  front[threadIdx.x == 60 ? at : threadIdx.x & 31] = 2; // LINE: neighbor
  __syncthreads();
  out[threadIdx.x] = front[threadIdx.x & 31] + rear[threadIdx.x & 31];
}

// In front of it, and not at the end of a row.
// BUG: before invalid-local-access square[-1][3] 0,16,32,48
__global__ void before(int *out, int at) {
  __shared__ int first[64];
  __shared__ int square[4][4];
  first[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 16)
    square[threadIdx.x / 4][threadIdx.x % 4] = 1;
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x] + square[0][int(threadIdx.x & 15) + (threadIdx.x & 15 ? 0 : at)]; // LINE: before
}

// Into the next variable of the lane.
// BUG: slot invalid-private-access some[9] 7
__global__ void slot(int *out, int at) {
  volatile int other[4];
  volatile int some[8];
  volatile int more[4];
  for (int i = 0; i < 4; ++i)
    other[i] = more[i] = some[i] = some[i + 4] = i;
  some[threadIdx.x == 7 ? at : threadIdx.x & 7] = 5; // LINE: slot
  out[threadIdx.x] = some[1] + other[threadIdx.x & 3] + more[threadIdx.x & 3];
}

// Optimized, loads of both are in one clause, where all have the line of the first.
// BUG: clauses invalid-private-access work[40] 40
__global__ void clauses(int *out, int at) {
  int work[40], other[40];
  for (int i = 0; i < 40; ++i) {
    work[i] = i;
    other[i] = -i;
  }
  const int mine = threadIdx.x < 40 ? threadIdx.x : threadIdx.x == 40 ? at : 0;
  work[mine] = 7; // LINE: clauses
  int sum = 0;
  for (int i = 0; i < 40; ++i)
    sum += work[i * mine % 40] + other[(i + mine) % 40];
  out[threadIdx.x] = sum;
}

__device__ __attribute__((noinline)) int use(int at) {
  volatile short own[6];
  volatile short kept[10];
  for (int i = 0; i < 6; ++i)
    own[i] = kept[i] = kept[i + 4] = short(i);
  int sum = own[at]; // LINE: frame
  return sum + kept[at & 3];
}
// BUG: frame invalid-private-access own[7] 3
__global__ void frame(int *out, int at) {
  out[threadIdx.x] = use(threadIdx.x == 3 ? at : threadIdx.x % 6);
}

// Beyond a member.
struct Halves {
  int low[16], high[16];
};
struct Nested : Halves {
  short last[4];
  Halves more;
};
// BUG: member invalid-local-access both.more.low[18] 4
__global__ void member(int *out, int at) {
  __shared__ Nested both;
  both.low[threadIdx.x & 15] = both.high[threadIdx.x & 15] = 1;
  both.more.high[threadIdx.x & 15] = 1;
  both.last[threadIdx.x & 3] = 2;
  both.more.low[threadIdx.x == 4 ? at : threadIdx.x & 15] = 3; // LINE: member
  __syncthreads();
  out[threadIdx.x] = both.low[threadIdx.x & 15] + both.more.low[threadIdx.x & 15] + both.more.high[3] + both.last[1];
}

// Beyond a member of an element, and beyond the elements.
struct Entry {
  int keys[4], count;
};
// BUG: elementmember invalid-local-access entries[5].keys[4] 5
// BUG: elementfield invalid-local-access entries[9].count 3
__global__ void elements(int *out, int at, int element) {
  __shared__ Entry entries[8];
  __shared__ int behind[64];
  behind[threadIdx.x] = 1;
  if (threadIdx.x < 8) {
    entries[threadIdx.x].count = 2;
    for (int i = 0; i < 4; ++i)
      entries[threadIdx.x].keys[i] = i;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    entries[2] = entries[6];
  entries[threadIdx.x & 7].keys[threadIdx.x == 5 ? at : threadIdx.x & 3] = 3; // LINE: elementmember
  __syncthreads();
  out[threadIdx.x] = behind[threadIdx.x] + entries[threadIdx.x & 7].keys[3] +
                     entries[threadIdx.x == 3 ? element : threadIdx.x & 7].count; // LINE: elementfield
}

// BUG: framemember invalid-private-access both.low[17] 6
__global__ void framemember(int *out, int at) {
  volatile Halves both;
  for (int i = 0; i < 16; ++i)
    both.low[i] = both.high[i] = i;
  out[threadIdx.x] = both.low[threadIdx.x == 6 ? at : threadIdx.x & 15] + both.high[threadIdx.x & 15]; // LINE: framemember
}

// BUG: fields invalid-global-access all[8].high[2] 8
__global__ void fields(Halves *all, int n) {
  if (threadIdx.x < n)
    all[threadIdx.x].high[2] = 1; // LINE: fields
}

// What only the host may write.
// BUG: constwrite read-only-write table[0] 0-3
__global__ void constwrite(int *out, bool bad) {
  int *to = bad ? const_cast<int *>(table) : out;
  to[threadIdx.x & 3] = 3; // LINE: constwrite
}

__device__ int left[16], right[16];
// BUG: globals invalid-global-access left[18] 2
__global__ void globals(int *out, int at) {
  right[threadIdx.x & 15] = 1;
  left[threadIdx.x == 2 ? at : threadIdx.x & 15] += 1; // LINE: globals
  out[threadIdx.x] = right[threadIdx.x & 15];
}

// What looks like it, and is right: an array in an array, a pointer beyond one, the last of both.
__global__ void right_ones(int *out, int n) {
  __shared__ int low[32], high[32];
  volatile int mine[3][5];
  if (threadIdx.x < 32)
    low[threadIdx.x] = high[threadIdx.x] = 1;
  __syncthreads();
  for (int i = 0; i < 15; ++i)
    mine[0][i] = i;
  int *some = threadIdx.x & 1 ? low : high, *end = low + 32;
  some[threadIdx.x / 2] = 3;
  __syncthreads();
  out[threadIdx.x] = end[-1 - int(threadIdx.x & 31)] + (n & 1 ? low : high)[31 - (threadIdx.x & 31)] + mine[2][n & 3] +
                     low[31] + high[0];
}

// Two workgroups of two dimensions, of which the second has a row too many.
// BUG: rows invalid-global-access out[256] 0-15
__global__ void rows(char *out, int height) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < height)
    out[y * 16 + threadIdx.x] = 1; // LINE: rows
}

// BUG: managed invalid-global-access in[63] 0
// BUG: pinned invalid-global-access in[63] 0
// BUG: registered invalid-global-access in[63] 0
// BUG: unregistered invalid-global-access in[0] 0-63
__global__ void readLast(const int *in, int *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = in[63 + threadIdx.x]; // LINE: managed, LINE: pinned, LINE: registered
}

// BUG: asynccopy invalid-copy - -
// BUG: asyncfill invalid-copy - -
// BUG: rectangle invalid-copy - -
// BUG: fromfreed invalid-copy - -
// BUG: hostfree invalid-free - -
// BUG: pinnedleak leak - -
// BUG: between invalid-copy - -
// BUG: symbol invalid-copy table[0] - unnamed cov4
// BUG: fromsymbol invalid-copy table[2] - unnamed cov4

template <typename T> static T *make(size_t count) {
  T *p = nullptr;
  HIP(hipMalloc(&p, count * sizeof(T))); // LINE: leak
  HIP(hipMemset(p, 0, count * sizeof(T)));
  return p;
}

__attribute__((noinline)) static void freeInside(int *p) {
  (void)hipFree(p + 4); // LINE: frees
}

static void run(const char *what, bool bad) {
  int *a = make<int>(64), *b = make<int>(64);
  hipStream_t stream = nullptr;
  if (!strcmp(what, "overrun")) {
    overrun<<<2, 64>>>(a, bad ? 96 : 64);
  } else if (!strcmp(what, "underrun")) {
    underrun<<<1, 32>>>(a + (bad ? 0 : 1), b);
  } else if (!strcmp(what, "freed")) {
    if (bad)
      HIP(hipFree(a));
    readOne<<<1, 64>>>(a, b);
  } else if (!strcmp(what, "null")) {
    readOne<<<1, 64>>>(bad ? nullptr : a, b);
  } else if (!strcmp(what, "local")) {
    local<<<1, 64>>>(a, bad ? 4 : 0);
  } else if (!strcmp(what, "misaligned")) {
    count<<<1, 32>>>(reinterpret_cast<char *>(a), bad ? 2 : 4);
  } else if (!strcmp(what, "copy")) {
    int host[128] = {};
    (void)hipMemcpy(a, host, bad ? 512 : 256, hipMemcpyHostToDevice); // LINE: copy
  } else if (!strcmp(what, "fill")) {
    (void)hipMemset(a, 1, bad ? 257 : 256); // LINE: fill
  } else if (!strcmp(what, "doublefree")) {
    HIP(hipFree(b));
    b = nullptr;
    if (bad) {
      HIP(hipFree(a));
      (void)hipFree(a); // LINE: doublefree
      a = nullptr;
    }
  } else if (!strcmp(what, "badfree")) {
    if (bad)
      (void)hipFree(a + 4); // LINE: badfree
  } else if (!strcmp(what, "frees")) {
    overrun<<<1, 64>>>(a, 64);
    HIP(hipDeviceSynchronize());
    (void)hipMemset(a, 1, 300); // OTHER: frees
    freeInside(a);
  } else if (!strcmp(what, "leak")) {
    if (bad)
      a = nullptr;
  } else if (!strcmp(what, "constant")) {
    constant<<<1, 64>>>(a);
  } else if (!strcmp(what, "million")) {
    overrun<<<4096, 256>>>(a, bad ? 1 << 20 : 64);
  } else if (!strcmp(what, "gap")) {
    gap<<<1, 64>>>(a, bad ? 400 : 0);
  } else if (!strcmp(what, "straddle")) {
    straddle<<<1, 64>>>(reinterpret_cast<double2 *>(reinterpret_cast<char *>(a) + (bad ? 8 : 0)), reinterpret_cast<double *>(b), 16);
  } else if (!strcmp(what, "uniform")) {
    uniform<<<1, 64>>>(a, b, bad ? 64 : 63);
  } else if (!strcmp(what, "histogram")) {
    histogram<<<1, 64>>>(reinterpret_cast<unsigned *>(a), bad ? 64 : 63);
  } else if (!strcmp(what, "called")) {
    called<<<1, 64>>>(reinterpret_cast<short *>(a), bad ? 128 : 127);
  } else if (!strcmp(what, "flat")) {
    flat<<<1, 64>>>(reinterpret_cast<char *>(a), reinterpret_cast<char *>(b), bad ? -1 : 0);
  } else if (!strcmp(what, "dynamic")) {
    dynamic<<<1, 64, bad ? 192 : 256>>>(a);
  } else if (!strcmp(what, "localatomic")) {
    localatomic<<<1, 64>>>(a, bad ? 16 : 15);
  } else if (!strcmp(what, "stack")) {
    stack<<<1, 64>>>(a, bad ? 1 << 16 : 7);
  } else if (!strcmp(what, "neighbor")) {
    neighbor<<<1, 64>>>(a, bad ? 34 : 31);
  } else if (!strcmp(what, "before")) {
    before<<<1, 64>>>(a, bad ? -1 : 0);
  } else if (!strcmp(what, "clauses")) {
    clauses<<<1, 64>>>(a, bad ? 40 : 39);
  } else if (!strcmp(what, "slot")) {
    slot<<<1, 64>>>(a, bad ? 9 : 7);
  } else if (!strcmp(what, "frame")) {
    frame<<<1, 64>>>(a, bad ? 7 : 5);
  } else if (!strcmp(what, "member")) {
    member<<<1, 64>>>(a, bad ? 18 : 15);
  } else if (!strcmp(what, "elementmember")) {
    elements<<<1, 64>>>(a, bad ? 4 : 3, 7);
  } else if (!strcmp(what, "elementfield")) {
    elements<<<1, 64>>>(a, 3, bad ? 9 : 7);
  } else if (!strcmp(what, "framemember")) {
    framemember<<<1, 64>>>(a, bad ? 17 : 15);
  } else if (!strcmp(what, "fields")) {
    Halves *all = make<Halves>(8);
    fields<<<1, 64>>>(all, bad ? 9 : 8);
    HIP(hipDeviceSynchronize());
    HIP(hipFree(all));
  } else if (!strcmp(what, "constwrite")) {
    constwrite<<<1, 4>>>(a, bad);
  } else if (!strcmp(what, "symbol")) {
    const int host[5] = {1, 2, 3, 4, 5};
    (void)hipMemcpyToSymbol(HIP_SYMBOL(table), host, bad ? 20 : 16); // LINE: symbol
  } else if (!strcmp(what, "fromsymbol")) {
    int host[4];
    (void)hipMemcpyFromSymbol(host, HIP_SYMBOL(table), 12, bad ? 8 : 4); // LINE: fromsymbol
  } else if (!strcmp(what, "globals")) {
    globals<<<1, 64>>>(a, bad ? 18 : 15);
  } else if (!strcmp(what, "right_ones")) {
    right_ones<<<1, 64>>>(a, bad);
  } else if (!strcmp(what, "rows")) {
    rows<<<dim3(1, 2), dim3(16, 16)>>>(reinterpret_cast<char *>(a), bad ? 17 : 16);
  } else if (!strcmp(what, "managed")) {
    int *p = nullptr;
    HIP(hipMallocManaged(&p, 256));
    memset(p, 0, 256);
    readLast<<<1, 64>>>(p + (bad ? 1 : 0), b, 1);
    HIP(hipDeviceSynchronize());
    HIP(hipFree(p));
  } else if (!strcmp(what, "pinned")) {
    int *p = nullptr;
    HIP(hipHostMalloc(&p, 256));
    memset(p, 0, 256);
    readLast<<<1, 64>>>(p + (bad ? 1 : 0), b, 1);
    HIP(hipDeviceSynchronize());
    HIP(hipHostFree(p));
  } else if (!strcmp(what, "registered")) {
    std::vector<int> own(128);
    int *p = nullptr;
    HIP(hipHostRegister(own.data(), 256, hipHostRegisterDefault));
    HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&p), own.data(), 0));
    readLast<<<1, 64>>>(p + (bad ? 1 : 0), b, 1);
    HIP(hipDeviceSynchronize());
    HIP(hipHostUnregister(own.data()));
  } else if (!strcmp(what, "unregistered")) {
    std::vector<int> own(64);
    readOne<<<1, 64>>>(bad ? own.data() : a, b);
    (void)hipDeviceSynchronize();
  } else if (!strcmp(what, "asynccopy")) {
    static int host[128];
    HIP(hipStreamCreate(&stream));
    (void)hipMemcpyAsync(host, a, bad ? 260 : 256, hipMemcpyDeviceToHost, stream); // LINE: asynccopy
  } else if (!strcmp(what, "asyncfill")) {
    HIP(hipStreamCreate(&stream));
    (void)hipMemsetD32Async(hipDeviceptr_t(a), 7, bad ? 65 : 64, stream); // LINE: asyncfill
  } else if (!strcmp(what, "rectangle")) {
    char host[256] = {};
    (void)hipMemcpy2D(a, bad ? 20 : 16, host, 16, 16, 16, hipMemcpyHostToDevice); // LINE: rectangle
  } else if (!strcmp(what, "fromfreed")) {
    int host[64];
    if (bad)
      HIP(hipFree(a));
    (void)hipMemcpyDtoH(host, hipDeviceptr_t(a), 256); // LINE: fromfreed
    a = bad ? nullptr : a;
  } else if (!strcmp(what, "hostfree")) {
    (bad ? hipHostFree(a) : hipFree(a)); // LINE: hostfree
    a = bad ? a : nullptr;
  } else if (!strcmp(what, "pinnedleak")) {
    int *p = nullptr;
    HIP(hipHostMalloc(&p, 64)); // LINE: pinnedleak
    if (!bad)
      HIP(hipHostFree(p));
  } else if (!strcmp(what, "between")) {
    (void)hipMemcpyDtoD(hipDeviceptr_t(b), hipDeviceptr_t(a + (bad ? 32 : 0)), 256); // LINE: between
  }
  if (!bad || strcmp(what, "unregistered"))
    HIP(hipDeviceSynchronize());
  if (stream)
    HIP(hipStreamDestroy(stream));
  (void)hipFree(a); // OTHER: freed, OTHER: badfree, OTHER: hostfree
  (void)hipFree(b);
}

static const char *const all[] = {
    "overrun", "underrun", "freed", "null", "local", "misaligned", "copy", "fill", "doublefree", "badfree", "leak",
    "constant", "gap", "straddle", "uniform", "histogram", "called", "flat", "dynamic", "localatomic", "stack", "rows",
    "managed", "pinned", "registered", "unregistered", "asynccopy", "asyncfill", "rectangle", "fromfreed", "hostfree",
    "pinnedleak", "between", "neighbor", "before", "slot", "clauses", "frame", "globals", "right_ones",
    "member", "elementmember", "elementfield", "framemember", "fields", "constwrite", "symbol", "fromsymbol"};

int main(int count_, char **arguments) {
  const bool bad = count_ < 3 || strcmp(arguments[2], "clean") != 0;
  const char *what = count_ > 1 ? arguments[1] : "overrun";
  if (strcmp(what, "all"))
    run(what, bad);
  else
    for (const char *one : all)
      run(one, bad);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
