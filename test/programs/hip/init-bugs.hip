// Kernels that use what was never written, and the same with it written ("clean"); check_bugs.py reads the comments.
#include "check.h"

#include <cstdlib>
#include <cstring>

struct Pair {
  char tag;
  int value; // after padding
};

// BUG: branch uninitialized-branch flags 0-63
__global__ void branch(const int *flags, int *out) {
  if (flags[threadIdx.x] > 3) // LINE: branch
    out[threadIdx.x] = 1;
  __syncthreads();
}

// BUG: address uninitialized-address table 0-63
__global__ void address(const int *table, int *out) {
  const int at = table[threadIdx.x] & 63; // LINE: address
  out[at] = 1;                            // LINE: address
}

// BUG: tile uninitialized-branch tile[61] 60-63
__global__ void tile(int *out, int bound) {
  __shared__ int tile[64];
  if (threadIdx.x < bound)
    tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (tile[threadIdx.x ^ 1] != 5) // LINE: tile
    out[threadIdx.x] = 2;
}

// BUG: stack uninitialized-branch * 7,15,23,31,39,47,55,63
__global__ void stack(int *out, int bound) {
  volatile int local[8];
  for (int i = 0; i < bound; ++i)
    local[i] = i;
  if (local[threadIdx.x & 7] == 3) // LINE: stack
    out[threadIdx.x] = 3;
}

// Through another buffer, registers of other lanes and arithmetic.
__global__ void forward(const int *in, int *out) {
  out[threadIdx.x] = __shfl(in[threadIdx.x], (threadIdx.x + 1) & 31) * 3 + 1; // OTHER: through
}
// BUG: through uninitialized-branch * 0-63
__global__ void through(const int *in, int *out) {
  if (in[threadIdx.x] & 4) // LINE: through
    out[threadIdx.x] = 4;
}

// BUG: scalar uninitialized-branch in *
__global__ void scalar(const int *in, int *out) {
  int n = 0;
  while (n < 4 && in[n] >= 0) // LINE: scalar
    ++n;
  out[threadIdx.x] = n;
}

// BUG: copy uninitialized-copy * -
__global__ void fill(int *out, int n) {
  if (threadIdx.x < n)
    out[threadIdx.x] = threadIdx.x;
}

// Only a part was set.
// BUG: partial uninitialized-branch in[32] 32-63
__global__ void partial(const int *in, int *out) {
  if (in[threadIdx.x] == 9) // LINE: partial
    out[threadIdx.x] = 8;
}

// BUG: copied uninitialized-branch in[48] 48-63
__global__ void copied(const int *in, int *out) {
  if (in[threadIdx.x] == 9) // LINE: copied
    out[threadIdx.x] = 9;
}

// BUG: between uninitialized-branch in 0-63
__global__ void between(const int *in, int *out) {
  if (in[threadIdx.x] == 9) // LINE: between
    out[threadIdx.x] = 10;
}

// One member of a structure.
struct Item {
  int key, value;
};
// BUG: member uninitialized-branch in[0].value 0-63
__global__ void member(const Item *in, int *out) {
  if (in[threadIdx.x].value > 3) // LINE: member
    out[threadIdx.x] = in[threadIdx.x].key;
}

// BUG: loop uninitialized-branch counts 0-63
__global__ void loop(const int *counts, int *out) {
  int sum = 0;
  const int n = counts[threadIdx.x] & 3; // OTHER: loop
  for (int i = 0; i < n; ++i) // LINE: loop
    sum += i * sum + out[i];
  out[threadIdx.x] = sum;
}

// BUG: sums uninitialized-branch * 0-63
__global__ void sums(const int *in, int *out) {
  int sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += in[threadIdx.x + 64 * i]; // OTHER: sums
  if (sum > 100) // LINE: sums
    out[threadIdx.x] = sum;
}

// BUG: atomic uninitialized-branch total 0-63
__global__ void atomic(int *total, int *out) {
  if (atomicAdd(&total[threadIdx.x], 1) > 5) // LINE: atomic
    out[threadIdx.x] = 11;
}

// BUG: writes uninitialized-address * 0-63
__global__ void writes(const unsigned char *where, int *out) {
  out[where[threadIdx.x] & 63] = 1; // LINE: writes
}

