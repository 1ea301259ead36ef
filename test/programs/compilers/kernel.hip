// One program for several compilers: without headers and libraries, so that each can make it.
// No branch: at -O0, clang 16 fills registers from memory before it has the lanes back.
#define global __attribute__((global))
#define device __attribute__((device))
#define shared __attribute__((shared))

struct pair {
  int first;
  float second;
};

device int table[4] = {7, 8, 9, 10};

device __attribute__((noinline)) int combine(pair both, const int *at, int lane) {
  int sum = both.first * 3 + *at;
  int values[3] = {sum, sum + lane, table[lane & 3]};
  int *chosen = &values[lane % 3];
  return *chosen + lane; // in the function
}

extern "C" global void kernel(int *out, long scale, float bias) {
  shared int tile[64];
  int lane = __builtin_amdgcn_workitem_id_x();
  tile[lane] = lane * lane;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  pair both = {tile[63 - lane], bias * lane};
  long wide = scale * lane + both.first;
  double ratio = wide * 0.5;
  wide += lane % 2 * 1000000000000;
  int result = combine(both, &tile[lane], lane); // in the kernel
  out[lane] = result + (int)wide + (int)ratio;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
