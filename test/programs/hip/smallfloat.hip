// Numbers of 4 to 16 bits. The classes are those of HIP 6 and later by name and content; Debian's headers have but one.
#include <hip/hip_bfloat16.h>
#include <hip/hip_runtime.h>
#include <cstring>

struct __hip_fp8_e4m3 { unsigned char __x; };
struct __hip_fp8_e5m2 { unsigned char __x; };
struct __hip_fp8_e4m3_fnuz { unsigned char __x; };
struct __hipext_ocp_fp8x2_e4m3 { unsigned short __x; };
struct __hipext_ocp_fp8x2_e5m2 { unsigned short __x; };
struct __hipext_ocp_fp6x32_e2m3 { unsigned __x[6]; };
struct __hipext_ocp_fp6x32_e3m2 { unsigned __x[6]; };
struct __hipext_ocp_fp4x2_e2m1 { unsigned char __x; };
typedef signed char __amd_scale_t;

__host__ __device__ inline void numbers(int *out) {
  __hip_fp8_e4m3 seven{0x6e}, none{0x7f};
  __hip_fp8_e5m2 endless{0xfc};
  __hip_fp8_e4m3_fnuz half{0x38}, zero{0x80};
  __hipext_ocp_fp8x2_e4m3 most{0xfe7e}, least{0x8808}, tiny{0x8101};
  __hipext_ocp_fp8x2_e5m2 wide{0xfb7b}, small{0x8303}, odd{0xfc7d};
  __hipext_ocp_fp6x32_e2m3 six{{0xfdf, 0, 0, 0, 0, 0}};
  __hipext_ocp_fp6x32_e3m2 other{{0x904, 0, 0, 0, 0, 0}};
  __hipext_ocp_fp4x2_e2m1 four{0xf7}, part{0x91};
  hip_bfloat16 brain;
  brain.data = 0xc040;
  __amd_scale_t one = 0, eight = 3, quarter = -2, unknown = -128, smallest = -127;
  unsigned char bytes[4] = {0xde, 0xad, 0xbe, 0xef};
  signed char negative[2] = {-1, 65};
  out[0] = seven.__x + none.__x + endless.__x + half.__x + zero.__x + most.__x + least.__x + tiny.__x + wide.__x +
           small.__x + odd.__x + six.__x[0] + other.__x[0] + four.__x + part.__x + brain.data +
           one + eight + quarter + unknown + smallest + bytes[0] + negative[0]; // numbers
}
__global__ void device(int *out) { numbers(out); }

int main() {
  int *out, on_host;
  if (hipMalloc((void **)&out, 4) != hipSuccess)
    return 1;
  device<<<1, 1>>>(out);
  if (hipDeviceSynchronize() != hipSuccess)
    return 1;
  numbers(&on_host);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
