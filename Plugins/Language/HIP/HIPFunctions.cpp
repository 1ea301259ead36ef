//===-- HIPFunctions.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HIPFunctions.h"

#include "wavelane/GPU/SmallFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb_private::wavelane;
using ::wavelane::gpu::SmallFloat;

// All are templates, so that a program's function of the same arguments is the
// better match. A HIP vector has its elements as `data` and from `x` on.
static constexpr llvm::StringLiteral g_functions = R"(
namespace __wavelane {
template <bool> struct __wavelane_if;
template <> struct __wavelane_if<true> { typedef int type; };
template <class T> using __wavelane_arithmetic = typename __wavelane_if<__is_arithmetic(T)>::type;
template <class A, class B = A> struct __wavelane_float { static const bool value = false; };
template <> struct __wavelane_float<float, float> { static const bool value = true; };
template <class D, class X> struct __wavelane_of { typedef X type; };
template <int N, class X> struct __wavelane_of<__fp16 __attribute__((ext_vector_type(N))), X> { typedef __fp16 type; };
template <int N, class X> struct __wavelane_of<_Float16 __attribute__((ext_vector_type(N))), X> { typedef _Float16 type; };
template <class V, class = decltype(V::data)> using __wavelane_element = typename __wavelane_of<decltype(V::data), decltype(V::x)>::type;

#define __WAVELANE_1(name) \
  template <class T, class = __wavelane_arithmetic<T>> float name##f(T x) { return __builtin_##name##f(x); } \
  template <class T, typename __wavelane_if<__wavelane_float<T>::value>::type = 0> float name(T x) { return __builtin_##name##f(x); } \
  template <class T, typename __wavelane_if<__is_arithmetic(T) && !__wavelane_float<T>::value>::type = 0> double name(T x) { \
    return __builtin_##name(x); }
#define __WAVELANE_2(name) \
  template <class A, class B, class = __wavelane_arithmetic<A>, class = __wavelane_arithmetic<B>> float name##f(A a, B b) { \
    return __builtin_##name##f(a, b); } \
  template <class A, class B, typename __wavelane_if<__wavelane_float<A, B>::value>::type = 0> float name(A a, B b) { \
    return __builtin_##name##f(a, b); } \
  template <class A, class B, typename __wavelane_if<__is_arithmetic(A) && __is_arithmetic(B) && !__wavelane_float<A, B>::value>::type = 0> \
  double name(A a, B b) { return __builtin_##name(a, b); }
#define __WAVELANE_NAMES(F) \
  F(acos) F(acosh) F(asin) F(asinh) F(atan) F(atanh) F(cbrt) F(ceil) F(cos) F(cosh) F(erf) F(erfc) \
  F(exp) F(exp2) F(expm1) F(fabs) F(floor) F(lgamma) F(log) F(log10) F(log1p) F(nearbyint) F(rint) \
  F(round) F(sin) F(sinh) F(sqrt) F(tan) F(tanh) F(tgamma) F(trunc)
__WAVELANE_NAMES(__WAVELANE_1)
__WAVELANE_2(atan2) __WAVELANE_2(copysign) __WAVELANE_2(fdim) __WAVELANE_2(fmax) __WAVELANE_2(fmin) __WAVELANE_2(fmod)
__WAVELANE_2(hypot) __WAVELANE_2(pow) __WAVELANE_2(remainder)
#undef __WAVELANE_1
#undef __WAVELANE_2
template <class T, class = __wavelane_arithmetic<T>> float rsqrtf(T x) { return 1 / __builtin_sqrtf(x); }
template <class T, typename __wavelane_if<__wavelane_float<T>::value>::type = 0> float rsqrt(T x) { return 1 / __builtin_sqrtf(x); }
template <class T, typename __wavelane_if<__is_arithmetic(T) && !__wavelane_float<T>::value>::type = 0> double rsqrt(T x) {
  return 1 / __builtin_sqrt(x); }
template <class T, class = __wavelane_arithmetic<T>> float fmaf(T a, T b, T c) { return __builtin_fmaf(a, b, c); }
template <class T, typename __wavelane_if<__wavelane_float<T>::value>::type = 0> float fma(T a, T b, T c) { return __builtin_fmaf(a, b, c); }
template <class T, typename __wavelane_if<__is_arithmetic(T) && !__wavelane_float<T>::value>::type = 0> double fma(T a, T b, T c) {
  return __builtin_fma(a, b, c); }
template <class T, class = __wavelane_arithmetic<T>> T min(T a, T b) { return b < a ? b : a; }
template <class T, class = __wavelane_arithmetic<T>> T max(T a, T b) { return a < b ? b : a; }
template <class A, class B, class = __wavelane_arithmetic<A>, class = __wavelane_arithmetic<B>>
decltype(true ? A() : B()) min(A a, B b) { return b < a ? b : a; }
template <class A, class B, class = __wavelane_arithmetic<A>, class = __wavelane_arithmetic<B>>
decltype(true ? A() : B()) max(A a, B b) { return a < b ? b : a; }
template <class T, class = __wavelane_arithmetic<T>> T abs(T x) { return x < 0 ? -x : x; }
template <class T, class = __wavelane_arithmetic<T>> bool isnan(T x) { return x != x; }
template <class T, class = __wavelane_arithmetic<T>> bool isfinite(T x) { return x - x == x - x; }
template <class T, class = __wavelane_arithmetic<T>> bool isinf(T x) { return x == x && x - x != x - x; }
template <class T, class = __wavelane_arithmetic<T>> bool signbit(T x) { return x < 0 || (x == 0 && 1 / x < 0); }

#define __WAVELANE_OPERATOR(op) \
  template <class V, class E = __wavelane_element<V>> V operator op(const V &a, const V &b) { \
    V r = a; for (unsigned i = 0; i < sizeof(V) / sizeof(E); ++i) ((E *)&r.x)[i] = ((const E *)&a.x)[i] op ((const E *)&b.x)[i]; return r; } \
  template <class V, class S, class E = __wavelane_element<V>, class = __wavelane_arithmetic<S>> V operator op(const V &a, S b) { \
    V r = a; for (unsigned i = 0; i < sizeof(V) / sizeof(E); ++i) ((E *)&r.x)[i] = ((const E *)&a.x)[i] op E(b); return r; } \
  template <class V, class S, class E = __wavelane_element<V>, class = __wavelane_arithmetic<S>> V operator op(S a, const V &b) { \
    V r = b; for (unsigned i = 0; i < sizeof(V) / sizeof(E); ++i) ((E *)&r.x)[i] = E(a) op ((const E *)&b.x)[i]; return r; } \
  template <class V, class S, class E = __wavelane_element<V>> V &operator op##=(V &a, const S &b) { return a = a op b; }
__WAVELANE_OPERATOR(+)
__WAVELANE_OPERATOR(-)
__WAVELANE_OPERATOR(*)
__WAVELANE_OPERATOR(/)
__WAVELANE_OPERATOR(%)
__WAVELANE_OPERATOR(&)
__WAVELANE_OPERATOR(|)
__WAVELANE_OPERATOR(^)
#undef __WAVELANE_OPERATOR
template <class V, class E = __wavelane_element<V>> V operator-(const V &a) {
  V r = a; for (unsigned i = 0; i < sizeof(V) / sizeof(E); ++i) ((E *)&r.x)[i] = -((const E *)&a.x)[i]; return r; }
template <class V, class E = __wavelane_element<V>> bool operator==(const V &a, const V &b) {
  for (unsigned i = 0; i < sizeof(V) / sizeof(E); ++i) if (((const E *)&a.x)[i] != ((const E *)&b.x)[i]) return false; return true; }
template <class V, class E = __wavelane_element<V>> bool operator!=(const V &a, const V &b) { return !(a == b); }
template <class V, class A> V __wavelane_make(A x) { V r; r.x = x; return r; }
template <class V, class A, class B> V __wavelane_make(A x, B y) { V r; r.x = x; r.y = y; return r; }
template <class V, class A, class B, class C> V __wavelane_make(A x, B y, C z) { V r; r.x = x; r.y = y; r.z = z; return r; }
template <class V, class A, class B, class C, class D> V __wavelane_make(A x, B y, C z, D w) {
  V r; r.x = x; r.y = y; r.z = z; r.w = w; return r; }
} // namespace __wavelane
using namespace __wavelane;
)";

// A small number has conversions to all types of numbers: see
// AddSmallFloatMembers. The result of two of the same class is one, too.
static constexpr llvm::StringLiteral g_small_numbers = R"(
namespace __wavelane {
template <class T> using __wavelane_small =
  typename __wavelane_if<sizeof(((const T *)0)->operator char()) && sizeof(((const T *)0)->operator signed char())>::type;

template <class T> struct __wavelane_wide { static const bool value = false; };
template <> struct __wavelane_wide<double> { static const bool value = true; };
template <class T> using __wavelane_narrow = typename __wavelane_if<__is_arithmetic(T) && !__wavelane_wide<T>::value>::type;

#define __WAVELANE_MIXED(op, narrow, wide) \
  template <class A, class B, __wavelane_small<A> = 0, __wavelane_small<B> = 0> narrow operator op(const A &a, const B &b) { \
    return float(a) op float(b); } \
  template <class A, class B, __wavelane_small<A> = 0, __wavelane_narrow<B> = 0> narrow operator op(const A &a, const B &b) { \
    return float(a) op b; } \
  template <class A, class B, __wavelane_narrow<A> = 0, __wavelane_small<B> = 0> narrow operator op(const A &a, const B &b) { \
    return a op float(b); } \
  template <class A, __wavelane_small<A> = 0> wide operator op(const A &a, double b) { return double(a) op b; } \
  template <class B, __wavelane_small<B> = 0> wide operator op(double a, const B &b) { return a op double(b); }
#define __WAVELANE_BINARY(op) \
  template <class T, __wavelane_small<T> = 0> T operator op(const T &a, const T &b) { return T(double(float(a) op float(b))); } \
  template <class T, class B, __wavelane_small<T> = 0> T &operator op##=(T &a, const B &b) { return a = T(double(float(a) op float(b))); } \
  __WAVELANE_MIXED(op, float, double)
#define __WAVELANE_COMPARISON(op) \
  template <class T, __wavelane_small<T> = 0> bool operator op(const T &a, const T &b) { return float(a) op float(b); } \
  __WAVELANE_MIXED(op, bool, bool)
__WAVELANE_BINARY(+)
__WAVELANE_BINARY(-)
__WAVELANE_BINARY(*)
__WAVELANE_BINARY(/)
__WAVELANE_COMPARISON(==)
__WAVELANE_COMPARISON(!=)
__WAVELANE_COMPARISON(<)
__WAVELANE_COMPARISON(<=)
__WAVELANE_COMPARISON(>)
__WAVELANE_COMPARISON(>=)
#undef __WAVELANE_BINARY
#undef __WAVELANE_COMPARISON
#undef __WAVELANE_MIXED
template <class T, __wavelane_small<T> = 0> T operator+(const T &a) { return a; }
template <class T, __wavelane_small<T> = 0> T operator-(const T &a) { return T(-double(a)); }
template <class T, __wavelane_small<T> = 0> T &operator++(T &a) { return a = T(double(a) + 1); }
template <class T, __wavelane_small<T> = 0> T &operator--(T &a) { return a = T(double(a) - 1); }
template <class T, __wavelane_small<T> = 0> T operator++(T &a, int) { T old = a; ++a; return old; }
template <class T, __wavelane_small<T> = 0> T operator--(T &a, int) { T old = a; --a; return old; }
template <class T, __wavelane_small<T> = 0> bool isnan(const T &x) { return isnan(float(x)); }
template <class T, __wavelane_small<T> = 0> bool isinf(const T &x) { return isinf(float(x)); }
template <class T, __wavelane_small<T> = 0> bool isfinite(const T &x) { return isfinite(float(x)); }
template <class T, __wavelane_small<T> = 0> bool signbit(const T &x) { return signbit(float(x)); }
template <class T, __wavelane_small<T> = 0> T abs(const T &x) { return T(__builtin_fabs(double(x))); }
template <class T, __wavelane_small<T> = 0> T min(const T &a, const T &b) { return b < a ? b : a; }
template <class T, __wavelane_small<T> = 0> T max(const T &a, const T &b) { return a < b ? b : a; }
#define __WAVELANE_SMALL(name) \
  template <class T, __wavelane_small<T> = 0> float name(const T &x) { return __builtin_##name##f(float(x)); }
__WAVELANE_NAMES(__WAVELANE_SMALL)
#undef __WAVELANE_SMALL
template <class T, __wavelane_small<T> = 0> float __half2float(const T &x) { return float(x); }
template <class T, __wavelane_small<T> = 0> float __bfloat162float(const T &x) { return float(x); }
template <class T, __wavelane_small<T> = 0> bool __hisnan(const T &x) { return isnan(float(x)); }
template <class T, __wavelane_small<T> = 0> int __hisinf(const T &x) { return isinf(float(x)); }
} // namespace __wavelane
)";

static constexpr llvm::StringLiteral g_elements[] = {
    "char", "uchar", "short",    "ushort",    "int",   "uint",
    "long", "ulong", "longlong", "ulonglong", "float", "double"};

/// `make_float4` and so on for the vectors of a program that never calls them.
/// LLDB looks up the type where the expression begins, so each is a macro.
static std::string GetMakers(llvm::function_ref<bool(llvm::StringRef)> has) {
  constexpr unsigned max_count = 4;
  std::string text;
  for (llvm::StringRef element : g_elements)
    for (unsigned count = 1; count <= max_count; ++count) {
      const std::string type = (element + llvm::Twine(count)).str();
      if (has(type) && !has("make_" + type))
        text += llvm::formatv(
            "#define make_{0}(...) __wavelane_make<{0}>(__VA_ARGS__)\n", type);
    }
  return text;
}

std::string lldb_private::wavelane::GetHIPFunctions(
    llvm::function_ref<bool(llvm::StringRef)> has) {
  std::string text = g_functions.str() + GetMakers(has);
  if (llvm::any_of(SmallFloat::Classes, has))
    text += g_small_numbers;
  return text;
}
