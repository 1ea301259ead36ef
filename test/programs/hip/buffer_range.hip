// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A buffer descriptor of 32 elements, which 64 lanes read and write: the range
// check drops what is beyond. With an argument, the descriptor claims more than
// has been allocated.
#include "check.h"
#include <cstdio>

// Raw buffers, whose range is in bytes; gfx10 has another format, and says how
// to check it.
#ifdef __GFX9__
#define FLAGS 0x00020000
#else
#define FLAGS 0x31014000
#endif

typedef int int4_t __attribute__((ext_vector_type(4)));

__global__ void copy(int *from, int *to, int bytes) {
  __amdgpu_buffer_rsrc_t in =
      __builtin_amdgcn_make_buffer_rsrc(from, 0, bytes, FLAGS);
  const int i = threadIdx.x;
  const int one = __builtin_amdgcn_raw_buffer_load_b32(in, i * 4, 0, 0);
  const int4_t four = __builtin_amdgcn_raw_buffer_load_b128(in, i * 4, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b32(one + 1, in, i < 32 ? i * 4 : -1, 0, 0);
  to[i] = one + four.x + four.y + four.z + four.w;
}

int main(int argc, char **) {
  int *from, *to, host[64], sum = 0;
  HIP(hipMalloc(&from, 128));
  HIP(hipMalloc(&to, 256));
  for (int i = 0; i < 32; ++i)
    host[i] = i + 1;
  HIP(hipMemcpy(from, host, 128, hipMemcpyHostToDevice));
  copy<<<1, 64>>>(from, to, argc > 1 ? 256 : 128);
  HIP(hipMemcpy(host, to, 256, hipMemcpyDeviceToHost));
  for (int i = 0; i < 64; ++i)
    sum += host[i];
  printf("%d %d %d\n", host[30], host[63], sum);
}
