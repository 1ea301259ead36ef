// What a program may ask of AMD's runtime beside launches and copies: each line is one feature.
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>
#include <hip/hip_cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
static int bad = 0;
static void report(const char *what, bool good, hipError_t e = hipSuccess) {
  printf("%s: %s%s%s\n", what, good ? "PASSED" : "FAILED", e ? " " : "", e ? hipGetErrorName(e) : "");
  fflush(stdout);
  bad += !good;
}
#define TRY(what, x) do { hipError_t e_ = (x); if (e_ != hipSuccess) { report(what ": " #x, false, e_); return; } } while (0)
__global__ void add(int *p, int n, int v) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += v; }
__global__ void grid(int *p, int *out) {
  cooperative_groups::grid_group g = cooperative_groups::this_grid();
  atomicAdd(p, 1); g.sync(); if (blockIdx.x == 0 && threadIdx.x == 0) *out = *p;
}
static void ordered() {
  hipStream_t s; int *p, h[100] = {}; TRY("ordered", hipStreamCreate(&s));
  TRY("ordered", hipMallocAsync((void **)&p, sizeof h, s));
  TRY("ordered", hipMemsetAsync(p, 0, sizeof h, s));
  add<<<1, 128, 0, s>>>(p, 100, 7);
  TRY("ordered", hipMemcpyAsync(h, p, sizeof h, hipMemcpyDeviceToHost, s));
  TRY("ordered", hipFreeAsync(p, s)); TRY("ordered", hipStreamSynchronize(s));
  hipMemPool_t pool; uint64_t all = ~0ull; TRY("ordered", hipDeviceGetDefaultMemPool(&pool, 0));
  TRY("ordered", hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &all));
 
  report("stream-ordered allocation", h[0] == 7 && h[99] == 7);
}
static void cooperative() {
  int *p, h[2]; TRY("cooperative", hipMalloc((void **)&p, 8)); TRY("cooperative", hipMemset(p, 0, 8));
  int *out = p + 1; void *args[] = {&p, &out};
  TRY("cooperative", hipLaunchCooperativeKernel((void *)grid, dim3(8), dim3(64), args, 0, 0));
  TRY("cooperative", hipDeviceSynchronize()); TRY("cooperative", hipMemcpy(h, p, 8, hipMemcpyDeviceToHost));
  report("cooperative launch", h[1] == 512);
}
static void graph() {
  hipStream_t s; hipGraph_t g; hipGraphExec_t x; int *p, h[64] = {}; TRY("graph", hipStreamCreate(&s)); TRY("graph", hipMalloc((void **)&p, sizeof h)); TRY("graph", hipMemset(p, 0, sizeof h));
  TRY("graph", hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  add<<<1, 64, 0, s>>>(p, 64, 1); add<<<1, 64, 0, s>>>(p, 64, 10);
  TRY("graph", hipStreamEndCapture(s, &g)); TRY("graph", hipGraphInstantiate(&x, g, 0, 0, 0));
  for (int i = 0; i < 3; ++i) TRY("graph", hipGraphLaunch(x, s));
  TRY("graph", hipStreamSynchronize(s)); TRY("graph", hipMemcpy(h, p, sizeof h, hipMemcpyDeviceToHost));
  report("graph", h[0] == 33 && h[63] == 33);
}
static void rtc() {
  const char *source = "extern \"C\" __global__ void twice(float *p) { p[threadIdx.x] *= 2 * SCALE; }";
  hiprtcProgram prog; const char *options[] = {"--offload-arch=gfx90a", "-DSCALE=3", "-O2"};
  if (hiprtcCreateProgram(&prog, source, "twice.cu", 0, 0, 0)) return report("hiprtc create", false);
  hiprtcResult r = hiprtcCompileProgram(prog, 3, options);
  if (r) { size_t n; hiprtcGetProgramLogSize(prog, &n); std::string log(n, 0); if (n) hiprtcGetProgramLog(prog, &log[0]); printf("%s\n", log.c_str()); return report("hiprtc compile", false); }
  size_t n; hiprtcGetCodeSize(prog, &n); std::vector<char> code(n); hiprtcGetCode(prog, code.data());
  hipModule_t m; hipFunction_t f; float *p, h[64]; for (int i = 0; i < 64; ++i) h[i] = i;
  TRY("hiprtc", hipModuleLoadData(&m, code.data())); TRY("hiprtc", hipModuleGetFunction(&f, m, "twice"));
  TRY("hiprtc", hipMalloc((void **)&p, sizeof h)); TRY("hiprtc", hipMemcpy(p, h, sizeof h, hipMemcpyHostToDevice));
  void *args[] = {&p}; TRY("hiprtc", hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, args, 0));
  TRY("hiprtc", hipMemcpy(h, p, sizeof h, hipMemcpyDeviceToHost));
  report("hiprtc", h[0] == 0 && h[63] == 63 * 6);
}
static void peer() {
  int count; TRY("peer", hipGetDeviceCount(&count));
  if (count < 2) return (void)printf("peer access: one GPU\n");
  int can = 0; TRY("peer", hipDeviceCanAccessPeer(&can, 0, 1));
  int *a, *b, h[64]; TRY("peer", hipSetDevice(1)); TRY("peer", hipMalloc((void **)&b, 256)); TRY("peer", hipMemset(b, 0, 256)); TRY("peer", hipDeviceSynchronize());
  TRY("peer", hipSetDevice(0)); TRY("peer", hipDeviceEnablePeerAccess(1, 0)); TRY("peer", hipMalloc((void **)&a, 256));
  add<<<1, 64>>>(b, 64, 5); TRY("peer", hipDeviceSynchronize());
  TRY("peer", hipMemcpyPeer(a, 0, b, 1, 256)); add<<<1, 64>>>(a, 64, 1); TRY("peer", hipMemcpy(h, a, 256, hipMemcpyDeviceToHost));
  report("peer access", can && h[0] == 6 && h[63] == 6);
}
int main() {
  hipDeviceProp_t prop; hipGetDeviceProperties(&prop, 0); int v; hipRuntimeGetVersion(&v);
  printf("%s, runtime %d\n", prop.gcnArchName, v);
  ordered();
  cooperative();
  graph();
  rtc();
  peer();
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