__device__ __attribute__((noinline)) int pick(const int *in, int at) {
  return in[at] * 2; // OTHER: function
}
// BUG: function uninitialized-branch * 0-63
__global__ void function(const int *in, int *out) {
  if (pick(in, threadIdx.x) == 6) // LINE: function
    out[threadIdx.x] = 12;
}

// BUG: single uninitialized-branch values[5] 5
__global__ void single(int *out, int skip) {
  __shared__ float values[64];
  if (threadIdx.x != skip)
    values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (values[threadIdx.x] > 7.5f) // LINE: single
    out[threadIdx.x] = 13;
}

// BUG: wide uninitialized-branch in 0-63
__global__ void wide(const double *in, int *out) {
  if (in[threadIdx.x] * 2 > 1) // LINE: wide
    out[threadIdx.x] = 14;
}

// BUG: halves uninitialized-branch in[1] 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63
__global__ void halves(const short *in, int *out) {
  if (in[threadIdx.x] == 3) // LINE: halves
    out[threadIdx.x] = 15;
}

// Values of all lanes decide.
// BUG: vote uninitialized-branch in *
__global__ void vote(const int *in, int *out) {
  if (__any(in[threadIdx.x] == 77)) // LINE: vote
    out[threadIdx.x] = 16;
}

// BUG: index uninitialized-address * *
__global__ void index(const int *at, const int *in, int *out) {
  out[threadIdx.x] = in[at[0] & 31]; // LINE: index
}

// BUG: rows uninitialized-copy * -
// BUG: asynccopy uninitialized-copy * -

// Registers that a wave doesn't begin with.
// BUG: vector uninitialized-branch - 0-63
__global__ void vector(int *out, int bad) {
  int some;
  if (bad)
    asm volatile("v_mov_b32 %0, v60" : "=v"(some) : : "v60"); // OTHER: vector
  else
    asm volatile("v_mov_b32 v60, 3\nv_mov_b32 %0, v60" : "=v"(some) : : "v60");
  if (some == 5) // LINE: vector
    out[threadIdx.x] = 17;
}

// BUG: scalars uninitialized-branch - *
__global__ void scalars(int *out, int bad) {
  int some;
  if (bad)
    asm volatile("s_add_i32 %0, s70, 1" : "=s"(some) : : "s70", "scc"); // OTHER: scalars
  else
    asm volatile("s_mov_b32 s70, 3\ns_add_i32 %0, s70, 1" : "=s"(some) : : "s70", "scc");
  if (some == 5) // LINE: scalars
    out[threadIdx.x] = 18;
}

// Only some lanes are written.
// BUG: lanes uninitialized-branch - 10-63
__global__ void lanes(int *out, int n) {
  int some;
  if (threadIdx.x < n)
    asm volatile("v_mov_b32 v60, 3" : : : "v60");
  asm volatile("v_mov_b32 %0, v60" : "=v"(some)); // OTHER: lanes
  if (some == 5) // LINE: lanes
    out[threadIdx.x] = 19;
}

// Nothing here depends on what wasn't written: padding, bits that are masked, a value that isn't selected.
__global__ void harmless(const Pair *in, Pair *to, const unsigned *words, const int *never, int *out) {
  Pair p = in[threadIdx.x];
  to[threadIdx.x] = p;
  if (p.tag == 7 && p.value == 9)
    out[threadIdx.x] = 5;
  if ((words[threadIdx.x] & 0xff) == 1 || ((words[threadIdx.x] << 24) >> 24) == 1)
    out[threadIdx.x] = 6;
  const int value = never[threadIdx.x];
  if ((threadIdx.x > 100 ? value : 1) == 2)
    out[threadIdx.x] = 7;
}

template <typename T> static T *make(bool written) {
  T *p = nullptr;
  HIP(hipMalloc(&p, 256 * sizeof(T)));
  if (written)
    HIP(hipMemset(p, 0, 256 * sizeof(T)));
  return p;
}

static void runHarmless(int *out) {
  Pair *pairs = make<Pair>(false), *to = make<Pair>(false);
  unsigned char *words = make<unsigned char>(false);
  std::vector<Pair> parts(64);
  HIP(hipMemcpy2D(pairs, 8, parts.data(), 8, 1, 64, hipMemcpyHostToDevice));
  HIP(hipMemcpy2D(&pairs->value, 8, &parts[0].value, 8, 4, 64, hipMemcpyHostToDevice));
  std::vector<unsigned char> bytes(64);
  HIP(hipMemcpy2D(words, 4, bytes.data(), 1, 1, 64, hipMemcpyHostToDevice));
  harmless<<<1, 64>>>(pairs, to, reinterpret_cast<unsigned *>(words), make<int>(false), out);
}

