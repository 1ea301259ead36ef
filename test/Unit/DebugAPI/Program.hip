// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for the live tests: four work-groups of 128, checked on the host. The kernel uses the compiler's
// builtins alone, since Debian's device libraries don't know every GPU.
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void scale(int *out, const int *in, int factor) {
  __shared__ int shared[128];
  int item = __builtin_amdgcn_workitem_id_x();
  int i = __builtin_amdgcn_workgroup_id_x() * 128 + item;
  shared[item] = in[i];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  int value = shared[item] * factor;
  if (value & 1)
    value += 1;
  out[i] = value;
}

int main() {
  constexpr int Count = 512;
  int *in, *out, host[Count];
  if (hipMalloc(&in, sizeof(host)) || hipMalloc(&out, sizeof(host)))
    return 2;
  for (int i = 0; i < Count; ++i)
    host[i] = i;
  if (hipMemcpy(in, host, sizeof(host), hipMemcpyHostToDevice))
    return 2;
  for (int round = 0; round < 2; ++round)
    scale<<<4, 128>>>(out, in, 3 + round);
  if (hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost))
    return 2;
  for (int i = 0; i < Count; ++i)
    if (host[i] != i * 4) {
      printf("FAIL %d: %d\n", i, host[i]);
      return 1;
    }
  puts("PASS");
}
