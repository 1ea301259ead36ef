//===-- HipCooperative.cpp - kernels whose blocks wait for all of the grid ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All blocks of a cooperative kernel must be on the device at once: a launch
// with more blocks than fit is refused, and the cooperative kernels of a device
// run one after the other. Their barrier is the GPU's global wave sync.
//
//===----------------------------------------------------------------------===//

#include "HipApi.h"

#include "Simulator/Common/Agent.h"

using namespace wavelane::runtime;

namespace {
/// The data of a grid about the others of a launch on several devices
/// (__ockl_multi_grid_*, through the hidden argument multigrid_sync_arg).
struct MultiGrid {
  uint64_t Sync; ///< address of a word with the arrivals in its low byte
  uint32_t Rank, Count;
  uint64_t ItemsBefore, Items; ///< work-items of the preceding grids, and of
                               ///< all grids
};

/// One launch on several devices, in device memory.
struct MultiLaunch {
  alignas(64) uint32_t Arrivals;
  alignas(64) MultiGrid Grids[MaxAgents];
  Signal Done[MaxAgents];
};

/// A launch that was checked.
struct Checked {
  const Kernel *K = nullptr;
  Queue *Q = nullptr;
};
} // namespace

/// Checks that all blocks fit, and finds the queue to run them, and the kernel
/// of a host's \a Function if \a Out has none. CooperativeLock must be held.
static hipError_t check(Runtime &R, const void *Function, dim3 Grid, dim3 Block,
                        size_t Shared, hipStream_t Handle, Checked &Out) {
  Stream *S = R.resolve(Handle);
  if (!S)
    return hipErrorInvalidHandle;
  if (S->Capture)
    return hipErrorStreamCaptureUnsupported;
  Out.Q = S->Q.get();
  const AgentDescription &D = R.Device.device(Out.Q->Device);
  if (!hasWaveSync(D)) {
    complain(
        "%s has no global wave sync: cooperative launches are not supported",
        D.processor);
    return hipErrorNotSupported;
  }
  if (!Out.K) {
    // The kernel's code on the stream's device.
    const unsigned Own = Runtime::current();
    Runtime::current() = Out.Q->Device;
    const hipError_t E = R.findKernel(Function, Out.K);
    Runtime::current() = Own;
    if (E)
      return E;
  }
  if (Out.K->Device != Out.Q->Device)
    return hipErrorInvalidDevice;
  const uint64_t Items = uint64_t(Block.x) * Block.y * Block.z;
  const uint64_t Blocks = uint64_t(Grid.x) * Grid.y * Grid.z;
  if (!Items || Items > 1024 || !Blocks)
    return hipErrorInvalidConfiguration;
  const int Fit = blocksPerUnit(R, *Out.K, int(Items), Shared);
  if (Blocks > uint64_t(Fit) * D.compute_units)
    return hipErrorCooperativeLaunchTooLarge;
  return hipSuccess;
}

/// The device's last cooperative kernel must end before \a Q gets one.
static hipError_t prepare(Runtime &R, Queue &Q) {
  Queue *&Last = R.LastCooperative[Q.Device];
  if (Last && Last != &Q)
    if (hipError_t E = R.wait(*Last))
      return E;
  Last = &Q;
  if (Q.HasWaveSync)
    return hipSuccess;
  const QueueRequest Request = {Q.Id, 0};
  if (R.Device.request(MessageType::AllocateWaveSync, &Request,
                       sizeof(Request)) < 0)
    return R.sticky() ? R.sticky() : hipErrorNotSupported;
  Q.HasWaveSync = true;
  return hipSuccess;
}

