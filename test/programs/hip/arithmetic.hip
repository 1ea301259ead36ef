// The same functions on the host and on the GPU: every result must be the same to
// the bit. What is computed is what ISO C and IEEE 754 define, in such variety that
// compilers use most of a GPU's arithmetic instructions.
#include "check.h"
#include <cmath>
#include <cstring>
#include <string>

#define BOTH __host__ __device__ inline

struct In {
  unsigned a, b;
};
/// Results of one element.
struct Out {
  unsigned w[48];
};

BOTH unsigned bits(float f) { return __builtin_bit_cast(unsigned, f); }
BOTH unsigned long long bits(double d) { return __builtin_bit_cast(unsigned long long, d); }
BOTH unsigned fold(unsigned long long v) { return unsigned(v) ^ unsigned(v >> 32); }
// Which NaN comes out is nobody's promise.
BOTH unsigned same(float f) { return f != f ? 0x7fc00000u : bits(f); }
BOTH unsigned same(double d) { return d != d ? 0x7fc00001u : fold(bits(d)); }
BOTH unsigned same(_Float16 h) {
  return h != h ? 0x7e00u : __builtin_bit_cast(unsigned short, h);
}

BOTH void integers(In i, Out &o) {
  const unsigned a = i.a, b = i.b;
  const int sa = int(a), sb = int(b);
  const unsigned long long wa = (unsigned long long)a << 32 | b,
                           wb = (unsigned long long)b << 17 ^ a;
  const long long swa = (long long)wa, swb = (long long)wb;
  unsigned *p = o.w;
  *p++ = a / (b | 1);
  *p++ = a % (b | 1);
  *p++ = unsigned(sb == -1 ? sa : sa / (sb | 1));
  *p++ = unsigned(sb == -1 ? 0 : sa % (sb | 1));
  *p++ = fold(wa / (wb | 1));
  *p++ = fold(wa % (wb | 1));
  *p++ = fold(swb == -1 ? 0 : swa / (swb | 1));
  *p++ = fold(wa * wb);
  *p++ = unsigned((unsigned long long)a * b >> 32);
  *p++ = unsigned((long long)sa * sb >> 32);
  *p++ = unsigned(__builtin_popcount(a)) + unsigned(__builtin_popcountll(wb));
  *p++ = a ? unsigned(__builtin_clz(a)) : 32;
  *p++ = wb ? unsigned(__builtin_ctzll(wb)) : 64;
  *p++ = __builtin_bitreverse32(a);
  *p++ = fold(__builtin_bitreverse64(wb));
  *p++ = __builtin_bswap32(a) ^ fold(__builtin_bswap64(wb));
  *p++ = unsigned(sa < sb ? sa : sb) ^ (a > b ? a : b);
  *p++ = a << (b & 31) | a >> (31 - (b & 31));
  *p++ = unsigned(sa >> (b & 31));
  *p++ = fold(wa << (b & 63)) ^ fold(swa >> (b & 63)) ^ fold(wa >> (a & 63));
  *p++ = unsigned(wa > wb) | unsigned(swa < swb) << 1 | unsigned(sa <= sb) << 2 |
         unsigned(wa == wb) << 3 | unsigned(a >= b) << 4;
  *p++ = unsigned(sa < 0 ? 0 - a : a);
  *p++ = (a & b) | (~a & 0x5a5a5a5au);
  *p++ = a ^ b ^ 0x12345678u;
  *p++ = (a << 3) + b;
  *p++ = (a + b) << 5;
  *p++ = (a >> 7 & 0x1ff) + unsigned(sa << 11 >> 23);
  const short s = short(a), t = short(b);
  const unsigned short us = (unsigned short)a, ut = (unsigned short)b;
  *p++ = unsigned(short(s * t + s));
  *p++ = unsigned((unsigned short)(us / (ut | 1)));
  *p++ = unsigned((unsigned short)(us << (ut & 15))) ^ unsigned(s >> (t & 15));
  *p++ = unsigned(s > t ? s : t) + unsigned(us < ut ? us : ut);
  *p++ = unsigned((signed char)(a + b)) * unsigned((unsigned char)(a - b));
  // What a dot product of bytes is made of.
  unsigned sum = b;
  int signedSum = sb;
  for (unsigned k = 0; k < 32; k += 8) {
    sum += (a >> k & 0xff) * (b >> k & 0xff);
    signedSum += int((signed char)(a >> k)) * int((signed char)(b >> k));
  }
  *p++ = sum;
  *p++ = unsigned(signedSum);
  *p++ = (a & 0xffffff) * (b & 0xffffff) + 7;
  *p++ = unsigned((sa << 8 >> 8) * (long long)(sb << 8 >> 8));
  unsigned carry;
  const unsigned low = __builtin_addc(a, b, 0u, &carry);
  *p++ = low + carry * 3;
  *p++ = bits(float(a)) ^ bits(float(sb));
  *p++ = bits(float(wa)) ^ bits(float(swb));
  *p++ = fold(bits(double(wa))) ^ fold(bits(double(swb))) ^ fold(bits(double(a)));
}

