// Compiles kernels at run time, with headers, options and names of templates, and launches them after freeing the code. Errors have a log.
#include "check.h"
#include <hip/hiprtc.h>
#include <cstring>
#include <string>

static const char Source[] = R"(#include "scale.h"
#include "constants/offset.h"
namespace ns {
__device__ int gain;
__constant__ float table[4] = {1, 2, 3, 4};
}
template <typename T> __global__ void axpy(T a, const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    T scaled = scale(a, x[i]);
    y[i] += scaled + offset + ns::gain;
  }
}
extern "C" __global__ void plain(float *out) {
  float value = ns::table[threadIdx.x % 4];
  __syncthreads();
  out[threadIdx.x] = sqrtf(value * value) + OPTION;
}
)";
static const char Scale[] = "template <typename T> __device__ T scale(T a, T b) {\n  return a * b;\n}\n";
static const char Offset[] = "constexpr int offset = 100;\n";

static int bad = 0;
static void expect(const char *what, int got, int want) {
  if (got != want && ++bad)
    printf("%s: got %d, want %d\n", what, got, want);
}

static std::string getLog(hiprtcProgram program) {
  size_t size = 0;
  expect("log size", hiprtcGetProgramLogSize(program, &size), HIPRTC_SUCCESS);
  std::string log(size, '\0');
  if (size)
    expect("log", hiprtcGetProgramLog(program, &log[0]), HIPRTC_SUCCESS);
  return log.c_str();
}

static void checkErrors() {
  hiprtcProgram program;
  expect("null source", hiprtcCreateProgram(&program, nullptr, "x", 0, nullptr, nullptr), HIPRTC_ERROR_INVALID_PROGRAM);
  expect("create", hiprtcCreateProgram(&program, "__global__ void f() {\n  undeclared = 1;\n}\n", "broken.cu", 0, nullptr, nullptr), 0);
  expect("broken", hiprtcCompileProgram(program, 0, nullptr), HIPRTC_ERROR_COMPILATION);
  printf("log: %s", getLog(program).c_str());
  size_t size = 0;
  expect("code size", hiprtcGetCodeSize(program, &size), HIPRTC_ERROR_INVALID_PROGRAM);
  expect("destroy", hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);

  const char *text = "", *name = "../outside.h";
  expect("create", hiprtcCreateProgram(&program, "\n", "a", 1, &text, &name), 0);
  expect("outside", hiprtcCompileProgram(program, 0, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  printf("log: %s", getLog(program).c_str());
  expect("destroy", hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);

  const char *option = "--no-such-option";
  expect("create", hiprtcCreateProgram(&program, "\n", nullptr, 0, nullptr, nullptr), 0);
  expect("option", hiprtcCompileProgram(program, 1, &option), HIPRTC_ERROR_COMPILATION);
  printf("log: %s", getLog(program).c_str());
  expect("destroy", hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
}

int main(int argc, char **argv) {
  hiprtcProgram program;
  const char *texts[] = {Scale, Offset}, *names[] = {"scale.h", "constants/offset.h"};
  expect("create", hiprtcCreateProgram(&program, Source, "axpy.cu", 2, texts, names), 0);
  expect("name", hiprtcAddNameExpression(program, "axpy<float>"), 0);
  expect("name", hiprtcAddNameExpression(program, "&ns::gain"), 0);
  expect("name", hiprtcAddNameExpression(program, "plain"), 0);
  const char *lowered = nullptr;
  expect("too early", hiprtcGetLoweredName(program, "plain", &lowered), HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  std::vector<const char *> options{"-DOPTION=0.5f", "-std=c++17"};
  for (int i = 1; i < argc; ++i)
    options.push_back(argv[i]);
  if (hiprtcResult result = hiprtcCompileProgram(program, int(options.size()), options.data())) {
    printf("%s: %s\n", hiprtcGetErrorString(result), getLog(program).c_str());
    return 1;
  }
  expect("too late", hiprtcAddNameExpression(program, "scale<int>"), HIPRTC_SUCCESS);
  expect("too late", hiprtcGetLoweredName(program, "scale<int>", &lowered), HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  expect("unknown", hiprtcGetLoweredName(program, "axpy<double>", &lowered), HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);

  size_t size = 0;
  expect("size", hiprtcGetCodeSize(program, &size), 0);
  std::vector<char> code(size);
  expect("code", hiprtcGetCode(program, code.data()), 0);
  hipModule_t module;
  HIP(hipModuleLoadData(&module, code.data()));
  std::fill(code.begin(), code.end(), 0);
  code = {};

  hipFunction_t axpy, plain;
  expect("lowered", hiprtcGetLoweredName(program, "axpy<float>", &lowered), 0);
  printf("axpy<float> is %s\n", lowered);
  HIP(hipModuleGetFunction(&axpy, module, lowered));
  expect("lowered", hiprtcGetLoweredName(program, "&ns::gain", &lowered), 0);
  printf("&ns::gain is %s\n", lowered);
  hipDeviceptr_t gain;
  HIP(hipModuleGetGlobal(&gain, &size, module, lowered));
  int one = 1;
  HIP(hipMemcpyHtoD(gain, &one, sizeof(one)));
  HIP(hipModuleGetFunction(&plain, module, "plain"));
  expect("destroy", hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);

  int n = 100;
  std::vector<float> x(n), y(n, 1.0f), want(n), want_plain(8);
  for (int i = 0; i < n; ++i) {
    x[i] = float(i);
    want[i] = 2 * x[i] + 1 + 100 + 1;
  }
  for (int i = 0; i < 8; ++i)
    want_plain[i] = i % 4 + 1.5f;
  Buffer<float> dx(x), dy(y), out(8);
  float a = 2;
  void *arguments[] = {&a, &dx.data, &dy.data, &n}, *plain_arguments[] = {&out.data};
  HIP(hipModuleLaunchKernel(axpy, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  HIP(hipModuleLaunchKernel(plain, 1, 1, 1, 8, 1, 1, 0, nullptr, plain_arguments, nullptr));
  HIP(hipDeviceSynchronize());
  bad += report("axpy", dy.get(), want) + report("plain", out.get(), want_plain);
  HIP(hipModuleUnload(module));
  // AMD's hiprtc doesn't survive these.
  if (argc < 2 || strcmp(argv[1], "-DNO_ERRORS"))
    checkErrors();
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad != 0;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