extern "C" {

hipError_t hipLaunchCooperativeKernel(const void *Function, dim3 Grid,
                                      dim3 Block, void **Each, unsigned Shared,
                                      hipStream_t Handle) {
  HIP_READY(R);
  std::lock_guard<std::mutex> Guard(R.CooperativeLock);
  Checked C;
  HIP_TRY(check(R, Function, Grid, Block, Shared, Handle, C));
  HIP_TRY(prepare(R, *C.Q));
  return done(launchKernel(R, *C.K, Grid, Block, {Each}, Shared, Handle, 1));
}

HIP_EXPORT hipError_t hipModuleLaunchCooperativeKernel(
    hipFunction_t F, unsigned GX, unsigned GY, unsigned GZ, unsigned BX,
    unsigned BY, unsigned BZ, unsigned Shared, hipStream_t Handle,
    void **Each) {
  HIP_READY(R);
  if (!F)
    return done(hipErrorInvalidHandle);
  std::lock_guard<std::mutex> Guard(R.CooperativeLock);
  Checked C;
  C.K = reinterpret_cast<const Kernel *>(F);
  const dim3 Grid(GX, GY, GZ), Block(BX, BY, BZ);
  HIP_TRY(check(R, nullptr, Grid, Block, Shared, Handle, C));
  HIP_TRY(prepare(R, *C.Q));
  return done(launchKernel(R, *C.K, Grid, Block, {Each}, Shared, Handle, 1));
}

hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *List,
                                                 int Count, unsigned Flags) {
  HIP_READY(R);
  const unsigned Known = hipCooperativeLaunchMultiDeviceNoPreSync |
                         hipCooperativeLaunchMultiDeviceNoPostSync;
  if (!List || Count <= 0 || (Flags & ~Known))
    return done(hipErrorInvalidValue);
  if (unsigned(Count) > R.Device.deviceCount())
    return done(hipErrorInvalidValue);
  std::lock_guard<std::mutex> Guard(R.CooperativeLock);
  std::vector<Checked> All{size_t(Count)};
  std::set<unsigned> Devices;
  for (int I = 0; I < Count; ++I) {
    const hipLaunchParams &P = List[I];
    HIP_TRY(check(R, P.func, P.gridDim, P.blockDim, P.sharedMem, P.stream,
                  All[size_t(I)]));
    if (!Devices.insert(All[size_t(I)].Q->Device).second)
      return done(hipErrorInvalidDevice);
  }
  // The launch's memory is freed when all previous launches have ended.
  for (Queue *Last : R.LastCooperative)
    if (Last)
      HIP_TRY(R.wait(*Last));
  static auto *Shared = static_cast<MultiLaunch *>(
      R.Memory.allocate(sizeof(MultiLaunch), MemoryKind::Internal));
  if (!Shared)
    return done(hipErrorOutOfMemory);
  *Shared = {};
  uint64_t Items = 0;
  for (int I = 0; I < Count; ++I) {
    const dim3 &G = List[I].gridDim, &B = List[I].blockDim;
    Shared->Grids[I] = {reinterpret_cast<uint64_t>(&Shared->Arrivals),
                        uint32_t(I), uint32_t(Count), Items, 0};
    Items += uint64_t(G.x) * G.y * G.z * B.x * B.y * B.z;
    Shared->Done[I].Kind = Shared->Done[I].Value = 1;
  }
  for (int I = 0; I < Count; ++I) {
    Shared->Grids[I].Items = Items;
    HIP_TRY(prepare(R, *All[size_t(I)].Q));
    if (!(Flags & hipCooperativeLaunchMultiDeviceNoPreSync))
      HIP_TRY(R.wait(*All[size_t(I)].Q));
  }
  for (int I = 0; I < Count; ++I) {
    const hipLaunchParams &P = List[I];
    HIP_TRY(launchKernel(R, *All[size_t(I)].K, P.gridDim, P.blockDim, {P.args},
                         P.sharedMem, P.stream,
                         reinterpret_cast<uint64_t>(&Shared->Grids[I])));
  }
  if (Flags & hipCooperativeLaunchMultiDeviceNoPostSync)
    return hipSuccess;
  // Later work on each stream waits for all of the grids.
  for (int I = 0; I < Count; ++I)
    HIP_TRY(R.submitBarrier(*All[size_t(I)].Q, nullptr, &Shared->Done[I]));
  for (int I = 0; I < Count; ++I)
    for (int Other = 0; Other < Count; ++Other)
      if (Other != I)
        HIP_TRY(
            R.submitBarrier(*All[size_t(I)].Q, &Shared->Done[Other], nullptr));
  return hipSuccess;
}

} // extern "C"

extern "C" hipError_t hipLaunchCooperativeKernel_spt(const void *Function,
                                                     dim3 Grid, dim3 Block,
                                                     void **Each,
                                                     uint32_t Shared,
                                                     hipStream_t Handle) {
  return hipLaunchCooperativeKernel(Function, Grid, Block, Each, Shared,
                                    Handle);
}