template <typename F> BOTH F number(unsigned v);
template <> BOTH float number(unsigned v) {
  // All kinds: some as they stand, some of moderate size.
  return v & 1 ? __builtin_bit_cast(float, v)
               : __builtin_bit_cast(float, (v & 0x807fffffu) | (110 + (v >> 24) % 34) << 23);
}
template <> BOTH double number(unsigned v) {
  const unsigned long long wide = v * 0x9e3779b97f4a7c15ull;
  return v & 1 ? __builtin_bit_cast(double, wide)
               : __builtin_bit_cast(double, (wide & 0x800fffffffffffffull) |
                                                (unsigned long long)(1000 + v % 50) << 52);
}
template <> BOTH _Float16 number(unsigned v) {
  return __builtin_bit_cast(_Float16, (unsigned short)(v >> 8));
}

template <typename F> BOTH void numbers(In i, Out &o) {
  const F a = number<F>(i.a), b = number<F>(i.b), c = number<F>(i.a ^ i.b << 3);
  unsigned *p = o.w;
  *p++ = same(F(a + b));
  *p++ = same(F(a - b));
  *p++ = same(F(a * b));
  *p++ = same(F(a / b));
  *p++ = same(F(-a));
  *p++ = same(F(a < b ? a : b));
  *p++ = same(F(a >= b ? a : c));
  *p++ = unsigned(a < b) | unsigned(a <= b) << 1 | unsigned(a == b) << 2 |
         unsigned(a != b) << 3 | unsigned(a != a) << 4 | unsigned(!(a > b)) << 5;
  *p++ = same(F(F(a * b) + c));
  *p++ = same(F(F(F(a + F(1)) * F(0.5)) - F(2)));
  *p++ = same(float(a)) ^ same(double(b));
  *p++ = same(F(float(i.b >> 12)));
  *p++ = same(F(int(i.a) >> 18));
}
BOTH void singles(In i, Out &o) {
  numbers<float>(i, o);
  const float a = number<float>(i.a), b = number<float>(i.b);
  unsigned *p = o.w + 16;
  *p++ = same(__builtin_fmaf(a, b, a));
  *p++ = same(__builtin_sqrtf(a));
  *p++ = same(__builtin_floorf(a)) ^ same(__builtin_ceilf(b));
  *p++ = same(__builtin_truncf(a)) ^ same(__builtin_rintf(b));
  *p++ = same(__builtin_fabsf(a)) ^ same(__builtin_copysignf(a, b));
  *p++ = same(__builtin_fminf(a, 2.0f)) ^ same(__builtin_fmaxf(b, -3.0f));
  *p++ = unsigned(__builtin_fabsf(a) < 1e9f ? int(a) : 0);
  *p++ = b >= 0 && b < 4e9f ? unsigned(b) : 0;
  *p++ = same(double(a) * double(b));
  *p++ = same(_Float16(a));
}
BOTH void doubles(In i, Out &o) {
  numbers<double>(i, o);
  const double a = number<double>(i.a), b = number<double>(i.b);
  unsigned *p = o.w + 16;
  *p++ = same(__builtin_fma(a, b, a));
  *p++ = same(__builtin_sqrt(a));
  *p++ = same(__builtin_floor(a)) ^ same(__builtin_ceil(b));
  *p++ = same(__builtin_trunc(a)) ^ same(__builtin_rint(b));
  *p++ = same(__builtin_fabs(a)) ^ same(__builtin_copysign(a, b));
  *p++ = same(__builtin_fmin(a, 2.0)) ^ same(__builtin_fmax(b, -3.0));
  *p++ = unsigned(__builtin_fabs(a) < 1e9 ? int(a) : 0);
  *p++ = b >= 0 && b < 1e18 ? fold((unsigned long long)b) : 0;
  *p++ = same(float(a));
}
BOTH void halves(In i, Out &o) { numbers<_Float16>(i, o); }

