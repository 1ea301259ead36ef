// HIP's vector types, per lane.
#include "check.h"
#include <hip/hip_fp16.h>

__global__ void vectors(float4 *out) {
  int i = threadIdx.x;
  float4 f = make_float4(i, i + 0.5f, 2 * i, -i);
  int2 pair = make_int2(i, 100 + i);
  uchar4 bytes = make_uchar4(i, 1, 2, 255);
  __half2 halves = __floats2half2_rn(i, i + 0.25f);
  float4 array[2] = {f, f + f};
  out[i] = make_float4(f.x + pair.y + bytes.w, array[1].y, __high2float(halves), 0); // break here
}

int main() {
  float4 *out;
  HIP(hipMalloc((void **)&out, 64 * sizeof(float4)));
  vectors<<<1, 64>>>(out);
  float4 host[64];
  HIP(hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost));
  printf("%g %g %g\n", host[9].x, host[9].y, host[9].z);
  return host[9].x == 9 + 109 + 255 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
