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
template <typename Base, typename Region> class simd_view { public: Base &M_base; Region M_region; };
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
#ifdef __clang__
  ext4 x = {1,2,3,4};
  half2 h = {1, 2};
  printf("%f\n", (float)x[argc&3]+(float)h[0]);
#endif
  printf("%f %d %f %d %d %f %f %d\n", (float)a[0], (int)f[1], (double)s[0], (int)m[2], (int)fm[1], v[0]+d[0]+vi[0], e.M_data[3]+g[argc], (int)em.M_data[1]+b[1]); // break here
}
