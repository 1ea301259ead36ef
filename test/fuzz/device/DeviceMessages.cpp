// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device, and what a program and a debugger send it: messages in any order
// and damaged anywhere, and between them what a program writes into the memory
// that it shares. Each that has an answer gets it, or is disconnected.
#include "Simulator/Device/Device.h"
#include "Simulator/Device/Dispatch.h"
#include "fuzz/Input.h"
#include "wavelane/Formats/SaveArea/SaveArea.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;
using wavelane::test::Input;

namespace {

constexpr uint64_t QueueAt = FirstAllocation, RingAt = QueueAt + 0x1000,
                   SignalAt = QueueAt + 0x2000, CodeAt = QueueAt + 0x3000,
                   DataAt = QueueAt + 0x5000, SaveAt = QueueAt + 0x100000;
constexpr int Patience = 10000; // milliseconds for an answer

const std::vector<uint64_t> &places() {
  static const std::vector<uint64_t> Places = {QueueAt,
                                               RingAt,
                                               SignalAt,
                                               CodeAt,
                                               CodeAt + 256,
                                               DataAt,
                                               SaveAt,
                                               ArenaBase,
                                               ArenaBase + ArenaSize,
                                               0,
                                               ~uint64_t(0),
                                               4096,
                                               uint64_t(1) << 47};
  return Places;
}

/// Program and debugger, in a thread of their own.
class Peers {
public:
  Peers(Input In, int Program, std::string Path)
      : In(In), Program(Program), Path(std::move(Path)) {}

  void run() {
    hello(Program, PeerRole::Program);
    createQueue();
    for (unsigned Step = 0; Step < 64 && In.Size && !ProgramGone; ++Step)
      act();
    if (Debugger >= 0)
      close(Debugger);
    close(Program);
  }

private:
  template <typename T> static std::vector<uint8_t> bytes(const T &Value) {
    std::vector<uint8_t> Result(sizeof(T));
    memcpy(Result.data(), &Value, sizeof(T));
    return Result;
  }
  static std::vector<uint8_t> bytes(llvm::StringRef Text) {
    return std::vector<uint8_t>(Text.begin(), Text.end());
  }

  /// Sends, and waits until the device has dealt with it.
  bool send(int Fd, MessageType Type, const std::vector<uint8_t> &Data,
            int Passed = -1) {
    if (!sendMessage(Fd, Type, ++Sequence, 0, Data.data(), Data.size(), Passed))
      return false;
    // Enabling may be answered by the debugger.
    if (Type == MessageType::RuntimeEnable || Type == MessageType::Doorbell ||
        Type == MessageType::WatchDoorbells) {
      const HelloRequest Hello = {ProtocolVersion, PeerRole::Program,
                                  uint32_t(getpid()), 0};
      if (!sendMessage(Fd, MessageType::Hello, ++Sequence, 0, &Hello,
                       sizeof(Hello)))
        return false;
    }
    for (;;) {
      pollfd P = {Fd, POLLIN, 0};
      if (poll(&P, 1, Patience) == 0)
        abort(); // it hangs
      Message M;
      if (!receiveMessage(Fd, M))
        return false;
      if (M.Fd >= 0)
        close(M.Fd);
      if (M.Header.type == MessageType::Reply && M.Header.sequence == Sequence)
        return true;
    }
  }
  void say(MessageType Type, std::vector<uint8_t> Data) {
    In.damage(Data, places());
    ProgramGone |= !send(Program, Type, Data);
  }
  void hello(int Fd, PeerRole Role) {
    send(Fd, MessageType::Hello,
         bytes(HelloRequest{ProtocolVersion, Role, uint32_t(getpid()), 0}));
  }
  void ask(MessageType Type, const std::vector<uint8_t> &Data,
           int Passed = -1) {
    if (Debugger >= 0 && send(Debugger, Type, Data, Passed))
      return;
    if (Debugger >= 0)
      close(Debugger);
    Debugger = -1;
  }

  void createQueue() {
    for (unsigned I = 0; I < 64; ++I)
      put<uint16_t>(RingAt + I * 64, PacketInvalid);
    say(MessageType::CreateQueue,
        bytes(CreateQueueRequest{RingAt, 4096, QueueAt, SaveAt, 0, 0}));
  }
  template <typename T> static void put(uint64_t At, T Value) {
    memcpy(reinterpret_cast<void *>(At), &Value, sizeof(Value));
  }

