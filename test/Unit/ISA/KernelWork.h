// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/* What the test kernels compute for one work-item: C that the host's compiler
   and the GPU's both take, so that the test compares one with the other. */
#ifndef KERNEL_WORK_H
#define KERNEL_WORK_H

/* OpenCL's long has 64 bits, its long long has more. */
#ifdef __OPENCL_C_VERSION__
typedef long Int64;
typedef ulong UInt64;
#else
typedef long long Int64;
typedef unsigned long long UInt64;
#endif

#ifndef WORK
#define WORK static
#endif

WORK unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

WORK unsigned integers(unsigned i) {
  unsigned a[8];
  for (unsigned k = 0; k < 8; ++k)
    a[k] = i * 2654435761u + k * 40503u;
  unsigned r = 0;
  for (unsigned k = 0; k < 20; ++k) {
    unsigned x = a[(i + k) & 7];
    a[k & 7] = x / (k + 1) + x % (i + 3);
    r ^= (x << (k & 31)) | (x >> ((32 - k) & 31));
    if (x & 1)
      r += a[(k * 3) & 7];
    else
      r -= (unsigned)((int)x >> 3);
  }
  UInt64 wide = (UInt64)r * (i + (UInt64)12345678901);
  Int64 sign = (Int64)wide / ((int)i - 5000);
  return r + (unsigned)(wide >> 32) + (unsigned)sign;
}

WORK float singles(unsigned i) {
  float x = (float)i * 0.37f - 10.0f, y = 1.0f;
  for (int k = 1; k < 12; ++k) {
    y = y * x / (float)k + 0.25f;
    if (y > 1000.0f)
      y = y / 17.0f;
    if (x < 0)
      y = -y;
  }
  return y + (float)(int)x;
}

WORK double doubles(unsigned i) {
  double x = (double)i / 7.0 + 0.001, y = x;
  for (int k = 0; k < 10; ++k)
    y = (y + x / y) * 0.5;
  return y * 1e10 - (double)(Int64)(y * 1e10);
}

WORK unsigned bytes(unsigned i) {
  unsigned char c[16];
  short s[8];
  for (unsigned k = 0; k < 16; ++k)
    c[k] = (unsigned char)(i * k + k);
  for (unsigned k = 0; k < 8; ++k)
    s[k] = (short)(c[2 * k] * 300 - c[2 * k + 1] * (int)i);
  unsigned r = 0;
  for (unsigned k = 0; k < 8; ++k)
    r = r * 31 + (unsigned)(s[(k + i) & 7] / 3) + c[(k * 5 + i) & 15];
  return r;
}

#endif
