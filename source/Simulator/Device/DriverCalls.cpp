//===-- DriverCalls.cpp - KFD's ioctls, but for events --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DriverCalls.h"
#include "SaveContext.h"
#include "wavelane/Protocol/Server/UserVariables.h"

#include "wavelane/Simulator/KfdIoctl.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;

// The largest argument, with room for those of future kernels.
static constexpr size_t ArgumentRoom = 1024;

DriverCalls::DriverCalls(FileMemory &Memory, Agents &All, Queues &TheQueues,
                         DebugSession &Debug, ProgramRuntime &Runtime,
                         Scheduler &Waves, PageRetry &Retry)
    : Memory(Memory), All(All), TheQueues(TheQueues), Debug(Debug),
      Runtime(Runtime), Waves(Waves), Retry(Retry),
      DoorbellUsed(All.size(), std::vector<bool>(driver::DoorbellSize / 8)) {
  Runtime.ReportError = [this](const Queue &Q, const QueueErrorEvent &E) {
    reportQueueError(Q, E);
  };
}

bool DriverCalls::handle(const Message &M) {
  DriverCallRequest R;
  if (!M.as(R) || R.size > ArgumentRoom ||
      M.Payload.size() - sizeof(R) < R.size)
    return false;
  Call C = {M.Header.sequence, std::vector<uint8_t>(ArgumentRoom),
            M.Payload.data() + sizeof(R) + R.size,
            M.Payload.size() - sizeof(R) - R.size};
  memcpy(C.Argument.data(), M.Payload.data() + sizeof(R), R.size);
  const int Result = perform(R.request & 0xff, C);
  if (C.IsAnswered)
    return true;
  C.Argument.resize(R.size);
  C.Argument.insert(C.Argument.end(), C.Out.begin(), C.Out.end());
  return sendMessage(Runtime.Program, MessageType::Reply, C.Sequence, Result,
                     C.Argument.data(), C.Argument.size());
}

int DriverCalls::perform(uint32_t Number, Call &C) {
  switch (kfd::Call(Number)) {
  case kfd::Call::CreateQueue:
    return createQueue(C);
  case kfd::Call::DestroyQueue:
    return destroyQueue(C);
  case kfd::Call::UpdateQueue:
    return updateQueue(C);
  case kfd::Call::SetCuMask:
    return setCuMask(C);
  case kfd::Call::GetQueueWaveState:
    return getQueueWaveState(C);
  case kfd::Call::AllocQueueGws:
    return allocQueueGws(C);
  case kfd::Call::GetClockCounters:
    return getClockCounters(C);
  case kfd::Call::GetProcessApertures:
    return getApertures(C);
  case kfd::Call::GetProcessAperturesNew:
    return getAperturesNew(C);
  case kfd::Call::AllocMemoryOfGpu:
    return allocate(C);
  case kfd::Call::FreeMemoryOfGpu:
    return Memory.free(C.as<kfd::FreeMemoryArguments>().handle);
  case kfd::Call::MapMemoryToGpu:
    return mapOrUnmap(C, true);
  case kfd::Call::UnmapMemoryFromGpu:
    return mapOrUnmap(C, false);
  case kfd::Call::Svm:
    return mapPages(C);
  case kfd::Call::IpcExportHandle:
    return ipcExport(C);
  case kfd::Call::IpcImportHandle:
    return ipcImport(C);
  case kfd::Call::SetXnackMode:
    return setXnackMode(C);
  case kfd::Call::PageServed:
    Retry.answer(C.as<driver::PageAnswer>());
    return 0;
  case kfd::Call::AvailableMemory:
    return availableMemory(C);
  case kfd::Call::RuntimeEnable:
    return runtimeEnable(C);
  case kfd::Call::PcSample: {
    auto &A = C.as<kfd::PcSampleArguments>();
    const int Gpu = gpuIndex(A.gpu_id);
    C.Out.assign(C.In, C.In + C.InSize);
    return Gpu < 0 ? -EINVAL : OnSample(unsigned(Gpu), A, C.Out);
  }
  case kfd::Call::SubmitJob:
  case kfd::Call::QueryJob:
    return OnJob(kfd::Call(Number), C.as<kfd::JobArguments>());
  case kfd::Call::AcquireVm:
    return gpuIndex(C.as<kfd::AcquireVmArguments>().gpu_id) < 0 ? -EINVAL : 0;
  case kfd::Call::SetMemoryPolicy:
    // Memory is coherent with any policy.
    return gpuIndex(C.as<kfd::SetMemoryPolicyArguments>().gpu_id) < 0 ? -EINVAL
                                                                      : 0;
  case kfd::Call::SetScratchBackingVa:
    // Waves get the address of scratch memory with the packet.
    return gpuIndex(C.as<kfd::SetScratchBackingVaArguments>().gpu_id) < 0
               ? -EINVAL
               : 0;
  case kfd::Call::SetTrapHandler: {
    const auto &A = C.as<kfd::SetTrapHandlerArguments>();
    const int Gpu = gpuIndex(A.gpu_id);
    if (Gpu < 0)
      return -EINVAL;
    All[unsigned(Gpu)]->TrapHandler = A.tba_addr;
    All[unsigned(Gpu)]->TrapMemory = A.tma_addr;
    return 0;
  }
  case kfd::Call::GetTileConfig: {
    // The layout of images, which aren't supported.
    auto &A = C.as<kfd::GetTileConfigArguments>();
    if (gpuIndex(A.gpu_id) < 0)
      return -EINVAL;
    A.num_tile_configs = A.num_macro_tile_configs = 0;
    A.gb_addr_config = A.num_banks = A.num_ranks = 0;
    return 0;
  }
  default:
    return -ENOTTY;
  }
}