  void dispatch() {
    KernelDescriptor K = {};
    K.EntryOffset = 256;
    K.Rsrc1 = 0xf0 << 12;
    K.Rsrc2 = 1 << 7 | 4 << 1;
    K.Properties = 1 << 3;
    std::vector<uint8_t> Bytes = bytes(K);
    In.damage(Bytes, places());
    memcpy(reinterpret_cast<void *>(CodeAt), Bytes.data(), Bytes.size());
    const unsigned Words = In.byte() % 16;
    for (unsigned I = 0; I < Words; ++I)
      put<uint32_t>(CodeAt + 256 + 4 * I, In.word());
    put<uint32_t>(CodeAt + 256 + 4 * Words, 0xbf810000); // s_endpgm
    KernelPacket P = {};
    P.Header = PacketKernel;
    P.Setup = 1;
    P.WorkgroupSize[0] = In.byte() & 1 ? 64 : 1 + In.byte();
    P.WorkgroupSize[1] = P.WorkgroupSize[2] = 1;
    P.GridSize[0] = 128, P.GridSize[1] = P.GridSize[2] = 1;
    P.GroupSize = 1024;
    P.KernelObject = CodeAt;
    P.Kernarg = DataAt;
    P.Completion = SignalAt;
    Bytes = bytes(P);
    In.damage(Bytes, places());
    const uint64_t At = Packets++ % 64;
    memcpy(reinterpret_cast<void *>(RingAt + At * 64), Bytes.data(), 64);
    put<uint64_t>(QueueAt + AmdQueueWriteDispatchId, Packets);
    say(MessageType::Doorbell, bytes(QueueRequest{0, 0}));
  }

  void scribble() {
    static const uint64_t Where[] = {
        QueueAt,
        RingAt,
        SignalAt,
        CodeAt,
        DataAt,
        SaveAt,
        ArenaBase,
        ArenaBase + PageTableOffset + (QueueAt - ArenaBase) / PageSize};
    const uint64_t At = Where[In.byte() % 8] + In.word() % 4096;
    put<uint64_t>(At, In.number(places()));
  }

  void connectDebugger() {
    if (Debugger >= 0)
      close(Debugger);
    Debugger = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const SocketAddress Address(Path);
    if (connect(Debugger, Address.get(), Address.size()) != 0)
      abort();
    hello(Debugger, In.byte() % 8 ? PeerRole::Debugger : PeerRole::Importer);
    int Pipe[2];
    if (Debugger < 0 || pipe2(Pipe, O_CLOEXEC | O_NONBLOCK) != 0)
      return;
    kfd::DebugTrapArguments A = arguments(kfd::Enable);
    A.enable.exception_mask = ~uint64_t(0);
    A.enable.rinfo_size = sizeof(kfd::RuntimeInfo);
    std::vector<uint8_t> Bytes = bytes(A);
    In.damage(Bytes);
    ask(MessageType::DebugTrap, Bytes, Pipe[1]);
    close(Pipe[0]);
    close(Pipe[1]);
  }
  static kfd::DebugTrapArguments arguments(uint32_t Op) {
    kfd::DebugTrapArguments A = {};
    A.pid = uint32_t(getpid());
    A.op = Op;
    return A;
  }
  void trap() {
    kfd::DebugTrapArguments A = arguments(In.byte() % 16);
    std::vector<uint8_t> More;
    switch (A.op) {
    case kfd::SuspendQueues:
      A.suspend_queues.num_queues = 1;
      More.resize(4);
      break;
    case kfd::ResumeQueues:
      A.resume_queues.num_queues = 1;
      More.resize(4);
      break;
    case kfd::GetQueueSnapshot:
      A.queue_snapshot.num_queues = 16;
      A.queue_snapshot.entry_size = 64;
      break;
    case kfd::GetDeviceSnapshot:
      A.device_snapshot.num_devices = 16;
      A.device_snapshot.entry_size = sizeof(kfd::DeviceSnapshotEntry);
      break;
    case kfd::SetNodeAddressWatch:
      A.set_node_address_watch.address = DataAt;
      A.set_node_address_watch.mask = ~0u << 6;
      break;
    case kfd::SetWaveLaunchMode:
      A.launch_mode.launch_mode = In.byte() % 4;
      break;
    case kfd::SetFlags:
      A.set_flags.flags = In.byte() % 8;
      break;
    case kfd::SendRuntimeEvent:
      A.send_runtime_event.exception_mask =
          kfd::exceptionMask(kfd::ProcessRuntime);
      break;
    default:
      for (uint8_t &B : A.bytes)
        B = In.byte();
    }
    std::vector<uint8_t> Bytes = bytes(A);
    Bytes.insert(Bytes.end(), More.begin(), More.end());
    In.damage(Bytes, places());
    ask(MessageType::DebugTrap, Bytes);
  }

