//===-- Debug.cpp - KFD's debug operations --------------------------------===//

#include "Device.h"

#include <algorithm>
#include <cstring>
#include <poll.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;

static constexpr uint64_t QueueExceptions =
    (uint64_t(1) << 31) - 1; // codes 1 to 31

void Device::notify() {
  // A full pipe has woken the debugger already; waiting for room would stop the
  // device.
  pollfd Room = {Debug.Notifier, POLLOUT, 0};
  const char Byte = 0;
  if (Debug.Notifier >= 0 && poll(&Room, 1, 0) == 1 &&
      (Room.revents & POLLOUT))
    (void)!write(Debug.Notifier, &Byte, 1);
}

void Device::raise(Queue &Q, uint64_t Mask) {
  Q.ExceptionStatus |= Mask;
  if (debugging() && (Q.ExceptionStatus & Debug.ExceptionsEnabled))
    notify();
}

int Device::suspendQueue(Queue &Q, uint64_t ClearMask) {
  // As KFD: a queue that the debugger has not been shown yet can't be.
  if (Q.ExceptionStatus & kfd::exceptionMask(kfd::QueueNew))
    return -EBUSY;
  Q.ExceptionStatus &= ~ClearMask;
  if (!Q.Suspended && !saveContext(Q))
    return -EIO;
  Q.Suspended = true;
  return 0;
}

int Device::resumeQueue(Queue &Q) {
  if (!Q.Suspended)
    return 0;
  Q.Suspended = false;
  return loadContext(Q) ? 0 : -EIO;
}

void Device::disableDebug(bool Orderly) {
  if (!debugging())
    return;
  for (auto &Entry : Queues)
    resumeQueue(*Entry.second);
  Debug.ClientFd = -1;
  if (Debug.Notifier >= 0)
    close(Debug.Notifier);
  Debug = DebugSession();
  for (auto &A : Agents) {
    for (isa::AddressWatch &W : A->Watches)
      W.Enabled = false;
    A->Executor->setWatches(A->Watches);
    A->Executor->setLocalRangeFaults(false);
  }
  for (auto &Entry : Queues) {
    Queue &Q = *Entry.second;
    if (!Q.Current || Q.Failed)
      continue;
    for (Workgroup &G : Q.Current->Resident)
      for (auto &W : G.Waves) {
        if (W->Ended || !(W->State.Status & isa::status::Halt))
          continue;
        // A wave that was halted at its launch, or stopped on request, runs
        // on; one that an orphaned breakpoint stopped cannot.
        const bool Stopped = W->State.ttmp()[6] >> 30 & 1;
        if (Stopped && !Orderly && !Q.Failed) {
          QueueErrorEvent E =
              W->Fault.exception ? W->Fault
                                 : describeFault(Q, *W, kfd::QueueWaveTrap);
          failQueue(Q, E);
        } else if (!Stopped) {
          W->State.Status &= ~(isa::status::Halt | isa::status::SkipExport);
        }
      }
  }
  if (PendingRuntimeEnable)
    answerRuntimeEnable();
}

