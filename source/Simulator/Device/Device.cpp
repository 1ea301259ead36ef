//===-- Device.cpp - sockets and the main loop ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device.h"
#include "LoadCore.h"
#include "SaveContext.h"
#include "Simulator/Common/DevicePeer.h"
#include "wavelane/Protocol/Fields.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;

/// A peer that takes no messages must not block the device.
static void limitSending(int Fd) {
  const timeval Patience = {2, 0};
  setsockopt(Fd, SOL_SOCKET, SO_SNDTIMEO, &Patience, sizeof(Patience));
}

/// Removes the sockets, but for \a Own, of devices that were killed together
/// with their programs.
static void removeDeadSockets(const std::string &Folder,
                              const std::string &Own) {
  std::error_code Failed;
  for (llvm::sys::fs::directory_iterator At(Folder, Failed), End;
       !Failed && At != End; At.increment(Failed)) {
    const std::string &Path = At->path();
    const llvm::StringRef Name = llvm::sys::path::filename(Path);
    if (Path != Own && Name.starts_with("gpu-") && Name.ends_with(".sock"))
      removeDeadSocket(Path, /*Patience=*/0);
  }
}

Device::Device(const DeviceOptions &Options, uint32_t ProgramPid)
    : Options(Options), Pid(ProgramPid),
      Memory(Options.IsDriver ? static_cast<DeviceMemory &>(File)
             : Options.IsCore ? static_cast<DeviceMemory &>(Core)
                              : Arena) {
  if (Options.Checked.Checks) {
    Checking = std::make_unique<check::Session>(
        Options.Checked, pid_t(Pid), programMemory(),
        [this](uint64_t Address, void *Out, size_t Size) {
          const uint8_t *From = Memory.get(Address, Size, isa::Access::Read);
          if (From)
            memcpy(Out, From, Size);
          return From != nullptr;
        });
    Waves.setChecks(Checking.get());
  }
  Waves.setRecorder(&TheHistory);
  Waves.setSchedule(Schedule(Options.Schedule));
  Waves.setLateFaults(Options.LateFaults);
  if (!Options.RecordFile.empty())
    Recorded = std::make_unique<RecordedRun>(
        Options.RecordFile, Pid, Memory, All, TheQueues, Runtime, TheHistory);
  if (std::string Why; Recorded && !Recorded->open(Why)) {
    fprintf(stderr, "wavelane-gpu: %s\n", Why.c_str());
    Recorded.reset();
  }
  if (Recorded) {
    Waves.BeforeDispatch = [this] { Recorded->noteCode(); };
    if (Options.RecordLimit)
      TheHistory.setLimit(Options.RecordLimit);
  }
  if (Options.SnapshotInterval)
    TheHistory.setInterval(Options.SnapshotInterval);
  Waves.setThreads(Options.Threads);
  Runtime.WritesQuietly = Options.IsDriver;
  Runtime.ReportError = [this](const Queue &, const QueueErrorEvent &E) {
    sendMessage(Runtime.Program, MessageType::QueueError, 0, 0, &E, sizeof(E));
  };
}

Device::~Device() {
  // Debuggers and the program wait for the device's end.
  for (auto &A : All)
    A->forEachExecutor([](isa::Executor &E) { E.leaveTranslation(); });
  for (Client &C : Clients)
    if (C.Fd >= 0)
      close(C.Fd);
  for (int Fd : {Runtime.Program, ProgramPidFd, Listener, Debug.Notifier})
    if (Fd >= 0)
      close(Fd);
  // A program that has executed another one has a new device with the same
  // name.
  struct stat Stat;
  if (!SocketPath.empty() && lstat(SocketPath.c_str(), &Stat) == 0 &&
      Stat.st_ino == SocketInode)
    unlink(SocketPath.c_str());
}

/// A device that a signal has stopped goes on when its program says something
/// or ends: nobody else would ever end it.
static void continueWith(int Socket) {
  fcntl(Socket, F_SETOWN, getpid());
  fcntl(Socket, F_SETSIG, SIGCONT);
  fcntl(Socket, F_SETFL, fcntl(Socket, F_GETFL) | O_ASYNC);
}