/// Private memory, indexed by what only the lane knows.
BOTH void arrays(In i, Out &o) {
  unsigned long long wide[6];
  unsigned char small[24];
  for (unsigned k = 0; k < 24; ++k)
    small[k] = (unsigned char)(i.a >> (k & 7)) + k;
  for (unsigned k = 0; k < 6; ++k)
    wide[k] = (unsigned long long)i.b << (k * 5) ^ small[k * 3];
  for (unsigned k = 0; k < 20; ++k) {
    small[(i.a + k * 7) % 24] ^= (unsigned char)wide[(i.b + k) % 6];
    wide[(i.a + k) % 6] += small[(i.b + k * 5) % 24];
  }
  for (unsigned k = 0; k < 24; ++k)
    o.w[k] = small[k];
  for (unsigned k = 0; k < 6; ++k)
    o.w[24 + k] = fold(wide[k]);
}

using Function = void (*)(In, Out &);
template <Function F> __global__ void apply(const In *in, Out *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Out o = {};
    F(in[i], o);
    out[i] = o;
  }
}

template <Function F> int run(const char *name, const std::vector<In> &in) {
  Buffer<In> from(in);
  Buffer<Out> to(in.size());
  apply<F><<<(in.size() + 63) / 64, 64>>>(from.data, to.data, int(in.size()));
  HIP(hipGetLastError());
  const std::vector<Out> got = to.get();
  int bad = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    Out want = {};
    F(in[i], want);
    for (int k = 0; k < 48; ++k)
      if (got[i].w[k] != want.w[k] && bad++ < 5)
        printf("%s %d of %08x %08x: got %08x, want %08x\n", name, k, in[i].a, in[i].b,
               got[i].w[k], want.w[k]);
  }
  printf("%s: %s\n", name, bad ? "FAILED" : "PASSED");
  return bad != 0;
}

/// Exchanges within 32 lanes, which every wave has.
__global__ void exchange(const unsigned *in, unsigned *out) {
  const unsigned t = threadIdx.x, a = in[t];
  out[t * 8] = __shfl(a, (t * 5 + 3) & 31, 32);
  out[t * 8 + 1] = __shfl_up(a, 3, 32);
  out[t * 8 + 2] = __shfl_down(a, 7, 16);
  unsigned sum = a;
  for (int d = 16; d; d /= 2)
    sum += __shfl_xor(sum, d, 32);
  out[t * 8 + 3] = sum;
  out[t * 8 + 4] = unsigned(__ballot(a & 1) >> (__lane_id() & ~31u) & 0xffffffffu);
  out[t * 8 + 5] = __any(a == in[17]);
  out[t * 8 + 6] = a & 4 ? __builtin_amdgcn_readfirstlane(1) : 2;
}

__global__ void atomics(unsigned *w, unsigned long long *d, float *f) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned lw[8];
  __shared__ unsigned long long ld;
  if (threadIdx.x < 8)
    lw[threadIdx.x] = threadIdx.x == 4 ? ~0u : 0;
  if (threadIdx.x == 0)
    ld = 0;
  __syncthreads();
  atomicAdd(lw, i);
  atomicMax(lw + 1, i);
  atomicXor(lw + 2, i * 77);
  atomicOr(lw + 3, 1u << (i & 31));
  atomicMin(lw + 4, i);
  atomicAdd(&ld, (unsigned long long)i << 30);
  __syncthreads();
  if (threadIdx.x < 5)
    atomicAdd(w + threadIdx.x, lw[threadIdx.x]);
  if (threadIdx.x == 5)
    atomicAdd(d, ld);
  atomicMax(w + 5, i);
  atomicXor(w + 6, i * 5);
  atomicSub(w + 7, i);
  atomicAnd(w + 8, ~(1u << (i & 31)));
  atomicMin((int *)w + 9, -int(i));
  unsigned old = w[10];
  while (true) {
    const unsigned seen = atomicCAS(w + 10, old, old * 3 + 1);
    if (seen == old)
      break;
    old = seen;
  }
  atomicMax(d + 1, (unsigned long long)i << 35);
  atomicXor(d + 2, (unsigned long long)i * 0x100000001ull);
  atomicAdd(f, 0.5f);
}

