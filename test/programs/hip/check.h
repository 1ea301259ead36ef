// What every test program uses: errors end it, results are compared with the host's.
#ifndef CHECK_H
#define CHECK_H
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP(call)                                                              \
  do {                                                                         \
    hipError_t e_ = (call);                                                    \
    if (e_ != hipSuccess) {                                                    \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              hipGetErrorString(e_));                                          \
      exit(3);                                                                 \
    }                                                                          \
  } while (0)

template <typename T> struct Buffer {
  T *data = nullptr;
  size_t count;
  explicit Buffer(size_t n) : count(n) { HIP(hipMalloc((void **)&data, n * sizeof(T))); }
  explicit Buffer(const std::vector<T> &host) : Buffer(host.size()) {
    HIP(hipMemcpy(data, host.data(), count * sizeof(T), hipMemcpyHostToDevice));
  }
  ~Buffer() { (void)hipFree(data); }
  std::vector<T> get() const {
    std::vector<T> host(count);
    HIP(hipMemcpy(host.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
    return host;
  }
};

template <typename T>
int report(const char *name, const std::vector<T> &got, const std::vector<T> &want) {
  size_t bad = got.size() != want.size();
  for (size_t i = 0; i < want.size() && i < got.size(); ++i)
    if (!(got[i] == want[i]) && bad++ < 3)
      printf("%s[%zu]: got %g, want %g\n", name, i, double(got[i]), double(want[i]));
  printf("%s: %s\n", name, bad ? "FAILED" : "PASSED");
  return bad != 0;
}
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
