// A child that uses a GPU of its own, which its parent doesn't use.
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void triple(int *v, const float4 *more) {
  int i = threadIdx.x; // line 7
  v[i] = v[i] * 3 + int(more[i].x);
}

static int work() {
  int *v, h[64];
  float4 *more;
  for (int i = 0; i < 64; ++i)
    h[i] = i;
  HIP(hipMalloc(&v, sizeof h));
  HIP(hipMalloc(&more, 64 * sizeof(float4)));
  HIP(hipMemset(more, 0, 64 * sizeof(float4)));
  HIP(hipMemcpy(v, h, sizeof h, hipMemcpyHostToDevice));
  triple<<<1, 64>>>(v, more);
  HIP(hipMemcpy(h, v, sizeof h, hipMemcpyDeviceToHost));
  return h[5] == 15 ? 7 : 1;
}

int main() {
  const pid_t child = fork();
  if (child == 0)
    return work();
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 7 ? 0 : 1;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
