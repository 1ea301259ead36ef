//===-- HIPFunctions.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HIPFunctions.h"

#include "llvm/Support/FormatVariadic.h"

using namespace lldb_private::wavelane;

// All are templates, so that a program's function of the same arguments is the
// better match. A HIP vector has its elements as `data` and from `x` on.
static constexpr llvm::StringLiteral g_functions = R"(
namespace __wavelane {
template <bool> struct __wavelane_if;
template <> struct __wavelane_if<true> { typedef int type; };
template <class T> using __wavelane_arithmetic = typename __wavelane_if<__is_arithmetic(T)>::type;
template <class A, class B = A> struct __wavelane_float { static const bool value = false; };
template <> struct __wavelane_float<float, float> { static const bool value = true; };
template <class V, class = decltype(V::data)> using __wavelane_element = decltype(V::x);

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
__WAVELANE_1(acos) __WAVELANE_1(acosh) __WAVELANE_1(asin) __WAVELANE_1(asinh) __WAVELANE_1(atan) __WAVELANE_1(atanh)
__WAVELANE_1(cbrt) __WAVELANE_1(ceil) __WAVELANE_1(cos) __WAVELANE_1(cosh) __WAVELANE_1(erf) __WAVELANE_1(erfc)
__WAVELANE_1(exp) __WAVELANE_1(exp2) __WAVELANE_1(expm1) __WAVELANE_1(fabs) __WAVELANE_1(floor) __WAVELANE_1(lgamma)
__WAVELANE_1(log) __WAVELANE_1(log10) __WAVELANE_1(log1p) __WAVELANE_1(log2) __WAVELANE_1(nearbyint) __WAVELANE_1(rint)
__WAVELANE_1(round) __WAVELANE_1(sin) __WAVELANE_1(sinh) __WAVELANE_1(sqrt) __WAVELANE_1(tan) __WAVELANE_1(tanh)
__WAVELANE_1(tgamma) __WAVELANE_1(trunc)
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
    V r = a; for (unsigned i = 0; i < sizeof(V) / sizeof(E); ++i) (&r.x)[i] = (&a.x)[i] op (&b.x)[i]; return r; } \
  template <class V, class S, class E = __wavelane_element<V>, class = __wavelane_arithmetic<S>> V operator op(const V &a, S b) { \
    V r = a; for (unsigned i = 0; i < sizeof(V) / sizeof(E); ++i) (&r.x)[i] = (&a.x)[i] op E(b); return r; } \
  template <class V, class S, class E = __wavelane_element<V>, class = __wavelane_arithmetic<S>> V operator op(S a, const V &b) { \
    V r = b; for (unsigned i = 0; i < sizeof(V) / sizeof(E); ++i) (&r.x)[i] = E(a) op (&b.x)[i]; return r; } \
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
  V r = a; for (unsigned i = 0; i < sizeof(V) / sizeof(E); ++i) (&r.x)[i] = -(&a.x)[i]; return r; }
template <class V, class E = __wavelane_element<V>> bool operator==(const V &a, const V &b) {
  for (unsigned i = 0; i < sizeof(V) / sizeof(E); ++i) if ((&a.x)[i] != (&b.x)[i]) return false; return true; }
template <class V, class E = __wavelane_element<V>> bool operator!=(const V &a, const V &b) { return !(a == b); }
template <class V, class A> V __wavelane_make(A x) { V r; r.x = x; return r; }
template <class V, class A, class B> V __wavelane_make(A x, B y) { V r; r.x = x; r.y = y; return r; }
template <class V, class A, class B, class C> V __wavelane_make(A x, B y, C z) { V r; r.x = x; r.y = y; r.z = z; return r; }
template <class V, class A, class B, class C, class D> V __wavelane_make(A x, B y, C z, D w) {
  V r; r.x = x; r.y = y; r.z = z; r.w = w; return r; }
} // namespace __wavelane
using namespace __wavelane;
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
  return g_functions.str() + GetMakers(has);
}