bool Device::debugTrap(Client &C, Message &M) {
  DebugTrapRequest Request;
  if (!M.as(Request))
    return false;
  kfd::DebugTrapArguments &A = Request.arguments;
  std::vector<uint8_t> Out;
  auto Append = [&Out](const void *Data, size_t Size) {
    const uint8_t *P = static_cast<const uint8_t *>(Data);
    Out.insert(Out.end(), P, P + Size);
  };
  auto Answer = [&](int Result) {
    std::vector<uint8_t> Bytes(sizeof(A) + Out.size());
    memcpy(Bytes.data(), &A, sizeof(A));
    if (!Out.empty())
      memcpy(Bytes.data() + sizeof(A), Out.data(), Out.size());
    return reply(C.Fd, M, Result, Bytes.data(), Bytes.size());
  };

  if (A.pid != Pid)
    return Answer(-ESRCH);
  if (A.op == kfd::Enable) {
    if (debugging())
      return Answer(-EALREADY);
    if (M.Fd < 0)
      return Answer(-EBADF);
    Debug.ClientFd = C.Fd;
    Debug.Notifier = M.Fd;
    M.Fd = -1;
    Debug.ExceptionsEnabled = A.enable.exception_mask;
    const uint32_t Size =
        std::min<uint32_t>(A.enable.rinfo_size, sizeof(Runtime));
    // A debugger that has no room for the answer hears of the runtime by its event.
    if (Size == 0 && Runtime.runtime_state == kfd::RuntimeEnabled) {
      ProcessExceptions |= kfd::exceptionMask(kfd::ProcessRuntime);
      Debug.RuntimeIsNews = true;
    }
    Append(&Runtime, Size);
    A.enable.rinfo_size = sizeof(Runtime);
    // A runtime that waits for a debugger comes up now.
    if (PendingRuntimeEnable) {
      RuntimeDeadline = 0;
      Runtime.runtime_state = kfd::RuntimeEnabled;
      ProcessExceptions |= kfd::exceptionMask(kfd::ProcessRuntime);
    }
    for (auto &Entry : Queues)
      Entry.second->ExceptionStatus |= kfd::exceptionMask(kfd::QueueNew);
    const bool Sent = Answer(0);
    bool Pending = ProcessExceptions & Debug.ExceptionsEnabled;
    for (auto &Entry : Queues)
      Pending |= bool(Entry.second->ExceptionStatus & Debug.ExceptionsEnabled);
    if (Pending)
      notify();
    return Sent;
  }
  if (Debug.ClientFd != C.Fd)
    return Answer(-EINVAL);
  const bool HardwareOperation =
      A.op >= kfd::SetWaveLaunchOverride && A.op <= kfd::ClearNodeAddressWatch;
  if (HardwareOperation && Runtime.runtime_state != kfd::RuntimeEnabled)
    return Answer(-EPERM);

  switch (A.op) {
  case kfd::Disable:
    disableDebug(/*Orderly=*/true);
    return Answer(0);

  case kfd::SendRuntimeEvent: {
    const uint64_t Mask = A.send_runtime_event.exception_mask;
    if (Mask & kfd::exceptionMask(kfd::ProcessRuntime)) {
      if (PendingRuntimeEnable)
        answerRuntimeEnable();
      if (Debug.RuntimeIsNews) {
        Debug.RuntimeIsNews = false;
        if (!Queues.empty())
          notify();
      }
      return Answer(0);
    }
    if (Mask & QueueExceptions) {
      Queue *Q = findQueue(A.send_runtime_event.queue_id);
      if (!Q)
        return Answer(-EINVAL);
      if (Q->Failed)
        return Answer(0);
      // The fault goes to the program: the queue ends.
      QueueErrorEvent E = {};
      E.queue_id = Q->Id;
      E.exception = uint32_t(__builtin_ctzll(Mask)) + 1;
      if (Q->Current) {
        E.kernel_object = Q->Current->Packet.KernelObject;
        E.packet_id = Q->Current->PacketId;
        for (Workgroup &G : Q->Current->Resident)
          for (auto &W : G.Waves)
            if (!W->Ended && W->Fault.exception &&
                (kfd::exceptionMask(W->Fault.exception) & Mask || !E.pc)) {
              // A debugger may deliver another exception than was noted, as an
              // abort for s_trap 2: the place is the wave's all the same.
              const uint32_t Code = E.exception;
              E = W->Fault;
              E.exception = Code;
            }
      }
      failQueue(*Q, E);
      return Answer(0);
    }
    return Answer(0);
  }

  case kfd::SetExceptionsEnabled: {
    Debug.ExceptionsEnabled = A.set_exceptions_enabled.exception_mask;
    bool Pending = ProcessExceptions & Debug.ExceptionsEnabled;
    for (auto &Entry : Queues)
      Pending |= bool(Entry.second->ExceptionStatus & Debug.ExceptionsEnabled);
    if (Pending)
      notify();
    return Answer(0);
  }

  case kfd::SetWaveLaunchOverride: {
    // MODE's exception enables: bits 12-18 in the trap mask's order, address
    // watch at bit 19.
    const uint32_t Supported = 0xff;
    auto ToMode = [](uint32_t Mask) { return (Mask & 0xff) << 12; };
    const uint32_t Requested = A.launch_override.support_request_mask;
    const uint32_t Previous = Debug.TrapMask >> 12 & 0xff;
    A.launch_override.support_request_mask = Supported;
    if (Requested & ~Supported)
      return Answer(-EACCES);
    if (A.launch_override.override_mode > kfd::OverrideReplace)
      return Answer(-EINVAL);
    const uint32_t Asked = A.launch_override.enable_mask;
    Debug.TrapMask = ToMode((Asked & Requested) | (Previous & ~Requested));
    A.launch_override.enable_mask = Previous;
    return Answer(0);
  }

  case kfd::SetWaveLaunchMode:
    if (A.launch_mode.launch_mode != kfd::LaunchNormal &&
        A.launch_mode.launch_mode != kfd::LaunchHalt &&
        A.launch_mode.launch_mode != kfd::LaunchDebug)
      return Answer(-EINVAL);
    Debug.LaunchMode = kfd::LaunchMode(A.launch_mode.launch_mode);
    return Answer(0);

  case kfd::SuspendQueues:
  case kfd::ResumeQueues: {
    const bool Suspend = A.op == kfd::SuspendQueues;
    const uint32_t Count =
        Suspend ? A.suspend_queues.num_queues : A.resume_queues.num_queues;
    if (Count > (M.Payload.size() - sizeof(A)) / 4)
      return Answer(-EFAULT);
    int Done = 0;
    for (uint32_t I = 0; I < Count; ++I) {
      uint32_t Id;
      memcpy(&Id, M.Payload.data() + sizeof(A) + 4 * I, 4);
      Queue *Q = findQueue(Id & ~(kfd::QueueErrorMask | kfd::QueueInvalidMask));
      int Error = -EINVAL;
      if (Q)
        Error = Suspend ? suspendQueue(*Q, A.suspend_queues.exception_mask)
                        : resumeQueue(*Q);
      Id &= ~(kfd::QueueErrorMask | kfd::QueueInvalidMask);
      if (!Q)
        Id |= kfd::QueueInvalidMask;
      else if (Error)
        Id |= kfd::QueueErrorMask;
      else
        ++Done;
      Append(&Id, 4);
    }
    return Answer(Done);
  }

  case kfd::SetNodeAddressWatch: {
    Agent *On = findAgent(A.set_node_address_watch.gpu_id);
    if (!On)
      return Answer(-ENODEV);
    std::vector<isa::AddressWatch> &Watches = On->Watches;
    if (A.set_node_address_watch.mode > kfd::WatchAll)
      return Answer(-EINVAL);
    for (unsigned I = 0; I < Watches.size(); ++I) {
      if (Watches[I].Enabled)
        continue;
      Watches[I].Enabled = true;
      Watches[I].Kind =
          isa::AddressWatch::Mode(A.set_node_address_watch.mode);
      Watches[I].Address = A.set_node_address_watch.address;
      // The mask's 32 bits are sign-extended over the address's upper half.
      Watches[I].Mask =
          uint64_t(int64_t(int32_t(A.set_node_address_watch.mask)));
      Watches[I].Mask |= 0xffffffff00000000ull;
      On->Executor->setWatches(Watches);
      A.set_node_address_watch.id = I;
      return Answer(0);
    }
    return Answer(-ENOMEM);
  }

  case kfd::ClearNodeAddressWatch: {
    const uint32_t Id = A.clear_node_address_watch.id;
    Agent *On = findAgent(A.clear_node_address_watch.gpu_id);
    if (!On)
      return Answer(-ENODEV);
    std::vector<isa::AddressWatch> &Watches = On->Watches;
    if (Id >= Watches.size() || !Watches[Id].Enabled)
      return Answer(-EINVAL);
    Watches[Id].Enabled = false;
    On->Executor->setWatches(Watches);
    return Answer(0);
  }

  case kfd::SetFlags: {
    const uint32_t Previous = Debug.Flags;
    // Memory operations are always precise here; arithmetic ones as well.
    if (A.set_flags.flags & ~(kfd::SingleMemoryOperation |
                              kfd::SingleAluOperation | kfd::LocalOutOfRange))
      return Answer(-EINVAL);
    Debug.Flags = A.set_flags.flags;
    for (auto &On : Agents)
      On->Executor->setLocalRangeFaults(Debug.Flags & kfd::LocalOutOfRange);
    A.set_flags.flags = Previous;
    return Answer(0);
  }

  case kfd::QueryDebugEvent: {
    const uint64_t Clear = A.query_debug_event.exception_mask;
    for (auto &Entry : Queues) {
      Queue &Q = *Entry.second;
      if (!(Q.ExceptionStatus & Debug.ExceptionsEnabled) || Debug.RuntimeIsNews)
        continue;
      A.query_debug_event.exception_mask = Q.ExceptionStatus;
      A.query_debug_event.queue_id = Q.Id;
      A.query_debug_event.gpu_id = Q.Agent->gpuId();
      Q.ExceptionStatus &= ~Clear;
      return Answer(0);
    }
    if (ProcessExceptions & Debug.ExceptionsEnabled) {
      A.query_debug_event.exception_mask = ProcessExceptions;
      A.query_debug_event.queue_id = 0;
      A.query_debug_event.gpu_id = 0;
      ProcessExceptions &= ~Clear;
      return Answer(0);
    }
    return Answer(-EAGAIN);
  }

  case kfd::QueryExceptionInfo: {
    const uint32_t Code = A.query_exception_info.exception_code;
    const bool Clear = A.query_exception_info.clear_exception;
    const uint64_t Mask = kfd::exceptionMask(Code);
    if (Code == kfd::ProcessRuntime) {
      if (!(ProcessExceptions & Mask))
        return Answer(-ENODATA);
      Append(&Runtime, std::min<size_t>(A.query_exception_info.info_size,
                                        sizeof(Runtime)));
      A.query_exception_info.info_size = sizeof(Runtime);
      if (Clear)
        ProcessExceptions &= ~Mask;
      return Answer(0);
    }
    if (Code >= 1 && Code <= 31) {
      Queue *Q = findQueue(A.query_exception_info.source_id);
      if (!Q)
        return Answer(-EINVAL);
      if (!(Q->ExceptionStatus & Mask))
        return Answer(-ENODATA);
      A.query_exception_info.info_size = 0;
      if (Clear)
        Q->ExceptionStatus &= ~Mask;
      return Answer(0);
    }
    return Answer(-EINVAL);
  }

  case kfd::GetQueueSnapshot: {
    const uint64_t Clear = A.queue_snapshot.exception_mask;
    const uint32_t Entry = std::min<uint32_t>(
        A.queue_snapshot.entry_size, sizeof(kfd::QueueSnapshotEntry));
    uint32_t Left = A.queue_snapshot.num_queues;
    if (!Entry)
      return Answer(-EINVAL);
    if (Debug.RuntimeIsNews)
      Left = 0;
    for (auto &It : Queues) {
      if (!Left--)
        break;
      Queue &Q = *It.second;
      kfd::QueueSnapshotEntry E = {};
      E.exception_status = Q.ExceptionStatus;
      E.ring_base_address = Q.Request.ring_base;
      E.write_pointer_address = Q.Request.amd_queue + AmdQueueWriteDispatchId;
      E.read_pointer_address = Q.Request.amd_queue + AmdQueueReadDispatchId;
      E.ctx_save_restore_address = Q.Request.save_area;
      E.queue_id = Q.Id;
      E.gpu_id = Q.Agent->gpuId();
      E.ring_size = uint32_t(Q.Request.ring_size);
      E.queue_type = kfd::QueueTypeComputeAql;
      E.ctx_save_restore_area_size = uint32_t(Q.Agent->describe().save_area_size);
      Append(&E, Entry);
      Q.ExceptionStatus &= ~Clear;
    }
    A.queue_snapshot.num_queues = Debug.RuntimeIsNews ? 0 : uint32_t(Queues.size());
    A.queue_snapshot.entry_size = Entry;
    return Answer(0);
  }

  case kfd::GetDeviceSnapshot: {
    const uint32_t Entry = std::min<uint32_t>(
        A.device_snapshot.entry_size, sizeof(kfd::DeviceSnapshotEntry));
    if (!Entry)
      return Answer(-EINVAL);
    uint32_t Left = A.device_snapshot.num_devices;
    for (auto &On : Agents) {
      if (!Left--)
        break;
      const kfd::DeviceSnapshotEntry E = On->describe().device;
      Append(&E, Entry);
    }
    A.device_snapshot.num_devices = uint32_t(Agents.size());
    A.device_snapshot.entry_size = Entry;
    return Answer(0);
  }
  }
  return Answer(-EINVAL);
}
