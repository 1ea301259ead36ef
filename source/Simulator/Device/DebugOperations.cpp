//===-- DebugOperations.cpp - KFD's debug operations ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DebugOperations.h"
#include "SaveContext.h"

#include "Simulator/Common/Wire.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;

static constexpr uint64_t QueueExceptions =
    (uint64_t(1) << 31) - 1; // codes 1 to 31

bool DebugOperations::handle(int ClientFd, Message &M) {
  DebugTrapRequest Request;
  if (!M.as(Request))
    return false;
  Call C = {Request.arguments, M.Payload.data() + sizeof(Request.arguments),
            M.Payload.size() - sizeof(Request.arguments)};
  int Result;
  if (C.A.pid != Pid)
    Result = -ESRCH;
  else if (C.A.op == kfd::Enable)
    Result = enable(C, ClientFd, M.Fd);
  else if (Debug.ClientFd != ClientFd)
    Result = -EINVAL;
  else
    Result = perform(C);
  std::vector<uint8_t> Bytes(sizeof(C.A));
  memcpy(Bytes.data(), &C.A, sizeof(C.A));
  Bytes.insert(Bytes.end(), C.Out.begin(), C.Out.end());
  const bool Sent = sendMessage(ClientFd, MessageType::Reply, M.Header.sequence,
                                Result, Bytes.data(), Bytes.size());
  if (C.A.op == kfd::Enable && Result == 0)
    notifyOfPending();
  return Sent;
}

int DebugOperations::perform(Call &C) {
  const bool HardwareOperation = C.A.op >= kfd::SetWaveLaunchOverride &&
                                 C.A.op <= kfd::ClearNodeAddressWatch;
  if (HardwareOperation && !Runtime.isUp())
    return -EPERM;
  switch (C.A.op) {
  case kfd::Disable:
    disable(/*Orderly=*/true);
    return 0;
  case kfd::SendRuntimeEvent:
    return sendRuntimeEvent(C);
  case kfd::SetExceptionsEnabled:
    return setExceptionsEnabled(C);
  case kfd::SetWaveLaunchOverride:
    return setWaveLaunchOverride(C);
  case kfd::SetWaveLaunchMode:
    return setWaveLaunchMode(C);
  case kfd::SuspendQueues:
  case kfd::ResumeQueues:
    return suspendOrResumeQueues(C);
  case kfd::SetNodeAddressWatch:
    return setNodeAddressWatch(C);
  case kfd::ClearNodeAddressWatch:
    return clearNodeAddressWatch(C);
  case kfd::SetFlags:
    return setFlags(C);
  case kfd::QueryDebugEvent:
    return queryDebugEvent(C);
  case kfd::QueryExceptionInfo:
    return queryExceptionInfo(C);
  case kfd::GetQueueSnapshot:
    return getQueueSnapshot(C);
  case kfd::GetDeviceSnapshot:
    return getDeviceSnapshot(C);
  default:
    return -EINVAL;
  }
}

void DebugOperations::notifyOfPending() {
  bool Pending = Runtime.Exceptions & Debug.ExceptionsEnabled;
  for (auto &Entry : TheQueues)
    Pending |= bool(Entry.second->ExceptionStatus & Debug.ExceptionsEnabled);
  for (auto &On : All)
    Pending |= bool(On->ExceptionStatus & Debug.ExceptionsEnabled);
  if (Pending)
    Debug.notify();
}

//===----------------------------------------------------------------------===//
// Coming and going
//===----------------------------------------------------------------------===//

int DebugOperations::enable(Call &C, int ClientFd, int &PassedFd) {
  if (Debug.attached())
    return -EALREADY;
  if (PassedFd < 0)
    return -EBADF;
  Debug.ClientFd = ClientFd;
  Debug.Notifier = std::exchange(PassedFd, -1);
  Debug.ExceptionsEnabled = C.A.enable.exception_mask;
  const uint32_t Size =
      std::min<uint32_t>(C.A.enable.rinfo_size, sizeof(Runtime.Info));
  // A debugger without room for the answer learns about the runtime from its
  // event.
  if (Size == 0 && Runtime.isUp()) {
    Runtime.Exceptions |= kfd::exceptionMask(kfd::ProcessRuntime);
    Debug.RuntimeIsNews = true;
  }
  C.put(&Runtime.Info, Size);
  C.A.enable.rinfo_size = sizeof(Runtime.Info);
  // A runtime that was waiting for a debugger comes up now.
  if (Runtime.PendingEnable) {
    Runtime.Deadline = 0;
    Runtime.Info.runtime_state = kfd::RuntimeEnabled;
    Runtime.Exceptions |= kfd::exceptionMask(kfd::ProcessRuntime);
  }
  for (auto &Entry : TheQueues)
    Entry.second->ExceptionStatus |= kfd::exceptionMask(kfd::QueueNew);
  return 0;
}