static void run(const char *what, bool bad) {
  const auto is = [&](const char *name) { return !strcmp(what, name); };
  int *in = make<int>(!bad), *middle = make<int>(true), *out = make<int>(!is("copy"));
  int host[256];
  if (is("branch"))
    branch<<<1, 64>>>(in, out);
  if (is("address"))
    address<<<1, 64>>>(in, out);
  if (is("tile"))
    tile<<<1, 64>>>(out, bad ? 60 : 64);
  if (is("stack"))
    stack<<<1, 64>>>(out, bad ? 7 : 8);
  if (is("through")) {
    forward<<<1, 64>>>(in, middle);
    through<<<1, 64>>>(middle, out);
  }
  if (is("scalar"))
    scalar<<<1, 64>>>(in, out);
  if (is("copy"))
    fill<<<1, 64>>>(out, bad ? 63 : 64);
  if (is("partial")) {
    HIP(hipMemset(in, 0, 128));
    partial<<<1, 64>>>(in, out);
  }
  if (is("copied")) {
    memset(host, 0, sizeof(host));
    HIP(hipMemcpy(in, host, 192, hipMemcpyHostToDevice));
    copied<<<1, 64>>>(in, out);
  }
  if (is("between")) {
    HIP(hipMemcpy(middle, in, 256, hipMemcpyDeviceToDevice));
    between<<<1, 64>>>(middle, out);
  }
  if (is("member")) {
    memset(host, 0, sizeof(host));
    HIP(hipMemcpy2D(in, 8, host, 8, 4, 64, hipMemcpyHostToDevice));
    member<<<1, 64>>>(reinterpret_cast<Item *>(in), out);
  }
  if (is("loop"))
    loop<<<1, 64>>>(in, out);
  if (is("sums"))
    sums<<<1, 64>>>(in, out);
  if (is("atomic"))
    atomic<<<1, 64>>>(in, out);
  if (is("writes"))
    writes<<<1, 64>>>(reinterpret_cast<unsigned char *>(in), out);
  if (is("function"))
    function<<<1, 64>>>(in, out);
  if (is("single"))
    single<<<1, 64>>>(out, bad ? 5 : -1);
  if (is("wide"))
    wide<<<1, 64>>>(reinterpret_cast<double *>(in), out);
  if (is("halves")) {
    memset(host, 0, sizeof(host));
    HIP(hipMemcpy2D(in, 4, host, 4, 2, 64, hipMemcpyHostToDevice));
    halves<<<1, 64>>>(reinterpret_cast<short *>(in), out);
  }
  if (is("vote"))
    vote<<<1, 64>>>(in, out);
  if (is("index"))
    index<<<1, 64>>>(in, middle, out);
  if (is("vector"))
    vector<<<1, 64>>>(out, bad);
  if (is("scalars"))
    scalars<<<1, 64>>>(out, bad);
  if (is("lanes"))
    lanes<<<1, 64>>>(out, bad ? 10 : 64);
  if (is("rows"))
    HIP(hipMemcpy2D(host, 16, in, 16, 8, 16, hipMemcpyDeviceToHost)); // LINE: rows
  if (is("asynccopy"))
    HIP(hipMemcpyAsync(host, in, 64, hipMemcpyDeviceToHost, nullptr)); // LINE: asynccopy
  if (is("harmless"))
    runHarmless(out);
  HIP(hipDeviceSynchronize());
  HIP(hipMemcpy(host, out, 256, hipMemcpyDeviceToHost)); // LINE: copy, OTHER: scalar
}

int main(int count, char **arguments) {
  const bool bad = count < 3 || strcmp(arguments[2], "clean") != 0;
  const char *what = count > 1 ? arguments[1] : "branch";
  if (strcmp(what, "all")) {
    run(what, bad);
    return 0;
  }
  for (const char *one : {"branch", "address", "tile", "stack", "through", "scalar", "copy", "partial", "copied",
                          "between", "member", "loop", "sums", "atomic", "writes", "function", "single", "wide",
                          "halves", "vote", "index", "vector", "scalars", "lanes", "rows", "asynccopy", "harmless"})
    run(one, bad);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
