// Textures and surfaces, compared with the same computation on the host.
#include <hip/hip_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>
#define TRY(x) do { hipError_t e_ = (x); if (e_ != hipSuccess) { printf("%s: %s\n", #x, hipGetErrorName(e_)); return 1; } } while (0)
static void report(const char *what, int wrong) { printf("%s: %s\n", what, wrong ? "FAILED" : "PASSED"); fflush(stdout); }
__global__ void sample1(hipTextureObject_t t, float *o, const float *x) { int i = threadIdx.x; o[i] = tex1D<float>(t, x[i]); }
__global__ void sample2(hipTextureObject_t t, float *o, const float *x, const float *y) { int i = threadIdx.x; o[i] = tex2D<float>(t, x[i], y[i]); }
__global__ void sample3(hipTextureObject_t t, float *o, const float *x, const float *y, const float *z) { int i = threadIdx.x; o[i] = tex3D<float>(t, x[i], y[i], z[i]); }
__global__ void layers(hipTextureObject_t t, float *o) { int i = threadIdx.x; o[i] = tex2DLayered<float>(t, i % 8 + 0.5f, i / 8 % 4 + 0.5f, i / 32); }
__global__ void colors(hipTextureObject_t t, float4 *o) { int i = threadIdx.x; o[i] = tex2D<float4>(t, i % 8 + 0.5f, i / 8 + 0.5f); }
__global__ void numbers(hipTextureObject_t t, short2 *o) { int i = threadIdx.x; o[i] = tex2D<short2>(t, i % 8 + 0.5f, i / 8 + 0.5f); }
__global__ void fetch(hipTextureObject_t t, float *o) { int i = threadIdx.x; o[i] = tex1Dfetch<float>(t, i * 2); }
__global__ void draw(hipSurfaceObject_t s) { int i = threadIdx.x; surf2Dwrite(i * 3, s, i % 8 * 4, i / 8); }
__global__ void look(hipSurfaceObject_t s, int *o) { int i = threadIdx.x, v; surf2Dread(&v, s, i % 8 * 4, i / 8); o[i] = v; }

const int N = 64, W = 8, H = 4, D = 3;
static float texels[D][H][W];
static float *out, *px, *py, *pz;
static float x[N], y[N], z[N], results[N];