void DebugOperations::releaseWaves(Queue &Q, bool Orderly) {
  if (!Q.Current || Q.Failed)
    return;
  Q.Current->Saved.clear();
  for (Workgroup &G : Q.Current->Resident)
    for (auto &W : G.Waves) {
      if (W->Ended || !(W->State.Status & isa::status::Halt))
        continue;
      // A wave that was halted at its launch, or stopped on request, continues;
      // one that stopped at a breakpoint without a debugger can't.
      const bool Stopped = W->State.ttmp()[6] >> 30 & 1;
      if (Stopped && !Orderly && !Q.Failed)
        Waves.failQueue(Q, W->Fault.exception
                               ? W->Fault
                               : describeFault(Q, *W, kfd::QueueWaveTrap));
      else if (!Stopped)
        W->State.Status &= ~(isa::status::Halt | isa::status::SkipExport);
    }
}

void DebugOperations::disable(bool Orderly) {
  if (!Debug.attached())
    return;
  TheHistory.stop();
  for (auto &Entry : TheQueues)
    resumeQueue(*Entry.second);
  if (Debug.Notifier >= 0)
    close(Debug.Notifier);
  Debug = DebugSession();
  for (auto &On : All) {
    for (isa::AddressWatch &W : On->Watches)
      W.Enabled = false;
    On->ExceptionStatus = 0;
    On->Executor->setWatches(On->Watches);
    On->Executor->setLocalRangeFaults(false);
  }
  for (auto &Entry : TheQueues)
    releaseWaves(*Entry.second, Orderly);
  if (Runtime.PendingEnable)
    Runtime.comeUp();
  Runtime.goneDown();
}

//===----------------------------------------------------------------------===//
// Exceptions
//===----------------------------------------------------------------------===//

/// Delivers a fault to the program, which ends the queue.
void DebugOperations::deliverFault(Queue &Q, uint64_t Mask) {
  QueueErrorEvent E = {};
  E.queue_id = Q.Id;
  E.exception = uint32_t(__builtin_ctzll(Mask)) + 1;
  if (Q.Current) {
    E.kernel_object = Q.Current->Packet.KernelObject;
    E.packet_id = Q.Current->PacketId;
    for (Workgroup &G : Q.Current->Resident)
      for (auto &W : G.Waves)
        if (!W->Ended && W->Fault.exception &&
            (kfd::exceptionMask(W->Fault.exception) & Mask || !E.pc)) {
          // A debugger may deliver a different exception than the noted one,
          // such as an abort for s_trap 2, but the location is still the
          // wave's.
          const uint32_t Code = E.exception;
          E = W->Fault;
          E.exception = Code;
        }
  }
  Waves.failQueue(Q, E);
}

int DebugOperations::sendRuntimeEvent(Call &C) {
  const uint64_t Mask = C.A.send_runtime_event.exception_mask;
  if (Mask & kfd::exceptionMask(kfd::ProcessRuntime)) {
    if (Runtime.PendingEnable)
      Runtime.comeUp();
    Runtime.goneDown();
    if (std::exchange(Debug.RuntimeIsNews, false) && !TheQueues.empty())
      Debug.notify();
    return 0;
  }
  if (!(Mask & QueueExceptions))
    return 0;
  Queue *Q = findQueue(C.A.send_runtime_event.queue_id);
  if (!Q)
    return -EINVAL;
  if (!Q->Failed)
    deliverFault(*Q, Mask & QueueExceptions);
  return 0;
}

int DebugOperations::setExceptionsEnabled(Call &C) {
  Debug.ExceptionsEnabled = C.A.set_exceptions_enabled.exception_mask;
  notifyOfPending();
  return 0;
}