int main() {
  std::vector<In> in;
  const unsigned edges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xffff,
                            0x8000, 0x3f800001, 0x7f800001, 0xff800001, 0x00000003};
  for (unsigned a : edges)
    for (unsigned b : edges)
      in.push_back({a, b});
  unsigned seed = 12345;
  while (in.size() < 1000) {
    const unsigned a = seed = seed * 1664525u + 1013904223u;
    const unsigned b = seed = seed * 1664525u + 1013904223u;
    in.push_back({a ^ a >> 15, (b ^ b >> 13) >> (a >> 28)});
  }
  int bad = run<integers>("integers", in) + run<singles>("singles", in) +
            run<doubles>("doubles", in) + run<halves>("halves", in) + run<arrays>("arrays", in);
  {
    std::vector<unsigned> a(64), want(64 * 8);
    for (unsigned i = 0; i < 64; ++i)
      a[i] = in[200 + i].a;
    for (unsigned half = 0; half < 64; half += 32) {
      unsigned sum = 0, odd = 0;
      for (unsigned l = 0; l < 32; ++l) {
        sum += a[half + l];
        odd |= (a[half + l] & 1) << l;
      }
      for (unsigned l = 0; l < 32; ++l) {
        unsigned *p = &want[(half + l) * 8];
        p[0] = a[half + (((half + l) * 5 + 3) & 31)];
        p[1] = a[half + (l >= 3 ? l - 3 : l)];
        p[2] = a[half + (l % 16 + 7 < 16 ? l + 7 : l)];
        p[3] = sum;
        p[4] = odd;
        p[6] = a[half + l] & 4 ? 1 : 2;
      }
    }
    Buffer<unsigned> from(a), to(64 * 8);
    HIP(hipMemset(to.data, 0, 64 * 8 * 4));
    exchange<<<1, 64>>>(from.data, to.data);
    std::vector<unsigned> got = to.get();
    for (unsigned i = 0; i < 64; ++i) // true in all lanes of the wave of lane 17
      bad += i < 32 && got[i * 8 + 5] != 1, got[i * 8 + 5] = 0;
    bad += report("exchange", got, want);
  }
  {
    const unsigned n = 512, block = 128;
    std::vector<unsigned> w(11);
    std::vector<unsigned long long> d(3);
    w[8] = ~0u;
    Buffer<unsigned> dw(w);
    Buffer<unsigned long long> dd(d);
    Buffer<float> df(std::vector<float>{0});
    atomics<<<n / block, block>>>(dw.data, dd.data, df.data);
    for (unsigned g = 0; g < n; g += block) {
      unsigned x = 0, o = 0;
      for (unsigned i = g; i < g + block; ++i) {
        w[0] += i;
        x ^= i * 77;
        o |= 1u << (i & 31);
        d[0] += (unsigned long long)i << 30;
        w[6] ^= i * 5;
        w[7] -= i;
        d[2] ^= (unsigned long long)i * 0x100000001ull;
        w[10] = w[10] * 3 + 1;
      }
      w[1] += g + block - 1;
      w[2] += x;
      w[3] += o;
      w[4] += g;
    }
    w[5] = n - 1;
    w[8] = 0;
    w[9] = 1 - n;
    d[1] = (unsigned long long)(n - 1) << 35;
    bad += report("atomics", dw.get(), w);
    bad += report("wide atomics", dd.get(), d);
    bad += report("float atomics", df.get(), std::vector<float>{n / 2});
  }
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
