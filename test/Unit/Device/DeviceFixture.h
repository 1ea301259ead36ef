//===-- DeviceFixture.h - a device, its program and its debugger -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TEST_UNIT_DEVICE_DEVICEFIXTURE_H
#define WAVELANE_TEST_UNIT_DEVICE_DEVICEFIXTURE_H

#include "Simulator/Device/Device.h"
#include "wavelane/Formats/SaveArea/SaveArea.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace wavelane::simulator {

// The test's places in the arena.
inline constexpr uint64_t QueueAt = FirstAllocation;
inline constexpr uint64_t RingAt = FirstAllocation + 0x1000;
inline constexpr uint64_t SignalAt = FirstAllocation + 0x2000;
inline constexpr uint64_t CodeAt = FirstAllocation + 0x3000;
inline constexpr uint64_t DataAt = FirstAllocation + 0x5000;
inline constexpr uint64_t SaveAt = FirstAllocation + 0x100000;

/// A device in a thread; the test acts as its program, in the same address
/// space.
class DeviceTest : public testing::Test {
protected:
  void SetUp() override {
    std::string Error;
    Directory = runtimeDirectory(getpid(), Error);
    ASSERT_FALSE(Directory.empty()) << Error;
    ArenaFd = memfd_create("test-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(ftruncate(ArenaFd, off_t(ArenaSize)), 0);
    ArenaHeader Header = {};
    Header.magic = ArenaHeader::MagicValue;
    Header.version = ProtocolVersion;
    // For checks, the program waits for the device; its other threads don't
    // count.
    Header.process = uint32_t(getpid());
    Header.waiting_threads = 1;
    Header.own_threads = 64;
    ASSERT_EQ(pwrite(ArenaFd, &Header, sizeof(Header), 0),
              ssize_t(sizeof(Header)));
    int Pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Pair), 0);
    Program = Pair[0];
    DeviceOptions Options;
    Options.Agents = {GPU};
    Options.Checked.Checks = Checks;
    Options.SnapshotInterval = SnapshotInterval;
    Options.Schedule = Schedule;
    Options.Threads = Threads;
    D = std::make_unique<Device>(Options, uint32_t(getpid()));
    ASSERT_TRUE(D->start(Pair[1], ArenaFd, Error)) << Error;
    Thread = std::thread([this] { D->run(); });
    HelloRequest Hello = {ProtocolVersion, PeerRole::Program,
                          uint32_t(getpid()), 0};
    Message M;
    ASSERT_EQ(request(Program, MessageType::Hello, &Hello, sizeof(Hello), M),
              0);
    ASSERT_TRUE(M.as(About));
    setPages(QueueAt, 0x10000, PageRead | PageWrite | PageExecute);
    setPages(SaveAt, About.agents[0].save_area_size,
             PageRead | PageWrite | PageExecute);
  }

  void TearDown() override {
    if (Program >= 0)
      close(Program);
    if (Debugger >= 0)
      close(Debugger);
    if (Thread.joinable())
      Thread.join();
    D.reset();
    close(ArenaFd);
    for (int Fd : Notifier)
      if (Fd >= 0)
        close(Fd);
    munmap(reinterpret_cast<void *>(ArenaBase), ArenaSize);
  }

  static void setPages(uint64_t Address, uint64_t Size, uint8_t Access) {
    memset(reinterpret_cast<void *>(ArenaBase + PageTableOffset +
                                    (Address - ArenaBase) / PageSize),
           Access, (Size + PageSize - 1) / PageSize);
  }
  template <typename T> static T &at(uint64_t Address) {
    return *reinterpret_cast<T *>(Address);
  }

  int request(int Fd, MessageType Type, const void *Data, size_t Size,
              Message &Reply) {
    EXPECT_TRUE(sendMessage(Fd, Type, ++Sequence, 0, Data, Size));
    for (;;) {
      if (!receiveMessage(Fd, Reply))
        return -EPIPE;
      if (Reply.Header.type == MessageType::QueueError) {
        EXPECT_TRUE(Reply.as(Fault));
        continue;
      }
      EXPECT_EQ(Reply.Header.sequence, Sequence);
      return Reply.Header.result;
    }
  }

  /// Asks about the past.
  llvm::json::Object ask(llvm::json::Object Request) {
    const std::string Text =
        llvm::formatv("{0}", llvm::json::Value(std::move(Request)));
    Message M;
    EXPECT_EQ(request(Debugger, MessageType::HistoryRequest, Text.data(),
                      Text.size(), M),
              0);
    auto Answer = llvm::json::parse(llvm::StringRef(
        reinterpret_cast<const char *>(M.Payload.data()), M.Payload.size()));
    if (!Answer || !Answer->getAsObject()) {
      ADD_FAILURE() << "no object: "
                    << (Answer ? "" : llvm::toString(Answer.takeError()));
      return {};
    }
    return std::move(*Answer->getAsObject());
  }

  void enableRuntime() {
    RuntimeEnableRequest R = {0x1234, 0, 0};
    Message M;
    ASSERT_EQ(request(Program, MessageType::RuntimeEnable, &R, sizeof(R), M),
              0);
  }

  void createQueue() {
    for (unsigned I = 0; I < 64; ++I)
      at<uint16_t>(RingAt + I * 64) = PacketInvalid;
    CreateQueueRequest R = {RingAt, 4096, QueueAt, SaveAt, 0, 0};
    Message M;
    ASSERT_EQ(request(Program, MessageType::CreateQueue, &R, sizeof(R), M), 0);
    CreateQueueReply Reply;
    ASSERT_TRUE(M.as(Reply));
    QueueId = Reply.queue_id;
  }

  /// Writes a kernel of these words: the descriptor is at CodeAt, the code 256
  /// bytes after it.
  static void putKernel(std::initializer_list<uint32_t> Words) {
    KernelDescriptor K = {};
    K.EntryOffset = 256;
    K.Rsrc1 = 0 | 0xf0 << 12;  // 8 registers, denormals
    K.Rsrc2 = 1 << 7 | 4 << 1; // workgroup id x after four user SGPRs
    K.Rsrc3 = 0;               // four arch VGPRs
    K.Properties = 1 << 3;     // kernarg pointer in s[0:1]
    memcpy(reinterpret_cast<void *>(CodeAt), &K, sizeof(K));
    uint64_t To = CodeAt + 256;
    for (uint32_t W : Words) {
      at<uint32_t>(To) = W;
      To += 4;
    }
  }

  void dispatch(uint16_t Group, uint32_t Grid, uint32_t LDS = 0) {
    KernelPacket P = {};
    P.Setup = 1;
    P.WorkgroupSize[0] = Group;
    P.GridSize[0] = Grid;
    P.GroupSize = LDS;
    P.KernelObject = CodeAt;
    P.Kernarg = DataAt;
    P.Completion = SignalAt;
    at<int64_t>(SignalAt + 8) = 1;
    const uint64_t Id = at<uint64_t>(QueueAt + AmdQueueWriteDispatchId);
    const uint64_t Slot = RingAt + Id % 64 * 64;
    memcpy(reinterpret_cast<void *>(Slot + 2),
           reinterpret_cast<uint8_t *>(&P) + 2, 62);
    __atomic_store_n(&at<uint16_t>(Slot), uint16_t(PacketKernel),
                     __ATOMIC_RELEASE);
    __atomic_store_n(&at<uint64_t>(QueueAt + AmdQueueWriteDispatchId), Id + 1,
                     __ATOMIC_RELEASE);
    QueueRequest R = {QueueId, 0};
    sendMessage(Program, MessageType::Doorbell, 0, 0, &R, sizeof(R));
  }

  /// Lets the device examine its queues at least \p Turns times: it answers one
  /// message per turn.
  void letDeviceWork(unsigned Turns = 1) {
    HelloRequest Hello = {ProtocolVersion, PeerRole::Program,
                          uint32_t(getpid()), 0};
    Message M;
    while (Turns--)
      EXPECT_EQ(request(Program, MessageType::Hello, &Hello, sizeof(Hello), M),
                0);
  }

  static constexpr std::chrono::minutes Patience{1};

  bool isCompleted() {
    return __atomic_load_n(&at<int64_t>(SignalAt + 8), __ATOMIC_ACQUIRE) == 0;
  }
  bool completed() {
    const auto End = std::chrono::steady_clock::now() + Patience;
    while (!isCompleted()) {
      if (std::chrono::steady_clock::now() > End)
        return false;
      letDeviceWork();
    }
    return true;
  }

  //===--- as a debugger ---===//

  void connectDebugger() {
    Debugger = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const SocketAddress Address(Directory + "/gpu-" + std::to_string(getpid()) +
                                ".sock");
    ASSERT_EQ(connect(Debugger, Address.get(), Address.size()), 0);
    HelloRequest Hello = {ProtocolVersion, PeerRole::Debugger,
                          uint32_t(getpid()), 0};
    Message M;
    ASSERT_EQ(request(Debugger, MessageType::Hello, &Hello, sizeof(Hello), M),
              0);
  }

  static kfd::DebugTrapArguments arguments(uint32_t Op) {
    kfd::DebugTrapArguments A = {};
    A.pid = uint32_t(getpid());
    A.op = Op;
    return A;
  }

  int trap(kfd::DebugTrapArguments &A, std::vector<uint8_t> *Buffer = nullptr) {
    std::vector<uint8_t> Bytes(sizeof(A));
    memcpy(Bytes.data(), &A, sizeof(A));
    if (Buffer)
      Bytes.insert(Bytes.end(), Buffer->begin(), Buffer->end());
    Message M;
    const int Result = request(Debugger, MessageType::DebugTrap, Bytes.data(),
                               Bytes.size(), M);
    EXPECT_TRUE(M.as(A));
    if (Buffer && M.Payload.size() >= sizeof(A))
      Buffer->assign(M.Payload.begin() + sizeof(A), M.Payload.end());
    return Result;
  }

  void enableDebugging(uint32_t Room = sizeof(kfd::RuntimeInfo)) {
    ASSERT_EQ(pipe2(Notifier, O_CLOEXEC | O_NONBLOCK), 0);
    auto A = arguments(kfd::Enable);
    A.enable.exception_mask = ~uint64_t(0);
    A.enable.rinfo_size = Room;
    MessageHeader Header = {MessageType::DebugTrap, sizeof(A), ++Sequence, 0};
    iovec V[2] = {{&Header, sizeof(Header)}, {&A, sizeof(A)}};
    msghdr Msg = {};
    Msg.msg_iov = V;
    Msg.msg_iovlen = 2;
    alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
    Msg.msg_control = Control;
    Msg.msg_controllen = sizeof(Control);
    cmsghdr *C = CMSG_FIRSTHDR(&Msg);
    C->cmsg_level = SOL_SOCKET;
    C->cmsg_type = SCM_RIGHTS;
    C->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(C), &Notifier[1], sizeof(int));
    ASSERT_GT(sendmsg(Debugger, &Msg, 0), 0);
    Message M;
    ASSERT_TRUE(receiveMessage(Debugger, M));
    ASSERT_EQ(M.Header.result, 0);
    ASSERT_EQ(M.Payload.size(), sizeof(A) + Room);
    memcpy(&Info, M.Payload.data() + sizeof(A), Room);
  }

  bool notified() {
    pollfd P = {Notifier[0], POLLIN, 0};
    if (poll(&P, 1, 5000) != 1)
      return false;
    char Bytes[64];
    return read(Notifier[0], Bytes, sizeof(Bytes)) > 0;
  }

  /// A snapshot that clears "new queue".
  kfd::QueueSnapshotEntry snapshot() {
    auto A = arguments(kfd::GetQueueSnapshot);
    A.queue_snapshot.exception_mask = kfd::exceptionMask(kfd::QueueNew);
    A.queue_snapshot.num_queues = 1;
    A.queue_snapshot.entry_size = 64;
    std::vector<uint8_t> B;
    EXPECT_EQ(trap(A, &B), 0);
    kfd::QueueSnapshotEntry E = {};
    EXPECT_EQ(B.size(), sizeof(E));
    memcpy(&E, B.data(), std::min(B.size(), sizeof(E)));
    return E;
  }

  int suspendOrResume(uint32_t Op) {
    auto A = arguments(Op);
    if (Op == kfd::SuspendQueues)
      A.suspend_queues.num_queues = 1;
    else
      A.resume_queues.num_queues = 1;
    std::vector<uint8_t> B(4);
    memcpy(B.data(), &QueueId, 4);
    const int Result = trap(A, &B);
    memcpy(&LastId, B.data(), 4);
    return Result;
  }

  static constexpr unsigned EveryWave = ~0u;
  /// Runs until \p Count waves, or one of them, have stopped at \p Word of the
  /// code.
  /// \return The suspended queue's waves.
  std::vector<savearea::WaveRecord> suspendAt(size_t Count, unsigned Word,
                                              unsigned Which = EveryWave) {
    const uint32_t Halt =
        GPU->family().HasStatePriv ? 1u << 14 : uint32_t(isa::status::Halt);
    auto IsThere = [&](const savearea::WaveRecord &R) {
      return hw(R, 5) & Halt && hw(R, 1) == uint32_t(CodeAt + 256 + 4 * Word);
    };
    const auto End = std::chrono::steady_clock::now() + Patience;
    while (std::chrono::steady_clock::now() < End) {
      EXPECT_EQ(suspendOrResume(kfd::SuspendQueues), 1);
      auto Waves = records();
      if (Waves.size() == Count &&
          (Which == EveryWave ? llvm::all_of(Waves, IsThere)
                              : IsThere(Waves[Which])))
        return Waves;
      EXPECT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
      letDeviceWork();
    }
    ADD_FAILURE() << "the waves don't come to word " << Word << " of the code";
    return {};
  }

  std::vector<savearea::WaveRecord> records() {
    savearea::Header H;
    memcpy(&H, reinterpret_cast<void *>(SaveAt), sizeof(H));
    EXPECT_FALSE(
        llvm::errorToBool(savearea::check(H, About.agents[0].save_area_size)));
    if (!H.ControlStackSize)
      return {};
    llvm::ArrayRef<uint32_t> Stack(&at<uint32_t>(SaveAt + H.ControlStackOffset),
                                   H.ControlStackSize / 4);
    auto R = savearea::parse(*GPU, H, Stack);
    if (!R) {
      ADD_FAILURE() << llvm::toString(R.takeError());
      return {};
    }
    return *R;
  }
  uint32_t &hw(const savearea::WaveRecord &R, unsigned Word) {
    return at<uint32_t>(SaveAt + R.Hwregs + 4 * Word);
  }
  uint32_t &ttmp(const savearea::WaveRecord &R, unsigned N) {
    return at<uint32_t>(SaveAt + R.Ttmps + 4 * N);
  }

  const Processor *GPU = &gpu::get(gpu::DefaultDevice);
  unsigned Checks = 0; ///< as check::Options::Checks
  uint64_t SnapshotInterval = 0;
  uint64_t Schedule = 0;
  unsigned Threads = 1; ///< that execute waves
  std::string Directory;
  std::unique_ptr<Device> D;
  std::thread Thread;
  int Program = -1, Debugger = -1, ArenaFd = -1;
  int Notifier[2] = {-1, -1};
  uint32_t Sequence = 0, QueueId = 0, LastId = 0;
  HelloReply About = {};
  kfd::RuntimeInfo Info = {};
  QueueErrorEvent Fault = {};
};

} // namespace wavelane::simulator

#endif // WAVELANE_TEST_UNIT_DEVICE_DEVICEFIXTURE_H