bool Device::start(int ProgramFd, int MemoryFd, std::string &Error) {
  if (Options.IsCore) {
    limitSending(ProgramFd);
    Clients.emplace_back().Fd = ProgramFd;
    ProgramPidFd = int(syscall(SYS_pidfd_open, Pid, 0));
    return true;
  }
  Runtime.Program = ProgramFd;
  limitSending(ProgramFd);
  continueWith(ProgramFd);
  if (Options.IsDriver
          ? !File.map(MemoryFd, unsigned(Options.Agents.size()), Pid, Error)
          : !Arena.map(MemoryFd, Error))
    return false;
  if (Options.IsDriver ? !TheHistory.map(File.fileBytes(0), driver::FileSize)
                       : !TheHistory.map(reinterpret_cast<uint8_t *>(ArenaBase),
                                         ArenaSize)) {
    Error = "no memory to record";
    return false;
  }
  for (const Processor *P : Options.Agents) {
    const unsigned Index = unsigned(All.size());
    All.push_back(std::make_unique<Agent>(*P, Options.ComputeUnits, Index,
                                          TheHistory.wrap(Memory.of(Index))));
    All.back()->setTranslation(Options.Translates, Options.Verifies);
  }
  if (Options.IsDriver) {
    Driver = std::make_unique<DriverCalls>(File, All, TheQueues, Debug, Runtime,
                                           Waves, Retry);
    Waves.setRetry(&Retry);
    Driver->EnableRuntime = [this](uint64_t LoaderDebug, uint32_t WaitMs,
                                   uint32_t Sequence) {
      enableRuntime(LoaderDebug, WaitMs, Sequence);
    };
    Driver->DisableRuntime = [this] { disableRuntime(); };
    Driver->OnSample = [this](unsigned Gpu, kfd::PcSampleArguments &A,
                              std::vector<uint8_t> &Info) {
      return Samples.call(Gpu, A, Info);
    };
    Driver->OnJob = [this](kfd::Call Number, kfd::JobArguments &A) {
      return Number == kfd::Call::SubmitJob ? Submitted.submit(A)
                                            : Submitted.query(A);
    };
    Copies.OnViolation = [this](const Queue &Q, uint64_t Address, bool Write) {
      Debug.raiseViolation(*Q.Agent,
                           Waves.describeViolation(Q, Address, Write));
    };
    File.BeforeUnmap = [this](uint64_t Begin, uint64_t End) {
      File.forgetSpans();
      for (auto &A : All)
        A->forEachExecutor([&](isa::Executor &E) { E.invalidate(Begin, End); });
    };
    if (Checking)
      checkDriver();
    Copies.OnCopy = [this](uint64_t To, uint64_t From, uint64_t Size) {
      TheHistory.copied(To, From, Size);
      if (Checking)
        Checking->memory().moved(To, From, Size);
    };
  }
  if (Recorded) {
    TheHistory.keepCode();
    TheHistory.start();
  }
  // A child of the program may hold the socket open, so also watch the program
  // itself.
  ProgramPidFd = int(syscall(SYS_pidfd_open, Pid, 0));

  const std::string Folder = runtimeDirectory(Pid, Error);
  if (Folder.empty())
    return false;
  std::string Path = deviceSocket(Folder, Pid);
  Listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  // Create it under another name first, so that anyone who sees the final name
  // can connect; this also replaces a socket of an earlier process with the
  // same pid.
  const std::string Temporary = Folder + "/new-" + std::to_string(getpid());
  const SocketAddress Address(Temporary);
  unlink(Temporary.c_str());
  if (Listener < 0 || bind(Listener, Address.get(), Address.size()) ||
      listen(Listener, 8) || rename(Temporary.c_str(), Path.c_str())) {
    unlink(Temporary.c_str());
    Error = "cannot listen on " + Path + ": " + strerror(errno);
    return false;
  }
  removeDeadSockets(Folder, Path);
  SocketPath = Path;
  struct stat Stat;
  if (lstat(Path.c_str(), &Stat) == 0)
    SocketInode = Stat.st_ino;
  return true;
}