static hipTextureObject_t textureOf(hipArray *array, hipTextureAddressMode mode, bool linear, bool normalized, hipTextureReadMode read = hipReadModeElementType) {
  hipResourceDesc r = {}; r.resType = hipResourceTypeArray; r.res.array.array = array;
  hipTextureDesc t = {};
  t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = mode;
  t.filterMode = linear ? hipFilterModeLinear : hipFilterModePoint;
  t.readMode = read; t.normalizedCoords = normalized;
  hipTextureObject_t o = nullptr;
  if (hipCreateTextureObject(&o, &r, &t, nullptr) != hipSuccess) puts("no texture");
  return o;
}
/// The place of a coordinate outside; -1: the border.
static int place(int i, int size, hipTextureAddressMode mode) {
  switch (mode) {
  case hipAddressModeWrap: return ((i % size) + size) % size;
  case hipAddressModeMirror: { int k = ((i % (2 * size)) + 2 * size) % (2 * size); return k < size ? k : 2 * size - 1 - k; }
  case hipAddressModeBorder: return i < 0 || i >= size ? -1 : i;
  default: return std::min(std::max(i, 0), size - 1);
  }
}
static float at(int i, int j, int k) { return i < 0 || j < 0 || k < 0 ? 0 : texels[k][j][i]; }
/// \p d: dimensions.
static float expected(int d, int n, hipTextureAddressMode mode, bool linear, bool normalized) {
  const int size[3] = {W, d > 1 ? H : 1, d > 2 ? D : 1};
  const float c[3] = {x[n], y[n], z[n]};
  int i[3][2] = {}; float w[3] = {};
  for (int k = 0; k < d; ++k) {
    const double v = normalized ? double(c[k]) * size[k] : c[k];
    const double f = std::floor(linear ? v - 0.5 : v);
    i[k][0] = place(int(f), size[k], mode); i[k][1] = place(int(f) + 1, size[k], mode);
    w[k] = linear ? float(v - 0.5 - f) : 0;
  }
  double sum = 0;
  for (int p = 0; p < 8; ++p) {
    double weight = 1;
    for (int k = 0; k < 3; ++k) weight *= p >> k & 1 ? w[k] : 1 - w[k];
    if (weight) sum += weight * at(i[0][p & 1], i[1][p >> 1 & 1], i[2][p >> 2 & 1]);
  }
  return float(sum);
}
static int compare(int d, hipTextureObject_t t, hipTextureAddressMode mode, bool linear, bool normalized) {
  const float s[3] = {normalized ? 1.f : W, normalized ? 1.f : H, normalized ? 1.f : D};
  for (int n = 0; n < N; ++n) { // Weights of 1/256, also outside.
    x[n] = (n * 37 % 512 / 256.f - 0.5f) * s[0]; y[n] = (n * 101 % 512 / 256.f - 0.5f) * s[1]; z[n] = (n * 53 % 512 / 256.f - 0.5f) * s[2];
  }
  TRY(hipMemcpy(px, x, sizeof(x), hipMemcpyHostToDevice)); TRY(hipMemcpy(py, y, sizeof(y), hipMemcpyHostToDevice)); TRY(hipMemcpy(pz, z, sizeof(z), hipMemcpyHostToDevice));
  if (d == 1) sample1<<<1, N>>>(t, out, px);
  if (d == 2) sample2<<<1, N>>>(t, out, px, py);
  if (d == 3) sample3<<<1, N>>>(t, out, px, py, pz);
  TRY(hipMemcpy(results, out, sizeof(results), hipMemcpyDeviceToHost));
  int wrong = 0;
  for (int n = 0; n < N; ++n)
    if (const float e = expected(d, n, mode, linear, normalized); std::fabs(results[n] - e) > 1e-3f * (1 + std::fabs(e)) && wrong++ < 3)
      printf("%dD mode %d linear %d normalized %d at (%g, %g, %g): %g, not %g\n", d, mode, linear, normalized, x[n], y[n], z[n], results[n], e);
  return wrong;
}
static int dimensions(int d) {
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipArray *array;
  const hipExtent extent = make_hipExtent(W, d > 1 ? H : 0, d > 2 ? D : 0);
  if (d == 3) {
    TRY(hipMalloc3DArray(&array, &format, extent, 0));
    hipMemcpy3DParms c = {}; c.srcPtr = make_hipPitchedPtr(texels, W * 4, W, H); c.dstArray = array; c.extent = extent; c.kind = hipMemcpyHostToDevice;
    TRY(hipMemcpy3D(&c));
  } else {
    TRY(hipMallocArray(&array, &format, W, d > 1 ? H : 0, 0));
    TRY(hipMemcpy2DToArray(array, 0, 0, texels, W * 4, W * 4, d > 1 ? H : 1, hipMemcpyHostToDevice));
  }
  int wrong = 0;
  for (hipTextureAddressMode mode : {hipAddressModeClamp, hipAddressModeBorder, hipAddressModeWrap, hipAddressModeMirror})
    for (bool linear : {false, true})
      for (bool normalized : {false, true}) {
        if (!normalized && (mode == hipAddressModeWrap || mode == hipAddressModeMirror)) continue;
        const hipTextureObject_t t = textureOf(array, mode, linear, normalized);
        wrong += compare(d, t, mode, linear, normalized);
        TRY(hipDestroyTextureObject(t));
      }
  TRY(hipFreeArray(array));
  return wrong;
}
static int layered() {
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipArray *array; const hipExtent extent = make_hipExtent(W, H, 2);
  TRY(hipMalloc3DArray(&array, &format, extent, hipArrayLayered));
  hipMemcpy3DParms c = {}; c.srcPtr = make_hipPitchedPtr(texels, W * 4, W, H); c.dstArray = array; c.extent = extent; c.kind = hipMemcpyHostToDevice;
  TRY(hipMemcpy3D(&c));
  layers<<<1, N>>>(textureOf(array, hipAddressModeClamp, false, false), out);
  TRY(hipMemcpy(results, out, sizeof(results), hipMemcpyDeviceToHost));
  return memcmp(results, texels, sizeof(results)) != 0;
}
static int colored() {
  const hipChannelFormatDesc format = hipCreateChannelDesc<char4>();
  std::vector<char4> host(W * W); std::vector<float4> got(N);
  for (int i = 0; i < N; ++i) host[i] = make_char4(i, 127 - i, -i * 2, 127);
  hipArray *array; TRY(hipMallocArray(&array, &format, W, W, 0));
  TRY(hipMemcpy2DToArray(array, 0, 0, host.data(), W * 4, W * 4, W, hipMemcpyHostToDevice));
  float4 *o; TRY(hipMalloc((void **)&o, N * sizeof(float4)));
  colors<<<1, N>>>(textureOf(array, hipAddressModeClamp, false, false, hipReadModeNormalizedFloat), o);
  TRY(hipMemcpy(got.data(), o, N * sizeof(float4), hipMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < N; ++i)
    if ((std::fabs(got[i].x - host[i].x / 127.f) > 1e-6f || std::fabs(got[i].y - host[i].y / 127.f) > 1e-6f || std::fabs(got[i].z - host[i].z / 127.f) > 1e-6f || got[i].w != 1) && wrong++ < 3)
      printf("color %d: %g %g %g %g\n", i, got[i].x, got[i].y, got[i].z, got[i].w);
  return wrong;
}
static int integers() {
  const hipChannelFormatDesc format = hipCreateChannelDesc<short2>();
  std::vector<short2> host(N), got(N);
  for (int i = 0; i < N; ++i) host[i] = make_short2(i * 500 - 16000, -i);
  hipArray *array; TRY(hipMallocArray(&array, &format, W, W, 0));
  TRY(hipMemcpy2DToArray(array, 0, 0, host.data(), W * 4, W * 4, W, hipMemcpyHostToDevice));
  short2 *o; TRY(hipMalloc((void **)&o, N * sizeof(short2)));
  numbers<<<1, N>>>(textureOf(array, hipAddressModeClamp, false, false), o);
  TRY(hipMemcpy(got.data(), o, N * sizeof(short2), hipMemcpyDeviceToHost));
  return memcmp(got.data(), host.data(), N * sizeof(short2)) != 0;
}
static int buffers() {
  std::vector<float> host(2 * N);
  for (int i = 0; i < 2 * N; ++i) host[i] = i * 0.25f;
  float *data; TRY(hipMalloc((void **)&data, 2 * N * 4)); TRY(hipMemcpy(data, host.data(), 2 * N * 4, hipMemcpyHostToDevice));
  hipResourceDesc r = {}; r.resType = hipResourceTypeLinear; r.res.linear.devPtr = data; r.res.linear.desc = hipCreateChannelDesc<float>(); r.res.linear.sizeInBytes = 2 * N * 4;
  hipTextureDesc t = {}; hipTextureObject_t o = nullptr;
  TRY(hipCreateTextureObject(&o, &r, &t, nullptr));
  fetch<<<1, N>>>(o, out); TRY(hipMemcpy(results, out, sizeof(results), hipMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < N; ++i) wrong += results[i] != host[2 * i];
  return wrong;
}
static int pitched() {
  float *data; size_t pitch; TRY(hipMallocPitch((void **)&data, &pitch, W * 4, H));
  TRY(hipMemcpy2D(data, pitch, texels, W * 4, W * 4, H, hipMemcpyHostToDevice));
  hipResourceDesc r = {}; r.resType = hipResourceTypePitch2D; r.res.pitch2D.devPtr = data; r.res.pitch2D.desc = hipCreateChannelDesc<float>(); r.res.pitch2D.width = W; r.res.pitch2D.height = H; r.res.pitch2D.pitchInBytes = pitch;
  hipTextureDesc t = {}; t.addressMode[0] = t.addressMode[1] = hipAddressModeClamp; hipTextureObject_t o = nullptr;
  TRY(hipCreateTextureObject(&o, &r, &t, nullptr));
  return compare(2, o, hipAddressModeClamp, false, false);
}
static int surfaces() {
  const hipChannelFormatDesc format = hipCreateChannelDesc<int>();
  hipArray *array; TRY(hipMallocArray(&array, &format, W, W, 0));
  hipResourceDesc r = {}; r.resType = hipResourceTypeArray; r.res.array.array = array;
  hipSurfaceObject_t s; TRY(hipCreateSurfaceObject(&s, &r));
  int got[N], *o; TRY(hipMalloc((void **)&o, sizeof(got)));
  draw<<<1, N>>>(s); look<<<1, N>>>(s, o);
  TRY(hipMemcpy(got, o, sizeof(got), hipMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < N; ++i)
    if (got[i] != i * 3 && wrong++ < 3)
      printf("element %d: %d\n", i, got[i]);
  report("surfaces", wrong);
  TRY(hipMemcpy2DFromArray(got, W * 4, array, 0, 0, W * 4, W, hipMemcpyDeviceToHost));
  wrong = 0;
  for (int i = 0; i < N; ++i) wrong += got[i] != i * 3;
  return wrong;
}
int main() {
  for (int i = 0; i < W * H * D; ++i) (&texels[0][0][0])[i] = i * i % 97 * 0.75f - 20;
  for (float **p : {&out, &px, &py, &pz}) TRY(hipMalloc((void **)p, N * 4));
  report("1D", dimensions(1)); report("2D", dimensions(2)); report("3D", dimensions(3));
  report("layers", layered()); report("colors", colored()); report("integers", integers());
  report("buffers", buffers()); report("rows with a pitch", pitched()); report("back from an array", surfaces());
  return 0;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
