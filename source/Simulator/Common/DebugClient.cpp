//===-- DebugClient.cpp - debug operations on a program's device ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DebugClient.h"
#include "Wire.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <sys/inotify.h>
#include <thread>

using namespace wavelane;
using namespace wavelane::simulator;

namespace {

/// One debugged process.
class Session {
public:
  Session(uint32_t Pid, ListAgents Agents) : Pid(Pid), Agents(Agents) {}
  ~Session() {
    if (Fd >= 0)
      close(Fd);
    if (Notifier >= 0)
      close(Notifier);
    unmark();
  }

  /// The folder of the device's socket. \see runtimeDirectory()
  std::string folder(std::string &Error) const {
    return runtimeDirectory(pid_t(Pid), Error);
  }

  int trap(kfd::DebugTrapArguments &A) {
    deviceMayBeThere();
    std::lock_guard<std::mutex> Guard(Lock);
    if (Gone)
      return withoutProgram(A);
    // Enabled without a device: the watching thread will enable it when the
    // device appears.
    if (Fd < 0 && !Enabled)
      connectDevice();
    if (Fd < 0 && (pid_t(Pid) <= 0 || kill(pid_t(Pid), 0) != 0)) {
      const int Error = pid_t(Pid) <= 0 ? ESRCH : errno;
      unmark();
      return fail(Error);
    }
    if (Fd < 0)
      return withoutDevice(A);
    const int Result = onDevice(A);
    return Gone ? withoutProgram(A) : Result;
  }

  /// \return false if there is nothing more to wait for.
  bool deviceMayBeThere() {
    std::lock_guard<std::mutex> Guard(Lock);
    if (Fd < 0 && Enabled && !Gone && connectDevice()) {
      kfd::DebugTrapArguments A = {};
      A.pid = Pid;
      A.op = kfd::Enable;
      A.enable.exception_mask = Exceptions;
      // There is no room for the runtime's state: the library knows of
      // no runtime, and an event notifies it of the one that started in the
      // meantime.
      A.enable.dbg_fd = uint32_t(Notifier);
      onDevice(A);
      unmark();
    }
    return Enabled && Fd < 0 && !Gone;
  }

private:
  bool connectDevice() {
    std::string Error;
    const std::string Folder = folder(Error);
    if (Folder.empty())
      return false;
    const SocketAddress Address(deviceSocket(Folder, pid_t(Pid)));
    const int S = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    HelloRequest Hello = {ProtocolVersion, PeerRole::Debugger, Pid, 0};
    Message M;
    if (S >= 0 && connect(S, Address.get(), Address.size()) == 0 &&
        sendMessage(S, MessageType::Hello, 0, 0, &Hello, sizeof(Hello)) &&
        receiveMessage(S, M) && M.Header.result == 0) {
      Fd = S;
      return true;
    }
    if (S >= 0)
      close(S);
    return false;
  }

