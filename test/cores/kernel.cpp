// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel without HIP, because HIP's headers reject some GPUs.
#define KERNEL                                                                 \
  extern "C" __attribute__((amdgpu_kernel, visibility("protected")))

KERNEL void add(__attribute__((address_space(1))) int *out, int n) {
  int i = __builtin_amdgcn_workitem_id_x();
  int t = i + n;
  out[i] = t; // the waves are here
}