HelloReply Device::describe() const {
  HelloReply R = {};
  R.version = ProtocolVersion;
  R.device_pid = uint32_t(getpid());
  R.agent_count = uint32_t(All.size());
  R.checks = Options.Checked.Checks;
  static_assert(ChecksValues == 1u << unsigned(check::CheckId::Init));
  for (const auto &A : All)
    R.agents[A->Index] = A->describe();
  return R;
}

bool Device::reply(int Fd, const Message &M, int Result, const void *Data,
                   size_t Size) {
  return sendMessage(Fd, MessageType::Reply, M.Header.sequence, Result, Data,
                     Size);
}

void Device::createQueue(const Message &M) {
  CreateQueueRequest R;
  if (!M.as(R) || R.agent >= All.size()) {
    reply(Runtime.Program, M, -EINVAL);
    return;
  }
  Agent &On = *All[R.agent];
  const bool Good =
      R.ring_size >= 64 && !(R.ring_size & (R.ring_size - 1)) &&
      R.ring_size <= 1u << 24 && R.ring_base % 64 == 0 &&
      R.amd_queue % 64 == 0 && R.save_area % PageSize == 0 &&
      Memory.get(R.ring_base, R.ring_size, Access::Atomic) &&
      Memory.get(R.amd_queue, AmdQueueSize, Access::Atomic) &&
      Memory.get(R.save_area, On.describe().save_area_size, Access::Write);
  if (!Good) {
    reply(Runtime.Program, M, -EINVAL);
    return;
  }
  auto Q = std::make_unique<Queue>();
  Q->Id = NextQueueId++;
  Q->Agent = &On;
  Q->Ring = R.ring_base;
  Q->RingSize = R.ring_size;
  Q->AmdQueue = R.amd_queue;
  Q->WriteIndex = R.amd_queue + AmdQueueWriteDispatchId;
  Q->ReadIndex = R.amd_queue + AmdQueueReadDispatchId;
  Q->SaveArea = R.save_area;
  Q->divideSaveArea(On.describe().save_area_size);
  CreateQueueReply Reply = {Q->Id, 0};
  Queue &Ref = *Q;
  TheQueues[Ref.Id] = std::move(Q);
  saveContext(Memory, Ref); // with an empty context
  Debug.raise(Ref, 0);
  reply(Runtime.Program, M, 0, &Reply, sizeof(Reply));
}

bool Device::handleProgram() {
  Message M;
  const auto Got = FromProgram.receive(Runtime.Program, M);
  if (Got != MessageReceiver::Outcome::Whole)
    return Got == MessageReceiver::Outcome::Partial;
  // The program runs, so it must see the present.
  TheHistory.returnToPresent();
  bool Good;
  if (M.Header.type == MessageType::Hello) {
    HelloRequest R;
    const HelloReply Reply = describe();
    Good = M.as(R) && R.version == ProtocolVersion
               ? reply(Runtime.Program, M, 0, &Reply, sizeof(Reply))
               : reply(Runtime.Program, M, -EPROTO);
  } else {
    Good = Options.IsDriver ? handleDriver(M) : handleArena(M);
  }
  if (M.Fd >= 0)
    close(M.Fd);
  return Good;
}

bool Device::handleDriver(Message &M) {
  if (M.Header.type == MessageType::DriverCall)
    return Driver->handle(M);
  if (M.Header.type == MessageType::MapForeign ||
      M.Header.type == MessageType::UnmapForeign)
    return mapForeign(M);
  if (M.Header.type == MessageType::MemoryNote)
    return noteMemory(M);
  if (M.Header.type == MessageType::OrderNote)
    return noteOrder(M);
  DoorbellRange Range;
  if (M.Header.type != MessageType::WatchDoorbells || !M.as(Range))
    return false;
  TheDoorbells.add(Range, std::exchange(M.Fd, -1));
  return true;
}

