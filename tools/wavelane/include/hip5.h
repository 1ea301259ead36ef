// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What HIP 5's headers, which Debian 12 has, name by intrinsics that clang 19
// doesn't have any more. `wavelane compile` includes this file in front of a
// program: without it, the linker says "undefined hidden symbol".
#pragma once
#include <hip/hip_runtime.h>

__device__ inline unsigned wavelaneAtomicInc(unsigned *address,
                                             unsigned limit) {
  return __builtin_amdgcn_atomic_inc32(address, limit, __ATOMIC_RELAXED,
                                       "agent");
}
__device__ inline unsigned wavelaneAtomicDec(unsigned *address,
                                             unsigned limit) {
  return __builtin_amdgcn_atomic_dec32(address, limit, __ATOMIC_RELAXED,
                                       "agent");
}
#define atomicInc wavelaneAtomicInc
#define atomicDec wavelaneAtomicDec
