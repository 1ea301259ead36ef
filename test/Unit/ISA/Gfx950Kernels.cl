// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels for Gfx950KernelTest.cpp, built at -O0 and -O2: what only gfx950 has.
typedef float Float4 __attribute__((ext_vector_type(4)));
typedef float Float2 __attribute__((ext_vector_type(2)));
typedef int Int8 __attribute__((ext_vector_type(8)));
typedef _Float16 Half8 __attribute__((ext_vector_type(8)));
typedef short Short2 __attribute__((ext_vector_type(2)));
typedef short Short4 __attribute__((ext_vector_type(4)));
typedef uint UInt2 __attribute__((ext_vector_type(2)));

#define LANE __builtin_amdgcn_workitem_id_x()

// A and B are 16 rows and columns of 32 halves, C and D 16 by 16.
kernel void halves(global const _Float16 *a, global const _Float16 *b, global float *d) {
  uint l = LANE, row = l % 16, group = l / 16;
  Half8 x, y;
  for (int k = 0; k < 8; ++k) {
    x[k] = a[row * 32 + group * 8 + k];
    y[k] = b[row * 32 + group * 8 + k];
  }
  Float4 c = {1, 2, 3, 4};
  c = __builtin_amdgcn_mfma_f32_16x16x32_f16(x, y, c, 0, 0, 0);
  for (int k = 0; k < 4; ++k)
    d[(group * 4 + k) * 16 + row] = c[k];
}

// Rows and columns of 128 numbers of 4 bits; a scale for each 32 of them.
kernel void scaled(global const uint *a, global const uint *b, global const uint *scales,
                   global float *d) {
  uint l = LANE, row = l % 16, group = l / 16;
  Int8 x = 0, y = 0;
  for (int k = 0; k < 4; ++k) {
    x[k] = a[row * 16 + group * 4 + k];
    y[k] = b[row * 16 + group * 4 + k];
  }
  Float4 c = 0;
  c = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(x, y, c, 4, 4, 1, scales[l], 2,
                                                       scales[64 + l]);
  for (int k = 0; k < 4; ++k)
    d[(group * 4 + k) * 16 + row] = c[k];
}

// To 8 bits and back, with one scale there and another back.
kernel void there_and_back(global const float *in, global float *out) {
  uint l = LANE;
  Short2 packed = 0;
  packed = __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(packed, in[2 * l], in[2 * l + 1], 4.0f, true);
  Float2 back = __builtin_amdgcn_cvt_scalef32_pk_f32_fp8(as_uint(packed), 8.0f, true);
  out[2 * l] = back.x;
  out[2 * l + 1] = back.y;
}

// The local memory that no older GPU has; through its far end.
kernel void far_local(global const uint *in, global uint *out) {
  local uint room[40960];
  uint l = LANE;
  room[40960 - 256 + l] = in[l];
  room[l] = l;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[l] = room[40960 - 1 - l] + room[255 - l];
}

kernel void swapped(global uint *out) {
  uint l = LANE;
  UInt2 pair = __builtin_amdgcn_permlane32_swap(l, l + 100, false, false);
  out[2 * l] = pair.x;
  out[2 * l + 1] = pair.y;
}

// A matrix of 16 bits, 4 rows of 16; each lane gets a column.
kernel void columns(global const short *in, global short *out) {
  local short tile[4 * 16 * 4];
  uint l = LANE;
  for (int k = 0; k < 4; ++k)
    tile[4 * l + k] = in[4 * l + k];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  Short4 v = __builtin_amdgcn_ds_read_tr16_b64_v4i16((local Short4 *)&tile[4 * l]);
  for (int k = 0; k < 4; ++k)
    out[4 * l + k] = v[k];
}
