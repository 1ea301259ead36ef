// Functions with results of every kind, each of which depends on the lane.
#include "check.h"

#define CALLED __device__ __attribute__((noinline))

typedef float Float4 __attribute__((ext_vector_type(4)));
typedef short Short3 __attribute__((ext_vector_type(3)));
typedef double Double2 __attribute__((ext_vector_type(2)));
typedef _Float16 Half2 __attribute__((ext_vector_type(2)));
enum Color : unsigned char { red, green, blue };
enum Wide : long { low = 1, high = 1L << 40 };
struct Pair {
  int first;
  float second;
};
struct Padded {
  char letter;
  double number;
  bool flag;
};
struct Nested {
  Pair pair;
  int numbers[3];
  Half2 halves;
};
struct Narrow {
  char letters[3];
  short number;
};
struct Bits {
  int low : 4;
  int high : 12;
  unsigned rest : 16;
};
struct WideBits {
  long low : 40;
  long high : 24;
  long rest;
};
struct Derived : Pair {
  int third;
};
struct Member {
  int value;
  CALLED Member add(int more) const { return {value + more}; }
};
union Either {
  int number;
  float fraction;
};
// Of sixteen bytes: not packed into two registers.
union WideEither {
  int numbers[4];
  double fraction;
};
// The compiler fills what alignment leaves.
struct Aligned {
  int first;
  alignas(16) int second;
};
struct Empty {};
struct Large {
  long numbers[12];
};

typedef Large Renamed;

#define SIDE asm volatile("")
CALLED void of_void(int *out, int v) { out[v] += 1; }
CALLED bool of_bool(int v) { SIDE; return v % 2; }
CALLED char of_char(int v) { SIDE; return 'a' + v % 26; }
CALLED signed char of_schar(int v) { SIDE; return -v; }
CALLED unsigned short of_ushort(int v) { SIDE; return 65535 - v; }
CALLED short of_short(int v) { SIDE; return -v; }
CALLED unsigned of_unsigned(int v) { SIDE; return 4000000000u + v; }
CALLED long of_long(int v) { SIDE; return v * -10000000000; }
CALLED unsigned long of_ulong(int v) { SIDE; return ~0ul - v; }
CALLED float of_float(int v) { SIDE; return v + 0.5f; }
CALLED double of_double(int v) { SIDE; return v + 0.25; }
CALLED _Float16 of_half(int v) { SIDE; return _Float16(v) + _Float16(0.5f); }
CALLED int *of_pointer(int *out, int v) { SIDE; return out + v; }
CALLED int &of_reference(int *out, int v) { SIDE; return out[v]; }
CALLED Color of_enum(int v) { SIDE; return Color(v % 3); }
CALLED Wide of_wide(int v) { SIDE; return v % 2 ? high : low; }
CALLED Float4 of_float4(int v) { SIDE; return {v + 0.5f, v + 1.0f, -1.0f * v, 4}; }
CALLED Short3 of_short3(int v) { SIDE; return {short(v), short(-v), 3}; }
CALLED Double2 of_double2(int v) { SIDE; return {v + 0.5, v * -2.0}; }
CALLED Half2 of_half2(int v) { SIDE; return {_Float16(v), _Float16(-1)}; }
CALLED Pair of_pair(int v) { SIDE; return {v, v * 0.5f}; }
CALLED Padded of_padded(int v) { SIDE; return {char('a' + v % 26), v * 0.5, v % 2 != 0}; }
CALLED Nested of_nested(int v) { SIDE; return {{v, v * 0.5f}, {v + 1, v + 2, v + 3}, {_Float16(v), _Float16(2)}}; }
CALLED Narrow of_narrow(int v) { SIDE; return {{'x', 'y', char('a' + v % 26)}, short(-v)}; }
CALLED Bits of_bits(int v) { SIDE; return {v % 8, v * 3, unsigned(v) * 5}; }
CALLED WideBits of_widebits(int v) { SIDE; return {v * 7l, -v * 3l, v * 5l}; }
CALLED Derived of_derived(int v) { SIDE; Derived d; d.first = v; d.second = v * 0.5f; d.third = v * 3; return d; }
CALLED Either of_either(int v) { SIDE; Either e; e.fraction = v * 0.5f; return e; }
CALLED WideEither of_wideeither(int v) { SIDE; WideEither e; e.numbers[0] = v; e.numbers[1] = -v; e.numbers[2] = 2 * v; e.numbers[3] = 9; return e; }
CALLED Aligned of_aligned(int v) { SIDE; return {v, -v}; }
CALLED float4 of_hip_float4(int v) { SIDE; return make_float4(v, -v, v + 0.5f, 4); }
CALLED float3 of_hip_float3(int v) { SIDE; return make_float3(v, -v, v + 0.5f); }
CALLED double2 of_hip_double2(int v) { SIDE; return make_double2(v, v + 0.5); }
CALLED short4 of_hip_short4(int v) { SIDE; return make_short4(v, -v, 3, 4); }
CALLED Empty of_empty(int *out, int v) { out[v] += 2; return {}; }
CALLED Large of_large(int v) { SIDE; Large l = {}; l.numbers[0] = v; l.numbers[11] = v * -3l; return l; }
CALLED Renamed of_renamed(int v) { SIDE; Large l = {}; l.numbers[3] = v * 9l; return l; }
// At -O2 the compiler drops what no caller uses.
CALLED Pair of_unused(int v) { SIDE; return {v, v * 0.5f}; }
CALLED int of_some(int v) { SIDE; return v * 100; }