int DebugOperations::queryDebugEvent(Call &C) {
  const uint64_t Clear = C.A.query_debug_event.exception_mask;
  for (auto &Entry : TheQueues) {
    Queue &Q = *Entry.second;
    if (!(Q.ExceptionStatus & Debug.ExceptionsEnabled) || Debug.RuntimeIsNews)
      continue;
    C.A.query_debug_event.exception_mask = Q.ExceptionStatus;
    C.A.query_debug_event.queue_id = Q.Id;
    C.A.query_debug_event.gpu_id = Q.Agent->gpuId();
    Q.ExceptionStatus &= ~Clear;
    return 0;
  }
  for (auto &On : All) {
    if (!(On->ExceptionStatus & Debug.ExceptionsEnabled))
      continue;
    C.A.query_debug_event.exception_mask = On->ExceptionStatus;
    C.A.query_debug_event.queue_id = 0;
    C.A.query_debug_event.gpu_id = On->gpuId();
    On->ExceptionStatus &= ~Clear;
    return 0;
  }
  if (!(Runtime.Exceptions & Debug.ExceptionsEnabled))
    return -EAGAIN;
  C.A.query_debug_event.exception_mask = Runtime.Exceptions;
  C.A.query_debug_event.queue_id = 0;
  C.A.query_debug_event.gpu_id = 0;
  Runtime.Exceptions &= ~Clear;
  return 0;
}

int DebugOperations::queryExceptionInfo(Call &C) {
  auto &Query = C.A.query_exception_info;
  const uint32_t Code = Query.exception_code;
  const uint64_t Mask = kfd::exceptionMask(Code);
  if (Code == kfd::ProcessRuntime) {
    if (!(Runtime.Exceptions & Mask))
      return -ENODATA;
    C.put(&Runtime.Info,
          std::min<size_t>(Query.info_size, sizeof(Runtime.Info)));
    Query.info_size = sizeof(Runtime.Info);
    if (Query.clear_exception)
      Runtime.Exceptions &= ~Mask;
    return 0;
  }
  if (Code == kfd::DeviceMemoryViolation) {
    Agent *On = findAgent(Query.source_id);
    if (!On)
      return -ENODEV;
    if (!(On->ExceptionStatus & Mask))
      return -ENODATA;
    C.put(&On->Violation,
          std::min<size_t>(Query.info_size, sizeof(On->Violation)));
    Query.info_size = sizeof(On->Violation);
    if (Query.clear_exception)
      On->ExceptionStatus &= ~Mask;
    return 0;
  }
  if (Code < 1 || Code > 31)
    return -EINVAL;
  Queue *Q = findQueue(Query.source_id);
  if (!Q)
    return -EINVAL;
  if (!(Q->ExceptionStatus & Mask))
    return -ENODATA;
  Query.info_size = 0;
  if (Query.clear_exception)
    Q->ExceptionStatus &= ~Mask;
  return 0;
}

//===----------------------------------------------------------------------===//
// Waves and queues
//===----------------------------------------------------------------------===//

int DebugOperations::setWaveLaunchOverride(Call &C) {
  // MODE's exception enables: bits 12-18 in the trap mask's order, address
  // watch at bit 19.
  const uint32_t Supported = 0xff;
  auto ToMode = [](uint32_t Mask) { return (Mask & 0xff) << 12; };
  const uint32_t Requested = C.A.launch_override.support_request_mask;
  const uint32_t Previous = Debug.TrapMask >> 12 & 0xff;
  C.A.launch_override.support_request_mask = Supported;
  if (Requested & ~Supported)
    return -EACCES;
  if (C.A.launch_override.override_mode > kfd::OverrideReplace)
    return -EINVAL;
  const uint32_t Asked = C.A.launch_override.enable_mask;
  Debug.TrapMask = ToMode((Asked & Requested) | (Previous & ~Requested));
  C.A.launch_override.enable_mask = Previous;
  return 0;
}

int DebugOperations::setWaveLaunchMode(Call &C) {
  const uint32_t Mode = C.A.launch_mode.launch_mode;
  if (Mode != kfd::LaunchNormal && Mode != kfd::LaunchHalt &&
      Mode != kfd::LaunchDebug)
    return -EINVAL;
  Debug.LaunchMode = kfd::LaunchMode(Mode);
  return 0;
}

