// Kernels whose blocks wait for all of the grid, and for the grids of other devices.
#include "check.h"
#include <cstring>
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

/// The later blocks come to the barrier later.
__device__ void dawdle() {
  for (unsigned k = 0; k < blockIdx.x * 4; ++k)
    __builtin_amdgcn_s_sleep(1);
}

/// Each work-item reads what that at the other end of the grid has written.
__global__ void across(int *data, int *out, int rounds) {
  cg::grid_group grid = cg::this_grid();
  int me = grid.thread_rank(), all = grid.size();
  int sum = 0;
  for (int k = 0; k < rounds; ++k) {
    dawdle();
    data[me] = me + k; // write
    grid.sync();       // wait
    sum += data[all - 1 - me]; // read
    grid.sync();
  }
  out[me] = grid.is_valid() ? sum : -1;
}

__global__ void between(int *data, int *out) {
  cg::multi_grid_group grids = cg::this_multi_grid();
  int me = grids.thread_rank(), all = grids.size();
  dawdle();
  data[me] = me; // mine
  grids.sync();
  out[me] = data[all - 1 - me] * 10 + grids.grid_rank(); // theirs
}

/// The last block lets the others wait until it is let go.
__global__ void late(volatile int *go, int *out) {
  cg::grid_group grid = cg::this_grid();
  if (blockIdx.x == gridDim.x - 1)
    while (!*go)
      __builtin_amdgcn_s_sleep(1); // not yet
  grid.sync();
  out[grid.thread_rank()] = 1; // together
}

static int onGrid(int blocks, int rounds) {
  const int block = 192, n = blocks * block;
  Buffer<int> data(n), out(n);
  void *arguments[] = {&data.data, &out.data, &rounds};
  HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(across), blocks, block, arguments, 0, 0));
  HIP(hipDeviceSynchronize());
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = (n - 1 - i) * rounds + rounds * (rounds - 1) / 2;
  return report("grid", out.get(), want);
}

static int onDevices() {
  int count = 0;
  HIP(hipGetDeviceCount(&count));
  const int blocks = 3, block = 64, n = count * blocks * block;
  Buffer<int> data(n), out(n);
  std::vector<hipStream_t> streams(count);
  std::vector<hipLaunchParams> launches(count);
  void *arguments[] = {&data.data, &out.data};
  for (int d = 0; d < count; ++d) {
    HIP(hipSetDevice(d));
    HIP(hipStreamCreate(&streams[d]));
    if (d) // the memory is the first one's
      HIP(hipDeviceEnablePeerAccess(0, 0));
    launches[d] = {reinterpret_cast<void *>(between), blocks, block, arguments, 0, streams[d]};
  }
  HIP(hipLaunchCooperativeKernelMultiDevice(launches.data(), count, 0));
  for (int d = 0; d < count; ++d)
    HIP(hipStreamSynchronize(streams[d]));
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = (n - 1 - i) * 10 + i / (blocks * block);
  return report("grids", out.get(), want);
}

/// What can't be launched.
static int refused() {
  int blocks = 0, units = 0, bad = 0, rounds = 1, cooperative = 0;
  HIP(hipDeviceGetAttribute(&cooperative, hipDeviceAttributeCooperativeLaunch, 0));
  if (cooperative)
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, across, 192, 0));
  HIP(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
  Buffer<int> data(1);
  void *arguments[] = {&data.data, &data.data, &rounds};
  hipError_t error = hipLaunchCooperativeKernel(reinterpret_cast<void *>(across), blocks * units + 1,
                                                192, arguments, 0, 0);
  bad += !cooperative ? error != hipErrorNotSupported : error != hipErrorCooperativeLaunchTooLarge;
  printf("refused: %s\n", bad ? "FAILED" : hipGetErrorString(error));
  // As many as fit do.
  return bad || (cooperative && onGrid(blocks * units, 2));
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "grid";
  if (!strcmp(what, "grid"))
    return onGrid(argc > 2 ? atoi(argv[2]) : 5, 3);
  if (!strcmp(what, "grids"))
    return onDevices();
  if (!strcmp(what, "refused"))
    return refused();
  if (!strcmp(what, "late")) {
    Buffer<int> go(std::vector<int>{0}), out(384);
    void *arguments[] = {&go.data, &out.data};
    HIP(hipLaunchCooperativeKernel(reinterpret_cast<void *>(late), 3, 128, arguments, 0, 0));
    HIP(hipDeviceSynchronize());
    return report("late", out.get(), std::vector<int>(384, 1));
  }
  // Not as a cooperative kernel.
  Buffer<int> data(512), out(512);
  across<<<2, 64>>>(data.data, out.data, 1);
  printf("ordinary: %s\n", hipGetErrorString(hipDeviceSynchronize()));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