  void history() {
    static const char *const Requests[] = {
        R"({"do":"where"})",
        R"({"do":"record","on":true,"limit":1048576})",
        R"({"do":"record","on":false})",
        R"({"do":"go","position":5,"number":0})",
        R"({"do":"scan","before":100})",
        R"({"do":"back","wave":1,"kind":"over","lane":0,"pc":4096,
            "code":[[4096,8,12,1,5]]})",
        R"({"do":"scan","after":0,"breakpoints":[]})",
        R"({"do":"step","number":0,"forward":true})",
        R"({"do":"wrote","address":0,"size":8,"before":100})",
        R"({"do":"crossed","from":0,"to":9})",
        R"({"do":"covers","address":0,"size":8})",
        R"({"do":"origin","number":0,"register":1,"lane":0})",
        R"({"lines":true,"launches":true,"table":true})",
        R"({"stopOn":"memory,race","ignore":["x"],"suppressions":"memory:*"})"};
    std::vector<uint8_t> Text =
        bytes(llvm::StringRef(Requests[In.byte() % std::size(Requests)]));
    In.damage(Text);
    ask(In.byte() % 4 ? MessageType::HistoryRequest : MessageType::CheckRequest,
        Text);
  }

  void act() {
    switch (In.byte() % 16) {
    case 0:
      return createQueue();
    case 1:
    case 2:
    case 3:
      return dispatch();
    case 4:
    case 5:
      return scribble();
    case 6:
      return connectDebugger();
    case 7:
    case 8:
    case 9:
      return Debugger >= 0 ? trap() : connectDebugger();
    case 10:
      return Debugger >= 0 ? history() : connectDebugger();
    case 11:
      return say(MessageType::RuntimeEnable,
                 bytes(RuntimeEnableRequest{DataAt, 0, 0}));
    case 12: {
      MemoryNote N = {};
      N.what = 1 + In.byte() % 8;
      N.kind = In.byte() % 6;
      N.address = DataAt;
      N.size = 4096;
      return say(MessageType::MemoryNote, bytes(N));
    }
    case 13: {
      std::vector<uint8_t> Bytes = bytes(HostAccess{DataAt, 8});
      Bytes.resize(Bytes.size() + 8);
      return say(MessageType::HostAccess, Bytes);
    }
    case 14:
      return say(In.byte() & 1 ? MessageType::MapHost : MessageType::UnmapHost,
                 bytes(MapHostRequest{0x7f0000000000, 0x2000, DataAt}));
    default: {
      std::vector<uint8_t> Data(8 * (In.byte() % 12));
      for (uint8_t &B : Data)
        B = In.byte();
      static const MessageType Types[] = {MessageType::RuntimeDisable,
                                          MessageType::DestroyQueue,
                                          MessageType::AllocateWaveSync,
                                          MessageType::CodeNote,
                                          MessageType::OrderNote,
                                          MessageType::FailedLaunch,
                                          MessageType::Hello};
      return say(Types[In.byte() % std::size(Types)], Data);
    }
    }
  }

  Input In;
  const int Program;
  const std::string Path;
  int Debugger = -1;
  bool ProgramGone = false;
  uint32_t Sequence = 0;
  uint64_t Packets = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const char *const Gpus[] = {"gfx90a", "gfx942", "gfx1030", "gfx1100",
                                     "gfx1201"};
  // As in the program.
  static const auto Old = signal(SIGPIPE, SIG_IGN);
  (void)Old;
  Input In{Data, Size};
  std::string Error;
  static const std::string Folder = runtimeDirectory(getpid(), Error);
  DeviceOptions Options;
  Options.Agents = {gpu::findByName(Gpus[In.byte() % std::size(Gpus)])};
  const uint8_t How = In.byte();
  if (How & 1)
    Options.Checked.Checks = In.byte() & 0x7f;
  Options.SnapshotInterval = How & 2 ? 16 : 0;

  const int Arena = memfd_create("arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ArenaHeader Header = {};
  Header.magic = ArenaHeader::MagicValue;
  Header.version = ProtocolVersion;
  Header.process = uint32_t(getpid());
  Header.waiting_threads = 1;
  Header.own_threads = 64;
  int Pair[2];
  if (Arena < 0 || ftruncate(Arena, off_t(ArenaSize)) != 0 ||
      pwrite(Arena, &Header, sizeof(Header), 0) < 0 ||
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Pair) != 0)
    abort();
  {
    auto D = std::make_unique<Device>(Options, uint32_t(getpid()));
    if (!D->start(Pair[1], Arena, Error)) {
      fprintf(stderr, "%s\n", Error.c_str());
      abort();
    }
    close(Arena);
    auto Allow = [](uint64_t At, uint64_t Bytes) {
      memset(reinterpret_cast<void *>(ArenaBase + PageTableOffset +
                                      (At - ArenaBase) / PageSize),
             PageRead | PageWrite | PageExecute, Bytes / PageSize);
    };
    Allow(QueueAt, 0x10000);
    Allow(SaveAt, 64 << 20);
    std::thread Thread(
        [&] { Peers(In, Pair[0], deviceSocket(Folder, getpid())).run(); });
    D->run();
    D.reset(); // as its process ends
    Thread.join();
  }
  munmap(reinterpret_cast<void *>(ArenaBase), ArenaSize);
  return 0;
}
