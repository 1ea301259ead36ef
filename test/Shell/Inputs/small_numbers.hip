// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 8 and 16 bits: 1.5 times the lane. The classes with 8 bits and of two numbers are those of HIP 6 and later.
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

struct __hip_fp8_e4m3 { unsigned char __x; };
struct __hip_bfloat162 { unsigned short x, y; };
typedef _Float16 Row __attribute__((ext_vector_type(4)));

__global__ void types(__half *h, _Float16 *f, hip_bfloat16 *b, __half2 *h2, __hip_fp8_e4m3 *e, float *sums) {
  int i = threadIdx.x;
  __half a = __float2half(1.5f * i);
  _Float16 g = (_Float16)(1.5f * i);
  hip_bfloat16 c(1.5f * i);
  __half2 two = __floats2half2_rn(i, -i);
  __hip_fp8_e4m3 seven{0x4e};
  __hip_bfloat162 brains{0x3fc0, 0xc000};
  Row row = {g, g, 1, 2};
  h[i] = a;
  f[i] = g;
  b[i] = c;
  h2[i] = __hadd2(two, two);
  e[i] = seven;
  if (i == 3)
    h[i] = __float2half(1e6f * 0.f / 0.f);
  sums[i] = row.x + row.w;
} // stop
int main() {
  __half *h;
  _Float16 *f;
  hip_bfloat16 *b;
  __half2 *h2;
  __hip_fp8_e4m3 *e;
  float *sums;
  (void)hipMalloc(&h, 128);
  (void)hipMalloc(&f, 128);
  (void)hipMalloc(&b, 128);
  (void)hipMalloc(&h2, 256);
  (void)hipMalloc(&e, 64);
  (void)hipMalloc(&sums, 256);
  types<<<1, 64>>>(h, f, b, h2, e, sums);
  (void)hipDeviceSynchronize();
}