int DriverCalls::gpuIndex(uint32_t GpuId) const {
  return GpuId - AgentId < All.size() ? int(GpuId - AgentId) : -1;
}

Queue *DriverCalls::findQueue(uint32_t Id) const {
  auto It = TheQueues.find(Id);
  return It == TheQueues.end() ? nullptr : It->second.get();
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

int DriverCalls::takeDoorbell(unsigned Gpu) {
  std::vector<bool> &Used = DoorbellUsed[Gpu];
  auto It = std::find(Used.begin(), Used.end(), false);
  if (It == Used.end())
    return -1;
  *It = true;
  return int(It - Used.begin());
}

int DriverCalls::createQueue(Call &C) {
  auto &A = C.as<kfd::CreateQueueArguments>();
  const int Gpu = gpuIndex(A.gpu_id);
  if (Gpu < 0 || A.queue_percentage > kfd::MaxQueuePercentage ||
      A.queue_priority > kfd::MaxQueuePriority ||
      A.queue_type > kfd::QueueTypeLast || A.ring_size & (A.ring_size - 1) ||
      (A.ring_base_address && A.ring_size < kfd::MinRingSize))
    return -EINVAL;
  if (!Memory.get(A.ring_base_address, A.ring_size, Access::Atomic) ||
      !Memory.object<uint64_t>(A.write_pointer_address, Access::Read) ||
      !Memory.object<uint64_t>(A.read_pointer_address, Access::Atomic))
    return -EFAULT;
  auto Q = std::make_unique<Queue>();
  Q->Kind = QueueKind(A.queue_type);
  Q->Agent = All[unsigned(Gpu)].get();
  Q->Ring = A.ring_base_address;
  Q->RingSize = A.ring_size;
  Q->WriteIndex = A.write_pointer_address;
  Q->ReadIndex = A.read_pointer_address;
  Q->Paused = !A.queue_percentage || !A.ring_base_address;
  const bool IsCompute = Q->Kind == QueueKind::Aql || Q->Kind == QueueKind::Pm4;
  // The runtime's indices are in its amd_queue_t; other programs may not have
  // one.
  if (Q->Kind == QueueKind::Aql &&
      A.read_pointer_address - A.write_pointer_address ==
          AmdQueueReadDispatchId - AmdQueueWriteDispatchId &&
      Memory.get(A.write_pointer_address - AmdQueueWriteDispatchId,
                 AmdQueueSize, Access::Atomic))
    Q->AmdQueue = A.write_pointer_address - AmdQueueWriteDispatchId;
  if (IsCompute && A.ctx_save_restore_address) {
    const uint8_t *Area = Memory.get(A.ctx_save_restore_address,
                                     A.ctx_save_restore_size, Access::Atomic);
    kfd::ContextSaveAreaHeader Header;
    if (!Area || A.ctx_save_restore_size < sizeof(Header))
      return -EFAULT;
    memcpy(&Header, Area, sizeof(Header));
    Q->SaveArea = A.ctx_save_restore_address;
    Q->SaveSize = A.ctx_save_restore_size;
    if (Header.debug_offset == Q->SaveSize &&
        Memory.get(Q->SaveArea, Q->SaveSize + Header.debug_size,
                   Access::Atomic))
      Q->DebuggerSize = Header.debug_size;
  }
  const int Doorbell = takeDoorbell(unsigned(Gpu));
  if (Doorbell < 0)
    return -ENOSPC;
  Q->Doorbell =
      driver::DoorbellStride * unsigned(Gpu + 1) + unsigned(Doorbell) * 8;
  while (TheQueues.count(NextQueueId))
    ++NextQueueId;
  Q->Id = A.queue_id = NextQueueId++;
  A.doorbell_offset = Q->Doorbell;
  Queue &Ref = *Q;
  TheQueues[Ref.Id] = std::move(Q);
  if (Ref.SaveArea)
    saveContext(Memory, Ref); // with an empty context
  if (IsCompute)
    Debug.raise(Ref, 0);
  return 0;
}

int DriverCalls::destroyQueue(Call &C) {
  Queue *Q = findQueue(C.as<kfd::DestroyQueueArguments>().queue_id);
  if (!Q)
    return -EINVAL;
  Waves.abandon(*Q);
  DoorbellUsed[Q->Agent->Index][Q->Doorbell % driver::DoorbellStride / 8] =
      false;
  TheQueues.erase(Q->Id);
  return 0;
}

int DriverCalls::updateQueue(Call &C) {
  auto &A = C.as<kfd::UpdateQueueArguments>();
  Queue *Q = findQueue(A.queue_id);
  if (!Q || A.queue_percentage > kfd::MaxQueuePercentage ||
      A.queue_priority > kfd::MaxQueuePriority ||
      A.ring_size & (A.ring_size - 1))
    return -EINVAL;
  if (A.ring_base_address &&
      !Memory.get(A.ring_base_address, A.ring_size, Access::Atomic))
    return -EFAULT;
  if (A.ring_base_address) {
    Q->Ring = A.ring_base_address;
    Q->RingSize = A.ring_size;
  }
  Q->Paused = !A.queue_percentage || !A.ring_base_address;
  return 0;
}

int DriverCalls::setCuMask(Call &C) {
  auto &A = C.as<kfd::SetCuMaskArguments>();
  Queue *Q = findQueue(A.queue_id);
  if (!Q || !A.num_cu_mask || A.num_cu_mask % 32)
    return -EINVAL;
  if (C.InSize < A.num_cu_mask / 8)
    return -EFAULT;
  std::vector<bool> Allowed(Q->Agent->Units.size());
  bool Any = false;
  for (size_t I = 0; I < Allowed.size() && I < A.num_cu_mask; ++I) {
    Allowed[I] = C.In[I / 8] >> I % 8 & 1;
    Any = Any || Allowed[I];
  }
  if (!Any)
    return -EINVAL;
  Q->Units = std::move(Allowed);
  return 0;
}

int DriverCalls::getQueueWaveState(Call &C) {
  auto &A = C.as<kfd::GetQueueWaveStateArguments>();
  Queue *Q = findQueue(A.queue_id);
  if (!Q || !Q->SaveArea ||
      (Q->Kind != QueueKind::Aql && Q->Kind != QueueKind::Pm4))
    return -EINVAL;
  // Like KFD: only for a queue that isn't running.
  if (!Q->Paused && !Q->Suspended)
    return -EBUSY;
  if (!saveContext(Memory, *Q))
    return -EIO;
  kfd::ContextSaveAreaHeader Header;
  const uint8_t *Area = Memory.get(Q->SaveArea, sizeof(Header), Access::Read);
  if (!Area)
    return -EIO;
  memcpy(&Header, Area, sizeof(Header));
  A.ctl_stack_used_size = Header.control_stack_size;
  A.save_area_used_size = Header.wave_state_size;
  return 0;
}

int DriverCalls::allocQueueGws(Call &C) {
  auto &A = C.as<kfd::AllocQueueGwsArguments>();
  Queue *Q = findQueue(A.queue_id);
  if (!Q || A.num_gws > 64)
    return -EINVAL;
  if (!Q->Agent->Info.family().HasWaveSync)
    return -ENODEV;
  Q->HasWaveSync = A.num_gws != 0;
  A.first_gws = 0;
  return 0;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

int DriverCalls::getClockCounters(Call &C) {
  auto &A = C.as<kfd::GetClockCountersArguments>();
  timespec Host, Boot;
  clock_gettime(CLOCK_MONOTONIC_RAW, &Host);
  clock_gettime(CLOCK_BOOTTIME, &Boot);
  auto Ns = [](const timespec &T) {
    return uint64_t(T.tv_sec) * 1000000000 + uint64_t(T.tv_nsec);
  };
  // For the host's node, which has no GPU, the counter is 0.
  A.gpu_clock_counter = gpuIndex(A.gpu_id) < 0 ? 0 : Memory.timestamp();
  A.cpu_clock_counter = Ns(Host);
  A.system_clock_counter = Ns(Boot);
  A.system_clock_freq = 1000000000;
  return 0;
}

static kfd::ProcessDeviceApertures apertures(const Agent &A) {
  const kfd::DeviceSnapshotEntry D = A.describe().device;
  kfd::ProcessDeviceApertures P = {};
  P.lds_base = D.lds_base;
  P.lds_limit = D.lds_limit;
  P.scratch_base = D.scratch_base;
  P.scratch_limit = D.scratch_limit;
  // Everything that the host can address in user space.
  P.gpuvm_base = 0x4000;
  P.gpuvm_limit = (uint64_t(1) << 47) - 1;
  P.gpu_id = D.gpu_id;
  return P;
}

int DriverCalls::getApertures(Call &C) {
  auto &A = C.as<kfd::GetProcessAperturesArguments>();
  A.num_of_nodes = 0;
  for (const auto &On : All)
    if (A.num_of_nodes < kfd::OldApertures)
      A.process_apertures[A.num_of_nodes++] = apertures(*On);
  return 0;
}

int DriverCalls::getAperturesNew(Call &C) {
  auto &A = C.as<kfd::GetProcessAperturesNewArguments>();
  if (A.num_of_nodes)
    for (uint32_t I = 0; I < All.size() && I < A.num_of_nodes; ++I) {
      const kfd::ProcessDeviceApertures P = apertures(*All[I]);
      const auto *Bytes = reinterpret_cast<const uint8_t *>(&P);
      C.Out.insert(C.Out.end(), Bytes, Bytes + sizeof(P));
    }
  A.num_of_nodes = A.num_of_nodes
                       ? std::min(A.num_of_nodes, uint32_t(All.size()))
                       : uint32_t(All.size());
  return 0;
}

int DriverCalls::setXnackMode(Call &C) {
  auto &A = C.as<kfd::SetXnackModeArguments>();
  if (A.xnack_enabled < 0) {
    A.xnack_enabled = Retry.isEnabled();
    return 0;
  }
  if (!TheQueues.empty())
    return -EBUSY;
  if (A.xnack_enabled)
    for (const auto &On : All)
      if (!On->Info.family().RetriesFaults)
        return -EPERM;
  Retry.enable(A.xnack_enabled);
  for (const auto &On : All)
    On->setRetries(A.xnack_enabled);
  return 0;
}

int DriverCalls::availableMemory(Call &C) {
  auto &A = C.as<kfd::AvailableMemoryArguments>();
  const int Gpu = gpuIndex(A.gpu_id);
  if (Gpu < 0)
    return -EINVAL;
  A.available = Memory.available(unsigned(Gpu));
  return 0;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int DriverCalls::allocate(Call &C) {
  auto &A = C.as<kfd::AllocMemoryArguments>();
  const int Gpu = gpuIndex(A.gpu_id);
  if (Gpu < 0)
    return -EINVAL;
  FileMemory::Object O;
  O.Address = A.va_addr;
  O.Size = A.size;
  O.Flags = A.flags;
  O.Gpu = unsigned(Gpu);
  if (A.flags & kfd::AllocUserPointer) {
    if (!C.InSize || C.InSize % sizeof(driver::Segment))
      return -EINVAL;
    O.Segments.resize(C.InSize / sizeof(driver::Segment));
    memcpy(O.Segments.data(), C.In, C.InSize);
  } else if (A.flags & kfd::AllocDoorbell) {
    if (A.size != driver::DoorbellSize)
      return -EINVAL;
    O.Segments = {{driver::DoorbellStride * (O.Gpu + 1), driver::DoorbellSize}};
  } else if (A.flags & kfd::AllocMmioRemap) {
    if (A.size != PageSize)
      return -EINVAL;
    O.Segments = {{driver::RegisterOffset + O.Gpu * PageSize, PageSize}};
  } else if (!(A.flags & (kfd::AllocVram | kfd::AllocGtt))) {
    return -EINVAL;
  }
  uint64_t Handle;
  if (const int Error = Memory.allocate(std::move(O), Handle))
    return Error;
  A.handle = Handle;
  A.mmap_offset = Memory.find(Handle)->Segments[0].offset;
  return 0;
}

int DriverCalls::mapPages(Call &C) {
  std::vector<driver::Segment> Segments(C.InSize / sizeof(driver::Segment));
  if (!Segments.empty())
    memcpy(Segments.data(), C.In, Segments.size() * sizeof(driver::Segment));
  return Memory.mapPages(C.as<driver::SvmMapping>(), Segments);
}

int DriverCalls::ipcExport(Call &C) {
  auto &A = C.as<kfd::IpcExportArguments>();
  driver::SharedObject S;
  if (const int Error = Memory.share(A.handle, A.flags, S))
    return Error;
  static_assert(sizeof(A.share_handle) == sizeof(S.handle));
  memcpy(A.share_handle, &S.handle, sizeof(S.handle));
  const auto *Bytes = reinterpret_cast<const uint8_t *>(&S);
  C.Out.assign(Bytes, Bytes + sizeof(S));
  return 0;
}

int DriverCalls::ipcImport(Call &C) {
  auto &A = C.as<kfd::IpcImportArguments>();
  uint64_t Handle;
  driver::SharedObject S;
  if (C.InSize >= sizeof(S)) {
    // Another program's object.
    memcpy(&S, C.In, sizeof(S));
    const int Gpu = gpuIndex(S.gpu_id);
    FileMemory::Object O;
    O.Address = A.va_addr;
    O.Size = S.size;
    O.Flags = S.flags & ~uint32_t(kfd::AllocAqlQueue);
    O.Gpu = unsigned(std::max(Gpu, 0));
    O.Segments = {{S.offset, S.size}};
    O.HsaFlags = S.hsa_flags;
    if (const int Error = Memory.allocate(std::move(O), Handle))
      return Error;
  } else {
    driver::ShareHandle H;
    memcpy(&H, A.share_handle, sizeof(H));
    const uint64_t Own = Memory.findShared(H);
    if (!Own)
      return -EINVAL;
    if (const int Error = Memory.import(Own, A.va_addr, Handle))
      return Error;
  }
  const FileMemory::Object &O = *Memory.find(Handle);
  A.handle = Handle;
  A.mmap_offset = O.Segments[0].offset;
  A.flags = O.HsaFlags;
  return 0;
}

int DriverCalls::mapOrUnmap(Call &C, bool Map) {
  // Map and unmap have the same arguments.
  auto &A = C.as<kfd::MapMemoryArguments>();
  if (!A.n_devices || A.n_success > A.n_devices)
    return -EINVAL;
  if (C.InSize / 4 < A.n_devices)
    return -EFAULT;
  for (; A.n_success < A.n_devices; ++A.n_success) {
    uint32_t Id;
    memcpy(&Id, C.In + 4 * A.n_success, 4);
    const int Gpu = gpuIndex(Id);
    if (Gpu < 0)
      return -EINVAL;
    const int Error = Map ? Memory.mapOn(A.handle, unsigned(Gpu))
                          : Memory.unmapFrom(A.handle, unsigned(Gpu));
    if (Error)
      return Error;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// The runtime
//===----------------------------------------------------------------------===//

int DriverCalls::runtimeEnable(Call &C) {
  auto &A = C.as<kfd::RuntimeEnableArguments>();
  if (!(A.mode_mask & 1)) {
    DisableRuntime();
    if (!Debug.attached())
      return 0;
    // Like KFD: the program waits until the debugger knows.
    Runtime.PendingReply.assign(C.Argument.begin(),
                                C.Argument.begin() + sizeof(A));
    Runtime.PendingDisable = C.Sequence;
    C.IsAnswered = true;
    return 0;
  }
  if (Runtime.PendingEnable)
    return -EBUSY;
  if (Runtime.isUp() || !TheQueues.empty())
    return -EEXIST;
  driver::RuntimeNote Note = {};
  if (C.InSize >= sizeof(Note))
    memcpy(&Note, C.In, sizeof(Note));
  Runtime.KeepsTraps = Note.is_old;
  A.capabilities_mask = 0;
  Runtime.PendingReply.assign(C.Argument.begin(),
                              C.Argument.begin() + sizeof(A));
  C.IsAnswered = true;
  EnableRuntime(A.r_debug, Note.wait_ms, C.Sequence);
  return 0;
}

/// The program learns about a memory violation from its memory events, and
/// about any other exception from the word that the queue's save area names.
void DriverCalls::reportQueueError(const Queue &Q, const QueueErrorEvent &E) {
  // The runtime's own message contains the exception's number at best. What
  // the device lacks isn't the program's fault.
  if (*E.instruction && (E.is_unmodeled || protocol::isOn("WAVELANE_LOG")))
    fprintf(stderr, "wavelane-gpu: queue %u has stopped at packet %llu: %s\n",
            Q.Id, static_cast<unsigned long long>(E.packet_id), E.instruction);
  if (E.exception == kfd::QueueWaveMemoryViolation &&
      protocol::isOn("WAVELANE_LOG"))
    fprintf(stderr, "wavelane-gpu: queue %u can't %s 0x%llx\n", Q.Id,
            E.write ? "write to" : "read",
            static_cast<unsigned long long>(E.address));
  if (E.exception == kfd::QueueWaveMemoryViolation) {
    driver::Control &Control = Memory.control();
    driver::MemoryFault &F = Control.fault;
    const kfd::MemoryExceptionData V =
        Waves.describeViolation(Q, E.address, E.write);
    F = {V.va, V.gpu_id, V.not_present, V.read_only, V.no_execute};
    __atomic_store_n(&Control.faulted, 1, __ATOMIC_SEQ_CST);
    Memory.interrupt(0);
    return;
  }
  kfd::ContextSaveAreaHeader Header;
  const uint8_t *Area =
      Q.SaveArea ? Memory.get(Q.SaveArea, sizeof(Header), Access::Read)
                 : nullptr;
  if (!Area)
    return;
  memcpy(&Header, Area, sizeof(Header));
  auto *Payload =
      Memory.object<uint64_t>(Header.err_payload_addr, Access::Atomic);
  if (!Payload)
    return;
  __atomic_fetch_or(Payload, kfd::exceptionMask(E.exception), __ATOMIC_SEQ_CST);
  Memory.interrupt(Header.err_event_id);
}
