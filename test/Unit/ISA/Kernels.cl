// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for KernelTest.cpp, built at -O0 and -O2.
#define WORK static __attribute__((noinline))
#pragma OPENCL FP_CONTRACT OFF
#include "KernelWork.h"

#define GID                                                                    \
  (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +   \
   __builtin_amdgcn_workitem_id_x())

kernel void vadd(global const float *a, global const float *b, global float *c,
                 uint n) {
  uint i = GID;
  if (i < n)
    c[i] = a[i] + b[i];
}
kernel void do_fib(global uint *out) {
  uint i = GID;
  out[i] = fib(i % 12);
}
kernel void do_integers(global uint *out) { out[GID] = integers(GID); }
kernel void do_singles(global float *out) { out[GID] = singles(GID); }
kernel void do_doubles(global double *out) { out[GID] = doubles(GID); }
kernel void do_bytes(global uint *out) { out[GID] = bytes(GID); }

// The same in every lane: some GPUs compute it on scalar registers.
kernel void uniform_floats(global float *out, float x, uint n) {
  float y = x;
  for (uint k = 0; k < n; ++k) {
    y = y * x * 0.5f + (float)k;
    y = y > 100.0f ? y * 0.01f : y < -3.0f ? -y : y;
    y = __builtin_floorf(y * 8.0f) + y;
  }
  out[GID] = y;
}

// Sum of a workgroup of 256 by a tree in LDS, then into one word.
kernel void reduce(global const uint *in, global uint *total) {
  local uint part[256];
  uint t = __builtin_amdgcn_workitem_id_x();
  part[t] = in[GID];
  for (uint s = 128; s > 0; s >>= 1) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (t < s)
      part[t] += part[t + s];
  }
  if (t == 0)
    __atomic_fetch_add(total, part[0], __ATOMIC_RELAXED);
}
// Position in the grid of two-dimensional workgroups.
kernel void where(global uint *out, uint width) {
  uint x = __builtin_amdgcn_workgroup_id_x() * 16 + __builtin_amdgcn_workitem_id_x();
  uint y = __builtin_amdgcn_workgroup_id_y() * 8 + __builtin_amdgcn_workitem_id_y();
  out[y * width + x] = x * 1000 + y;
}