bool Device::mapForeign(const Message &M) {
  driver::ForeignMemory Part;
  if (!M.as(Part))
    return false;
  uint64_t Offset = Part.offset;
  const int Result = M.Header.type == MessageType::UnmapForeign
                         ? File.unmapForeign(Part)
                     : M.Fd < 0 ? -EBADF
                                : File.mapForeign(M.Fd, Part, Offset);
  Part.offset = Offset;
  return reply(Runtime.Program, M, Result, &Part, sizeof(Part));
}

/// Another program imports an object, and gets the file.
bool Device::share(Client &C, const Message &M) {
  driver::ShareHandle H;
  if (!M.as(H))
    return false;
  const uint64_t Handle = Options.IsDriver ? File.findShared(H) : 0;
  if (!Handle)
    return reply(C.Fd, M, -EINVAL);
  File.hold(Handle);
  C.Held.push_back(Handle);
  const driver::SharedObject S = File.describe(Handle);
  return sendMessage(C.Fd, MessageType::Reply, M.Header.sequence, 0, &S,
                     sizeof(S), File.file());
}

void Device::drop(Client &C) {
  if (Debug.ClientFd == C.Fd)
    Operations.disable(/*Orderly=*/false);
  for (uint64_t Handle : C.Held)
    File.release(Handle);
  close(C.Fd);
}

ReadMemory Device::programMemory() {
  if (!Options.IsCore)
    return memoryOf(pid_t(Pid));
  return [this](uint64_t Address, void *Out, size_t Size) {
    for (uint64_t Done = 0, Part; Done < Size; Done += Part) {
      Part = Size - Done;
      const uint8_t *At = Core.find(Address + Done, Part);
      if (!At || !Part)
        return false;
      memcpy(static_cast<char *>(Out) + Done, At, Part);
    }
    return true;
  };
}

void Device::findCode() {
  for (const auto &[Base, Uri] : Code.update(Runtime.Info.r_debug))
    Checking->addCode(Base, Uri);
}

void Device::checkCore() {
  Core.forEachRange([&](uint64_t Begin, uint64_t End, uint8_t *) {
    Checking->memory().pagesMapped(Begin, End - Begin, /*IsVideo=*/false);
  });
  Checking->coreLoaded();
  findCode();
  for (auto &Entry : TheQueues)
    Waves.checkLoaded(*Entry.second);
}

/// What checks learn without the runtime's help.
void Device::checkDriver() {
  File.OnMapping = [this](uint64_t Address, uint64_t Size, bool IsVideo,
                          bool IsMapped) {
    if (IsMapped)
      Checking->memory().pagesMapped(Address, Size, IsVideo);
    else
      Checking->memory().pagesUnmapped(Address);
  };
  Checking->BeforeLaunch = [this] { findCode(); };
}

bool Device::noteMemory(const Message &M) {
  if (!TheHistory.noteCopy(M.Payload))
    return reply(Runtime.Program, M, -EINVAL);
  // A program may not know yet that the recording has ended.
  if (!Checking)
    return reply(Runtime.Program, M, 0);
  Checking->setStops(Debug.attached());
  if (!Checking->memory().note(M.Payload))
    return reply(Runtime.Program, M, -EINVAL);
  const check::ReportedFinding *Stop = Checking->takeStop();
  if (!Stop)
    return reply(Runtime.Program, M, 0);
  return reply(Runtime.Program, M, int(Stop->Id), Stop->Raw.What.data(),
               Stop->Raw.What.size());
}