  /// Lets the program's runtime know that a debugger waits for it.
  void mark() {
    std::string Error;
    const std::string Folder = folder(Error);
    if (Folder.empty())
      return;
    Mark = open(Folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct flock Lock = debuggerLock(pid_t(Pid), F_RDLCK);
    if (Mark >= 0)
      fcntl(Mark, F_OFD_SETLK, &Lock);
  }
  void unmark() {
    if (Mark >= 0)
      close(Mark);
    Mark = -1;
  }

  static int fail(int Error) {
    errno = Error;
    return -1;
  }

  int withoutProgram(kfd::DebugTrapArguments &A) {
    if (A.op == kfd::Disable)
      return 0;
    // The kernel knows the GPUs of a process as long as its parent hasn't
    // taken note of its end.
    if (A.op == kfd::GetDeviceSnapshot && kill(pid_t(Pid), 0) == 0)
      return withoutDevice(A);
    return fail(ESRCH);
  }

  int withoutDevice(kfd::DebugTrapArguments &A) {
    switch (A.op) {
    case kfd::Enable: {
      if (Enabled)
        return fail(EALREADY);
      Notifier = fcntl(int(A.enable.dbg_fd), F_DUPFD_CLOEXEC, 3);
      if (Notifier < 0)
        return fail(EBADF);
      Enabled = true;
      mark();
      Exceptions = A.enable.exception_mask;
      kfd::RuntimeInfo Info = {};
      memcpy(reinterpret_cast<void *>(A.enable.rinfo_ptr), &Info,
             std::min<size_t>(A.enable.rinfo_size, sizeof(Info)));
      A.enable.rinfo_size = sizeof(Info);
      return 0;
    }
    case kfd::Disable:
      Enabled = false;
      unmark();
      return 0;
    case kfd::SetExceptionsEnabled:
      Exceptions = A.set_exceptions_enabled.exception_mask;
      return 0;
    case kfd::SendRuntimeEvent:
    case kfd::SetFlags:
      return 0;
    case kfd::QueryDebugEvent:
      return fail(EAGAIN);
    case kfd::QueryExceptionInfo:
      return fail(ENODATA);
    case kfd::GetQueueSnapshot:
      A.queue_snapshot.num_queues = 0;
      return 0;
    case kfd::GetDeviceSnapshot: {
      // The kernel knows its GPUs before a process uses them.
      const std::vector<kfd::DeviceSnapshotEntry> All = Agents(Pid);
      const uint32_t Size = A.device_snapshot.entry_size =
          std::min<uint32_t>(A.device_snapshot.entry_size, sizeof(All[0]));
      auto *Out =
          reinterpret_cast<uint8_t *>(A.device_snapshot.snapshot_buf_ptr);
      for (uint32_t I = 0; I < All.size() && I < A.device_snapshot.num_devices;
           ++I)
        memcpy(Out + I * Size, &All[I], Size);
      A.device_snapshot.num_devices = uint32_t(All.size());
      return 0;
    }
    default:
      return fail(EPERM);
    }
  }

  int onDevice(kfd::DebugTrapArguments &A) {
    // Send the bytes that the argument's pointers point to as well.
    uint64_t Out = 0, OutSize = 0;
    const void *In = nullptr;
    size_t InSize = 0;
    int PassFd = -1;
    switch (A.op) {
    case kfd::Enable:
      Out = A.enable.rinfo_ptr;
      OutSize = A.enable.rinfo_size;
      PassFd = int(A.enable.dbg_fd);
      break;
    case kfd::SuspendQueues:
      Out = A.suspend_queues.queue_array_ptr;
      OutSize = InSize = uint64_t(A.suspend_queues.num_queues) * 4;
      In = reinterpret_cast<void *>(Out);
      break;
    case kfd::ResumeQueues:
      Out = A.resume_queues.queue_array_ptr;
      OutSize = InSize = uint64_t(A.resume_queues.num_queues) * 4;
      In = reinterpret_cast<void *>(Out);
      break;
    case kfd::QueryExceptionInfo:
      Out = A.query_exception_info.info_ptr;
      OutSize = A.query_exception_info.info_size;
      break;
    case kfd::GetQueueSnapshot:
      Out = A.queue_snapshot.snapshot_buf_ptr;
      OutSize =
          uint64_t(A.queue_snapshot.num_queues) * A.queue_snapshot.entry_size;
      break;
    case kfd::GetDeviceSnapshot:
      Out = A.device_snapshot.snapshot_buf_ptr;
      OutSize = uint64_t(A.device_snapshot.num_devices) *
                A.device_snapshot.entry_size;
      break;
    default:
      break;
    }
    if (InSize > MaxMessageSize - sizeof(A))
      return fail(EINVAL);
    std::vector<uint8_t> Bytes(sizeof(A) + InSize);
    memcpy(Bytes.data(), &A, sizeof(A));
    if (InSize)
      memcpy(Bytes.data() + sizeof(A), In, InSize);
    Message M;
    if (!sendMessage(Fd, MessageType::DebugTrap, ++Sequence, 0, Bytes.data(),
                     Bytes.size(), PassFd) ||
        !receiveMessage(Fd, M) || M.Payload.size() < sizeof(A)) {
      // The device is gone, and the process with it.
      close(Fd);
      Fd = -1;
      Gone = true;
      std::string Error;
      if (const std::string Folder = folder(Error); !Folder.empty())
        removeDeadSocket(deviceSocket(Folder, pid_t(Pid)));
      return fail(ESRCH);
    }
    // The answer still contains the caller's pointers.
    memcpy(&A, M.Payload.data(), sizeof(A));
    const size_t Got = M.Payload.size() - sizeof(A);
    if (Got && Out)
      memcpy(reinterpret_cast<void *>(Out), M.Payload.data() + sizeof(A),
             std::min<uint64_t>(Got, OutSize));
    if (A.op == kfd::Enable && M.Header.result >= 0)
      Enabled = true;
    if (A.op == kfd::Disable) {
      Enabled = false;
      close(Fd);
      Fd = -1;
    }
    return M.Header.result < 0 ? fail(-M.Header.result) : M.Header.result;
  }

  const uint32_t Pid;
  const ListAgents Agents;
  std::mutex Lock;
  int Fd = -1;
  int Notifier = -1;
  int Mark = -1; ///< the locked folder of mark()
  bool Enabled = false;
  bool Gone = false; ///< the device existed and has ended
  uint64_t Exceptions = 0;
  uint32_t Sequence = 0;
};

std::mutex Global;
std::map<uint32_t, std::shared_ptr<Session>> Sessions;

void watchForDevice(const std::shared_ptr<Session> &S) {
  std::string Error;
  const std::string Folder = S->folder(Error);
  const int Watch = inotify_init1(IN_CLOEXEC);
  if (Watch < 0 || Folder.empty() ||
      inotify_add_watch(Watch, Folder.c_str(), IN_CREATE | IN_MOVED_TO) < 0) {
    if (Watch >= 0)
      close(Watch);
    return;
  }
  std::thread([S, Watch] {
    char Events[4096];
    while (S->deviceMayBeThere() && read(Watch, Events, sizeof(Events)) > 0)
      ;
    close(Watch);
  }).detach();
}

} // namespace

int simulator::debugTrap(kfd::DebugTrapArguments &A, ListAgents Agents) {
  std::shared_ptr<Session> S;
  {
    std::lock_guard<std::mutex> Guard(Global);
    auto &Slot = Sessions[A.pid];
    if (!Slot)
      Slot = std::make_shared<Session>(A.pid, Agents);
    S = Slot;
  }
  const uint32_t Op = A.op;
  const int Result = S->trap(A);
  if (Op == kfd::Enable && Result == 0)
    watchForDevice(S);
  if (Op == kfd::Disable) {
    std::lock_guard<std::mutex> Guard(Global);
    Sessions.erase(A.pid);
  }
  return Result;
}
