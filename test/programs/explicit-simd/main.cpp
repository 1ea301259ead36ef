#include <experimental/simd>
#include <immintrin.h>
#include <cstdio>
namespace stdx = std::experimental;
typedef float gccv __attribute__((vector_size(32)));
#ifdef __clang__
typedef float ext4 __attribute__((ext_vector_type(4)));
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
#endif
namespace sycl { inline namespace _V1 { namespace ext { namespace intel { namespace esimd {
namespace detail { template <typename T, int N> struct vector { typedef T type __attribute__((vector_size(sizeof(T)*N))); };
template <typename RawTy, int N, class Derived> class simd_obj_impl { public: typename vector<RawTy, N>::type M_data; }; }
template <typename T, int N> class simd : public detail::simd_obj_impl<T, N, simd<T,N>> {};
template <int N> class simd_mask : public detail::simd_obj_impl<unsigned short, N, simd_mask<N>> {};
template <bool Is2D, typename T, int SizeY, int StrideY, int SizeX, int StrideX> struct region_base { unsigned short M_offset_y, M_offset_x; };
template <typename T, int Size, int Stride> using region1d_t = region_base<false, T, 1, 1, Size, Stride>;
template <typename T, int SizeY, int StrideY, int SizeX, int StrideX> using region2d_t = region_base<true, T, SizeY, StrideY, SizeX, StrideX>;
namespace detail { template <typename Base, typename Region, class Derived> class simd_view_impl { public: Base &M_base; Region M_region; simd_view_impl(Base &b, Region r) : M_base(b), M_region(r) {} }; }
template <typename Base, typename Region> class simd_view : public detail::simd_view_impl<Base, Region, simd_view<Base, Region>> { public: using detail::simd_view_impl<Base, Region, simd_view>::simd_view_impl; };
}}}}}
using namespace sycl::ext::intel::esimd;
int main(int argc, char **) {
  stdx::native_simd<float> a([](int i) { return 1.5f * i; });
  stdx::fixed_size_simd<int, 6> f([](int i) { return 10 * i; });
  stdx::simd<double, stdx::simd_abi::scalar> s(2.5);
  auto m = a > 3.0f;
  auto fm = f > 20;
  stdx::native_simd<unsigned char> b([](int i) { return i; });
  __m256 v = _mm256_set1_ps(2); __m256i vi = _mm256_set1_epi32(7); __m128d d = _mm_set1_pd(3);
  gccv g = {1,2,3,4,5,6,7,8};
  simd<float, 16> e; for (int i = 0; i < 16; i++) e.M_data[i] = i;
  simd_mask<8> em; for (int i = 0; i < 8; i++) em.M_data[i] = i & 1;
  using Vector = simd<float, 16>;
  simd_view<Vector, region1d_t<float, 5, 3>> odd(e, {0, 1});               // every third from 1 on
  simd_view<Vector, region2d_t<float, 4, 1, 4, 1>> square(e, {0, 0});       // as 4 by 4
  simd_view<Vector, std::pair<region2d_t<float, 2, 1, 2, 2>, region2d_t<float, 4, 1, 4, 1>>>
      part(e, {{1, 1}, {0, 0}});                                            // of those, rows 1 and 2, columns 1 and 3
  simd_view<Vector, region1d_t<unsigned short, 4, 1>> words(e, {0, 2});    // the bytes as 16-bit numbers
  simd_view<Vector, region1d_t<float, 5, 3>> outside(e, {0, 9});           // past its end
#ifdef __clang__
  ext4 x = {1,2,3,4};
  half2 h = {1, 2};
  printf("%f\n", (float)x[argc&3]+(float)h[0]);
#endif
  printf("%p %p %p %p %p\n", &odd, &square, &part, &words, &outside);
  printf("%f %d %f %d %d %f %f %d\n", (float)a[0], (int)f[1], (double)s[0], (int)m[2], (int)fm[1], v[0]+d[0]+vi[0], e.M_data[3]+g[argc], (int)em.M_data[1]+b[1]); // break here
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