bool Device::accessForHost(const Message &M) {
  llvm::ArrayRef<uint8_t> Left = M.Payload;
  uint64_t Old = 0;
  while (!Left.empty()) {
    HostAccess A;
    if (Left.size() < sizeof(A))
      return reply(Runtime.Program, M, -EINVAL);
    memcpy(&A, Left.data(), sizeof(A));
    Left = Left.drop_front(sizeof(A));
    if (A.size > Left.size() || llvm::alignTo(A.size, 8) > Left.size())
      return reply(Runtime.Program, M, -EINVAL);
    const uint64_t Zero = 0;
    const llvm::ArrayRef<uint8_t> Bytes =
        A.size ? Left.take_front(A.size)
               : llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&Zero), 8);
    Left = Left.drop_front(llvm::alignTo(A.size, 8));
    uint8_t *To = Memory.get(A.address, Bytes.size(), Access::Write);
    if (!To)
      return reply(Runtime.Program, M, -EFAULT);
    if (!A.size)
      memcpy(&Old, To, sizeof(Old));
    TheHistory.noteWrite(A.address, To, Bytes, /*ByHost=*/true);
    memcpy(To, Bytes.data(), Bytes.size());
  }
  return reply(Runtime.Program, M, 0, &Old, sizeof(Old));
}

bool Device::noteOrder(const Message &M) {
  OrderNote N;
  const llvm::ArrayRef<uint8_t> Payload = M.Payload;
  if (Payload.size() < sizeof(N))
    return false;
  memcpy(&N, Payload.data(), sizeof(N));
  if (N.ring) {
    auto It = std::find_if(
        TheQueues.begin(), TheQueues.end(),
        [&](const auto &Entry) { return Entry.second->Ring == N.ring; });
    if (It == TheQueues.end())
      return reply(Runtime.Program, M, -EINVAL);
    N.ring = It->first + uint64_t(1);
  }
  return reply(Runtime.Program, M,
               Checking && Checking->noteOrder(N, Payload.drop_front(sizeof(N)))
                   ? 0
                   : -EINVAL);
}

bool Device::watchHost(Message &M) {
  if (!Checking)
    return reply(Runtime.Program, M, -EINVAL);
  Checking->memory().OnHostMemory = [this](uint64_t Address, uint64_t Size) {
    OfHost.add(Address, Size);
  };
  Checking->memory().watchHost(OfHost.start(std::exchange(M.Fd, -1)));
  return reply(Runtime.Program, M, 0);
}

void Device::noteHostAccesses() {
  // The access can't stop: it isn't a call of the program.
  Checking->setStops(false);
  OfHost.takeEvents([&](const HostWatch::Access &A) {
    Checking->memory().hostAccessed(A.Address, A.Writes, A.PC, A.SP);
  });
}

/// A message's text.
static llvm::StringRef textOf(const Message &M) {
  return {reinterpret_cast<const char *>(M.Payload.data()), M.Payload.size()};
}

/// The text of an answer, or of why there is none.
template <typename T> static std::string toText(llvm::Expected<T> Answer) {
  if (Answer)
    return protocol::getText(llvm::json::Value(std::move(*Answer)));
  return protocol::getText(
      protocol::Failure{llvm::toString(Answer.takeError())});
}

bool Device::answerChecks(int Fd, const Message &M) {
  if (!Checking)
    return reply(Fd, M, -ENOTSUP);
  return replyText(Fd, M, toText(Checking->answer(textOf(M))));
}

bool Device::answerHistory(int Fd, const Message &M) {
  if (Fd != Debug.ClientFd)
    return reply(Fd, M, -EINVAL);
  return replyText(Fd, M, toText(TheHistory.answer(textOf(M))));
}

llvm::Expected<protocol::LoadCoreAnswer>
Device::loadCore(const protocol::LoadCoreRequest &Request) {
  if (std::exchange(IsLoaded, true))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "a device loads one core");
  CoreLoader Loader(Core, All, TheQueues, Runtime, Waves, TheHistory);
  auto Answer = Loader.load(
      Request,
      [&]() -> llvm::Error {
        if (TheHistory.map(Core.base(), Core.size()))
          return llvm::Error::success();
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "no memory to record");
      },
      [&](unsigned Index) -> isa::MemoryAccess & {
        return TheHistory.wrap(Memory.of(Index));
      });
  if (!Answer)
    TheQueues.clear();
  else if (Checking)
    checkCore();
  return Answer;
}