int DebugOperations::suspendQueue(Queue &Q, uint64_t ClearMask) {
  Q.ExceptionStatus &= ~ClearMask;
  // Only compute queues have waves to save.
  if (!Q.Suspended && Q.SaveArea &&
      !saveContext(Memory, Q,
                   Debug.AsksForRegisters ? RegistersToSave::Scalar
                                          : RegistersToSave::All))
    return -EIO;
  Q.Suspended = true;
  Q.Agent->forEachExecutor([](isa::Executor &E) { E.pauseTranslation(); });
  return 0;
}

int DebugOperations::resumeQueue(Queue &Q) {
  if (!Q.Suspended)
    return 0;
  TheHistory.returnToPresent();
  Q.Suspended = false;
  return loadContext(Memory, Q) ? 0 : -EIO;
}

int DebugOperations::suspendOrResumeQueues(Call &C) {
  const bool Suspend = C.A.op == kfd::SuspendQueues;
  const uint32_t Count =
      Suspend ? C.A.suspend_queues.num_queues : C.A.resume_queues.num_queues;
  if (Count > C.InSize / 4)
    return -EFAULT;
  int Done = 0;
  for (uint32_t I = 0; I < Count; ++I) {
    uint32_t Id;
    memcpy(&Id, C.In + 4 * I, 4);
    Id &= ~(kfd::QueueErrorMask | kfd::QueueInvalidMask);
    Queue *Q = findQueue(Id);
    // Like KFD: neither can a queue be suspended that the debugger hasn't seen.
    if (!Q ||
        (Suspend && Q->ExceptionStatus & kfd::exceptionMask(kfd::QueueNew)))
      Id |= kfd::QueueInvalidMask;
    else if (Suspend ? suspendQueue(*Q, C.A.suspend_queues.exception_mask)
                     : resumeQueue(*Q))
      Id |= kfd::QueueErrorMask;
    else
      ++Done;
    C.put(&Id, 4);
  }
  return Done;
}

bool DebugOperations::handleWaves(int ClientFd, const Message &M) {
  QueueRequest Request;
  if (!M.as(Request))
    return false;
  std::vector<uint32_t> Places((M.Payload.size() - sizeof(Request)) /
                               sizeof(uint32_t));
  if (!Places.empty())
    memcpy(Places.data(), M.Payload.data() + sizeof(Request),
           Places.size() * sizeof(uint32_t));
  std::vector<uint8_t> Out;
  int Result = -EINVAL;
  const bool IsOwn = Debug.ClientFd == ClientFd;
  Queue *Q = IsOwn ? findQueue(Request.queue_id) : nullptr;
  if (IsOwn && M.Header.type == MessageType::WavesWanted &&
      Request.queue_id == EveryQueue) {
    Debug.AsksForRegisters = true;
    Result = 0;
  } else if (Q && Q->Suspended && Q->Current) {
    if (M.Header.type == MessageType::WavesSaved)
      Result = describeSaved(*Q, Out);
    else if (M.Header.type == MessageType::WavesWanted)
      Result = saveRegisters(Memory, *Q, Places) ? 0 : -EINVAL;
    else
      Result = Q->Current->Saved.setChanged(std::move(Places)) ? 0 : -EINVAL;
  }
  return sendMessage(ClientFd, MessageType::Reply, M.Header.sequence, Result,
                     Out.data(), Out.size());
}

int DebugOperations::describeSaved(const Queue &Q, std::vector<uint8_t> &Out) {
  const SavedPlaces &Saved = Q.Current->Saved;
  const WavesSavedReply Reply = {Q.Layout, Q.Saves};
  auto Put = [&](const void *Data, size_t Size) {
    const uint8_t *P = static_cast<const uint8_t *>(Data);
    Out.insert(Out.end(), P, P + Size);
  };
  Put(&Reply, sizeof(Reply));
  if (!Saved.Written || Saved.Layout != Q.Layout)
    return -ENODATA;
  Put(Saved.Written->data(), Saved.Written->size() * sizeof(uint32_t));
  return int(Saved.Written->size());
}