struct Results {
  Float4 four;
  Short3 three;
  Double2 two;
  Half2 halves;
  Pair pair;
  Padded padded;
  Nested nested;
  Narrow narrow;
  Bits bits;
  WideBits wide_bits;
  Derived derived;
  Either either;
  WideEither wide_either;
  Aligned aligned;
  float4 hip_float4;
  float3 hip_float3;
  double2 hip_double2;
  short4 hip_short4;
  Large large;
  Renamed renamed;
};

__global__ void results(int *out, void *all) {
  int v = threadIdx.x, sum = 0;
  of_void(out, v);
  sum += of_bool(v);
  sum += of_char(v);
  sum += of_schar(v);
  sum += of_ushort(v);
  sum += of_short(v);
  sum += of_unsigned(v);
  sum += of_long(v);
  sum += of_ulong(v);
  sum += int(of_float(v));
  sum += int(of_double(v));
  sum += int(of_half(v));
  sum += *of_pointer(out, v);
  sum += of_reference(out, v);
  sum += of_enum(v);
  sum += of_wide(v);
  sum += of_unused(v).first;
  // All of a result is used.
  Results *result = (Results *)all + v;
  result->four = of_float4(v);
  result->three = of_short3(v);
  result->two = of_double2(v);
  result->halves = of_half2(v);
  result->pair = of_pair(v);
  result->padded = of_padded(v);
  result->nested = of_nested(v);
  result->narrow = of_narrow(v);
  result->bits = of_bits(v);
  result->wide_bits = of_widebits(v);
  result->derived = of_derived(v);
  sum += Member{v}.add(7).value;
  result->either = of_either(v);
  result->wide_either = of_wideeither(v);
  result->aligned = of_aligned(v);
  result->hip_float4 = of_hip_float4(v);
  result->hip_float3 = of_hip_float3(v);
  result->hip_double2 = of_hip_double2(v);
  result->hip_short4 = of_hip_short4(v);
  of_empty(out, v);
  result->large = of_large(v);
  result->renamed = of_renamed(v);
  if (v % 2)
    sum += of_some(v);
  out[v + 64] = sum;
}

int main() {
  Buffer<int> out(std::vector<int>(128));
  Buffer<Results> all(64);
  results<<<1, 64>>>(out.data, all.data);
  HIP(hipDeviceSynchronize());
  std::vector<int> got = out.get(), want(64);
  for (int i = 0; i < 64; ++i)
    want[i] = 3; // What results are is looked at by a debugger.
  return report("results", std::vector<int>(got.begin(), got.begin() + 64), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