bool Device::handleCore(int Fd, const Message &M) {
  if (!Options.IsCore)
    return reply(Fd, M, -EINVAL);
  if (M.Header.type == MessageType::LoadCore) {
    auto Request =
        protocol::parse<protocol::LoadCoreRequest>(textOf(M), "request");
    return replyText(Fd, M,
                     toText(Request ? loadCore(*Request)
                                    : llvm::Expected<protocol::LoadCoreAnswer>(
                                          Request.takeError())));
  }
  CoreMemoryRequest R;
  if (!M.as(R) || R.size > CoreMemoryLimit ||
      (R.write && M.Payload.size() - sizeof(R) < R.size))
    return false;
  uint64_t Size = R.size;
  uint8_t *At = Core.find(R.address, Size);
  if (!At)
    return reply(Fd, M, -EFAULT);
  if (!R.write)
    return reply(Fd, M, int(Size), At, Size);
  memcpy(At, M.Payload.data() + sizeof(R), Size);
  return reply(Fd, M, int(Size));
}

/// Without a program, nothing notifies a debugger that all waves have ended.
void Device::noteIdle(bool Progress) {
  const bool IsIdle =
      !Progress && llvm::none_of(TheQueues, [](const auto &Entry) {
        return Entry.second->Current != nullptr;
      });
  if (TheHistory.setIdle(IsIdle))
    Debug.notify();
}

bool Device::replyText(int Fd, const Message &M, const std::string &Text) {
  if (Text.size() > CheckAnswerLimit)
    return reply(Fd, M, -E2BIG);
  return reply(Fd, M, 0, Text.data(), Text.size());
}

bool Device::handleArena(Message &M) {
  switch (M.Header.type) {
  case MessageType::RuntimeEnable: {
    RuntimeEnableRequest R;
    if (!M.as(R))
      return false;
    enableRuntime(R.r_debug, R.wait_ms, M.Header.sequence);
    return true;
  }
  case MessageType::RuntimeDisable:
    disableRuntime();
    return reply(Runtime.Program, M, 0);
  case MessageType::CreateQueue:
    createQueue(M);
    return true;
  case MessageType::DestroyQueue: {
    QueueRequest R;
    if (!M.as(R))
      return false;
    Queue *Q = findQueue(R.queue_id);
    if (!Q)
      return reply(Runtime.Program, M, -EINVAL);
    Waves.abandon(*Q);
    if (Recorded)
      Recorded->retire(std::move(TheQueues[R.queue_id]));
    TheQueues.erase(R.queue_id);
    return reply(Runtime.Program, M, 0);
  }
  case MessageType::AllocateWaveSync: {
    QueueRequest R;
    if (!M.as(R))
      return false;
    Queue *Q = findQueue(R.queue_id);
    if (!Q || !Q->Agent->Info.family().HasWaveSync)
      return reply(Runtime.Program, M, Q ? -ENOTSUP : -EINVAL);
    Q->HasWaveSync = true;
    return reply(Runtime.Program, M, 0);
  }
  case MessageType::Doorbell:
    return true; // each turn of the loop looks at all queues
  case MessageType::MapHost: {
    MapHostRequest R;
    if (!M.as(R))
      return false;
    return reply(Runtime.Program, M, Arena.mapHost(R.address, R.size, R.arena));
  }
  case MessageType::HostAccess:
    return accessForHost(M);
  case MessageType::MemoryNote:
    return noteMemory(M);
  case MessageType::OrderNote:
    return noteOrder(M);
  case MessageType::WatchHost:
    return watchHost(M);
  case MessageType::CodeNote:
    return reply(Runtime.Program, M,
                 Checking && Checking->noteCode(M.Payload) ? 0 : -EINVAL);
  case MessageType::FailedLaunch:
    return reply(Runtime.Program, M,
                 Checking && Checking->noteFailedLaunch(M.Payload) ? 0
                                                                   : -EINVAL);
  case MessageType::UnmapHost: {
    MapHostRequest R;
    if (!M.as(R))
      return false;
    return reply(Runtime.Program, M, Arena.unmapHost(R.address, R.size));
  }
  default:
    return false;
  }
}