int DebugOperations::getQueueSnapshot(Call &C) {
  const uint64_t Clear = C.A.queue_snapshot.exception_mask;
  const uint32_t Size = std::min<uint32_t>(C.A.queue_snapshot.entry_size,
                                           sizeof(kfd::QueueSnapshotEntry));
  uint32_t Left = Debug.RuntimeIsNews ? 0 : C.A.queue_snapshot.num_queues;
  if (!Size)
    return -EINVAL;
  for (auto &Entry : TheQueues) {
    if (!Left--)
      break;
    Queue &Q = *Entry.second;
    kfd::QueueSnapshotEntry E = {};
    E.exception_status = Q.ExceptionStatus;
    E.ring_base_address = Q.Ring;
    E.write_pointer_address = Q.WriteIndex;
    E.read_pointer_address = Q.ReadIndex;
    E.ctx_save_restore_address = Q.SaveArea;
    E.queue_id = Q.Id;
    E.gpu_id = Q.Agent->gpuId();
    E.ring_size = uint32_t(Q.RingSize);
    E.queue_type = uint32_t(Q.Kind);
    E.ctx_save_restore_area_size = uint32_t(Q.SaveSize);
    C.put(&E, Size);
    Q.ExceptionStatus &= ~Clear;
  }
  C.A.queue_snapshot.num_queues =
      Debug.RuntimeIsNews ? 0 : uint32_t(TheQueues.size());
  C.A.queue_snapshot.entry_size = Size;
  return 0;
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

int DebugOperations::setNodeAddressWatch(Call &C) {
  auto &Wanted = C.A.set_node_address_watch;
  Agent *On = findAgent(Wanted.gpu_id);
  if (!On)
    return -ENODEV;
  if (Wanted.mode > kfd::WatchAll)
    return -EINVAL;
  std::vector<isa::AddressWatch> &Watches = On->Watches;
  auto Free = std::find_if(Watches.begin(), Watches.end(),
                           [](const auto &W) { return !W.Enabled; });
  if (Free == Watches.end())
    return -ENOMEM;
  Free->Enabled = true;
  Free->Kind = isa::AddressWatch::Mode(Wanted.mode);
  Free->Address = Wanted.address;
  // The mask's 32 bits are sign-extended over the address's upper half.
  Free->Mask = uint64_t(int64_t(int32_t(Wanted.mask))) | 0xffffffff00000000ull;
  On->Executor->setWatches(Watches);
  Wanted.id = uint32_t(Free - Watches.begin());
  return 0;
}

int DebugOperations::clearNodeAddressWatch(Call &C) {
  const uint32_t Id = C.A.clear_node_address_watch.id;
  Agent *On = findAgent(C.A.clear_node_address_watch.gpu_id);
  if (!On)
    return -ENODEV;
  std::vector<isa::AddressWatch> &Watches = On->Watches;
  if (Id >= Watches.size() || !Watches[Id].Enabled)
    return -EINVAL;
  Watches[Id].Enabled = false;
  On->Executor->setWatches(Watches);
  return 0;
}

int DebugOperations::setFlags(Call &C) {
  // Arithmetic exceptions are always precise here.
  if (C.A.set_flags.flags & ~(kfd::SingleMemoryOperation |
                              kfd::SingleAluOperation | kfd::LocalOutOfRange))
    return -EINVAL;
  C.A.set_flags.flags = std::exchange(Debug.Flags, C.A.set_flags.flags);
  for (auto &On : All)
    On->Executor->setLocalRangeFaults(Debug.Flags & kfd::LocalOutOfRange);
  return 0;
}

int DebugOperations::getDeviceSnapshot(Call &C) {
  const uint32_t Size = std::min<uint32_t>(C.A.device_snapshot.entry_size,
                                           sizeof(kfd::DeviceSnapshotEntry));
  if (!Size)
    return -EINVAL;
  uint32_t Left = C.A.device_snapshot.num_devices;
  for (auto &On : All) {
    if (!Left--)
      break;
    kfd::DeviceSnapshotEntry E = On->describe().device;
    E.exception_status = On->ExceptionStatus;
    C.put(&E, Size);
    On->ExceptionStatus &= ~C.A.device_snapshot.exception_mask;
  }
  C.A.device_snapshot.num_devices = uint32_t(All.size());
  C.A.device_snapshot.entry_size = Size;
  return 0;
}
