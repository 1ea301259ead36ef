// Two processes share a GPU's memory, and a kernel reads memory that the host has allocated as managed.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] += 1000;
}

static int fail(const char *what, hipError_t error) {
  printf("%s: %s\n", what, hipGetErrorName(error));
  return 1;
}

static int child(int from) {
  hipIpcMemHandle_t handle;
  // Nothing comes if the parent can't share its memory.
  if (read(from, &handle, sizeof(handle)) != sizeof(handle))
    return 1;
  int *p = nullptr;
  if (hipError_t error = hipIpcOpenMemHandle(reinterpret_cast<void **>(&p), handle, hipIpcMemLazyEnablePeerAccess))
    return fail("open", error);
  add<<<16, 64>>>(p, 1000);
  if (hipError_t error = hipDeviceSynchronize())
    return fail("child", error);
  if (hipError_t error = hipIpcCloseMemHandle(p))
    return fail("close", error);
  return 0;
}

int main() {
  int ends[2];
  if (pipe(ends))
    return 1;
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[1]);
    return child(ends[0]);
  }
  int *p = nullptr, *managed = nullptr, host[1000];
  if (hipError_t error = hipMalloc(reinterpret_cast<void **>(&p), sizeof(host)))
    return fail("malloc", error);
  for (int i = 0; i < 1000; ++i)
    host[i] = i;
  hipMemcpy(p, host, sizeof(host), hipMemcpyHostToDevice);
  hipIpcMemHandle_t handle;
  if (hipError_t error = hipIpcGetMemHandle(&handle, p))
    return fail("handle", error);
  if (write(ends[1], &handle, sizeof(handle)) != sizeof(handle))
    return 1;
  int status = 0;
  waitpid(pid, &status, 0);
  hipMemcpy(host, p, sizeof(host), hipMemcpyDeviceToHost);
  bool good = status == 0;
  for (int i = 0; i < 1000; ++i)
    good &= host[i] == i + 1000;
  printf("two processes: %s\n", good ? "PASSED" : "FAILED");

  if (hipError_t error = hipMallocManaged(reinterpret_cast<void **>(&managed), sizeof(host)))
    return fail("managed", error);
  for (int i = 0; i < 1000; ++i)
    managed[i] = 2 * i;
  add<<<16, 64>>>(managed, 1000);
  hipDeviceSynchronize();
  for (int i = 0; i < 1000; ++i)
    good &= managed[i] == 2 * i + 1000;
  printf("managed: %s\n", good ? "PASSED" : "FAILED");
  return !good;
}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