void Device::disableRuntime() {
  Runtime.Info.runtime_state = kfd::RuntimeDisabled;
  raiseRuntimeException();
}

void Device::enableRuntime(uint64_t LoaderDebug, uint32_t WaitMs,
                           uint32_t Sequence) {
  Runtime.Info.r_debug = LoaderDebug;
  Runtime.Info.ttmp_setup = 1;
  Runtime.PendingEnable = Sequence;
  if (Debug.attached()) {
    Runtime.Info.runtime_state = kfd::RuntimeEnabled;
    raiseRuntimeException();
  } else if (WaitMs) {
    Runtime.Deadline = nowNs() / 1000000 + WaitMs;
    Runtime.Info.runtime_state = kfd::RuntimeDisabled;
  } else {
    Runtime.comeUp();
  }
}

void Device::raiseRuntimeException() {
  if (!Debug.attached())
    return;
  Runtime.Exceptions |= kfd::exceptionMask(kfd::ProcessRuntime);
  if (Debug.ExceptionsEnabled & Runtime.Exceptions)
    Debug.notify();
}

Queue *Device::findQueue(uint32_t Id) {
  auto It = TheQueues.find(Id);
  return It == TheQueues.end() ? nullptr : It->second.get();
}

bool Device::handleClient(Client &C) {
  Message M;
  const auto Got = C.Receiver.receive(C.Fd, M);
  if (Got != MessageReceiver::Outcome::Whole)
    return Got == MessageReceiver::Outcome::Partial;
  bool Good = false;
  if (!C.Greeted) {
    HelloRequest R;
    if (M.Header.type == MessageType::Hello && M.as(R)) {
      const bool Match =
          R.version == ProtocolVersion && R.pid == Pid &&
          (R.role == PeerRole::Debugger || R.role == PeerRole::Importer);
      C.Role = R.role;
      const HelloReply Reply = describe();
      Good = Match ? reply(C.Fd, M, 0, &Reply, sizeof(Reply))
                   : reply(C.Fd, M, -EPROTO) && false;
      C.Greeted = Match;
    }
  } else if (C.Role == PeerRole::Importer) {
    Good = M.Header.type == MessageType::ImportRequest && share(C, M);
  } else if (M.Header.type == MessageType::DebugTrap) {
    Good = Operations.handle(C.Fd, M);
  } else if (M.Header.type == MessageType::WavesSaved ||
             M.Header.type == MessageType::WavesChanged ||
             M.Header.type == MessageType::WavesWanted) {
    Good = Operations.handleWaves(C.Fd, M);
  } else if (M.Header.type == MessageType::CheckRequest) {
    Good = answerChecks(C.Fd, M);
  } else if (M.Header.type == MessageType::HistoryRequest) {
    Good = answerHistory(C.Fd, M);
  } else if (M.Header.type == MessageType::LoadCore ||
             M.Header.type == MessageType::CoreMemory) {
    Good = handleCore(C.Fd, M);
  } else if (M.Header.type == MessageType::Hello) {
    const HelloReply Reply = describe();
    Good = reply(C.Fd, M, 0, &Reply, sizeof(Reply));
  }
  if (M.Fd >= 0)
    close(M.Fd);
  return Good;
}

/// The time until the device looks again whether what it waits for has changed,
/// in nanoseconds: the longer it has waited, the longer.
uint64_t Device::untilNextLook() const {
  return std::clamp<uint64_t>((nowNs() - IdleSince) / 16, 50000, 1000000);
}

void Device::pollSockets(int TimeoutMs, bool Micro) {
  std::vector<pollfd> Fds;
  Fds.push_back({Runtime.Program, POLLIN, 0});
  Fds.push_back({ProgramPidFd, POLLIN, 0});
  Fds.push_back({Listener, POLLIN, 0});
  Fds.push_back({TheDoorbells.file(), POLLIN, 0});
  Fds.push_back({OfHost.file(), POLLIN, 0});
  for (Client &C : Clients)
    Fds.push_back({C.Fd, POLLIN, 0});
  const timespec Short = {0, long(untilNextLook())};
  const timespec Long = {TimeoutMs / 1000, TimeoutMs % 1000 * 1000000L};
  const timespec *Timeout = Micro ? &Short : (TimeoutMs < 0 ? nullptr : &Long);
  if (ppoll(Fds.data(), Fds.size(), Timeout, nullptr) <= 0)
    return;
  if (Fds[1].revents) {
    Finished = true;
    return;
  }
  if (Fds[3].revents) {
    TheDoorbells.takeEvents();
    IdleSince = nowNs();
  }
  if (Fds[4].revents)
    noteHostAccesses();
  if (Fds[0].revents && !handleProgram()) {
    Finished = true;
    return;
  }
  size_t I = 5;
  for (auto It = Clients.begin(); It != Clients.end() && I < Fds.size(); ++I) {
    if (Fds[I].revents && !handleClient(*It)) {
      drop(*It);
      It = Clients.erase(It);
      Finished |= Options.IsCore;
    } else {
      ++It;
    }
  }
  if (Fds[2].revents & POLLIN) {
    const int Fd = accept4(Listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (Fd >= 0 && !isDevicePeer(Fd, SocketPath)) {
      close(Fd);
    } else if (Fd >= 0) {
      limitSending(Fd);
      Clients.emplace_back().Fd = Fd;
    }
  }
}

Scheduler::Round Device::run(Queue &Q, bool IsAlone) {
  return Q.Kind == QueueKind::Sdma || Q.Kind == QueueKind::SdmaXgmi
             ? Copies.run(Q)
             : Waves.run(Q, IsAlone);
}

/// Gives each queue a turn.
Scheduler::Round Device::runQueues() {
  Scheduler::Round All;
  const auto IsBusy = [](const Queue &Q) { return Q.Current != nullptr; };
  auto Busy = llvm::count_if(
      TheQueues, [&](const auto &Entry) { return IsBusy(*Entry.second); });
  for (auto &Entry : TheQueues) {
    if (TheHistory.isAway())
      break;
    Queue &Q = *Entry.second;
    Busy -= IsBusy(Q);
    const Scheduler::Round R = run(Q, !Busy && !Samples.areTaken());
    Busy += IsBusy(Q);
    All.Worked |= R.Worked;
    All.Waiting |= R.Waiting;
  }
  return All;
}

int Device::run() {
  bool Progress = false, Sleeping = false;
  while (!Finished) {
    int Timeout = -1;
    if (Progress)
      IdleSince = nowNs();
    else
      Progress = TheDoorbells.arm(nowNs() - IdleSince); // then look once more
    Sleeping |= !TheDoorbells.canWait();
    if (Progress) {
      Timeout = 0;
    } else if (Runtime.Deadline) {
      const uint64_t Now = nowNs() / 1000000;
      Timeout = Now >= Runtime.Deadline ? 0 : int(Runtime.Deadline - Now);
    }
    pollSockets(Timeout, !Progress && Sleeping);
    if (Finished)
      break;
    if (Runtime.Deadline && nowNs() / 1000000 >= Runtime.Deadline)
      Runtime.comeUp();
    Memory.forgetSpans();
    const Scheduler::Round Queues = runQueues();
    Progress = Queues.Worked;
    Sleeping = Queues.Waiting;
    Samples.tick();
    const Scheduler::Round R =
        TheHistory.isAway() ? Scheduler::Round() : Submitted.run();
    Progress |= R.Worked;
    Sleeping |= R.Waiting;
    if (Options.IsCore)
      noteIdle(Progress);
  }
  if (Checking)
    Checking->finish();
  if (Recorded)
    Recorded->save();
  return 0;
}
