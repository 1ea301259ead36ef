//===-- DeviceTest.cpp - the device as its program and its debugger see it ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device/Device.h"
#include "wavelane/Simulator/SaveArea.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;

namespace {

// The test's places in the arena.
constexpr uint64_t QueueAt = FirstAllocation;
constexpr uint64_t RingAt = FirstAllocation + 0x1000;
constexpr uint64_t SignalAt = FirstAllocation + 0x2000;
constexpr uint64_t CodeAt = FirstAllocation + 0x3000;
constexpr uint64_t DataAt = FirstAllocation + 0x5000;
constexpr uint64_t SaveAt = FirstAllocation + 0x100000;

/// A device in a thread; the test acts as its program, in the same address
/// space.
class DeviceTest : public testing::Test {
protected:
  void SetUp() override {
    std::string Error;
    Directory = runtimeDirectory(getpid(), Error);
    ASSERT_FALSE(Directory.empty()) << Error;
    int Arena = memfd_create("test-arena", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(Arena, off_t(ArenaSize)), 0);
    ArenaHeader Header = {ArenaHeader::MagicValue, ProtocolVersion, 0, 0};
    ASSERT_EQ(pwrite(Arena, &Header, sizeof(Header), 0),
              ssize_t(sizeof(Header)));
    int Pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Pair), 0);
    Program = Pair[0];
    DeviceOptions Options;
    Options.Agents = {GPU};
    Options.Checked.Checks = Checks;
    D = std::make_unique<Device>(Options, uint32_t(getpid()));
    ASSERT_TRUE(D->start(Pair[1], Arena, Error)) << Error;
    close(Arena);
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
  std::string Directory;
  std::unique_ptr<Device> D;
  std::thread Thread;
  int Program = -1, Debugger = -1;
  int Notifier[2] = {-1, -1};
  uint32_t Sequence = 0, QueueId = 0, LastId = 0;
  HelloReply About = {};
  kfd::RuntimeInfo Info = {};
  QueueErrorEvent Fault = {};
};

constexpr uint32_t EndPgm = 0xbf810000, Trap1 = 0xbf920001, Nop = 0xbf800000,
                   Trap2 = 0xbf920002;
// s_load_dwordx2 s[6:7], s[0:1], 0; s_waitcnt 0; v_mov_b32 v1, 0;
// v_mov_b32 v2, 7; global_atomic_add v1, v2, s[6:7].
#define COUNT_LANES                                                            \
  0xc0060180, 0x00000000, 0xbf8c0000, 0x7e020280, 0x7e040287, 0xdd088000,      \
      0x00060201

// The debugger's library was told that there is no runtime when the program
// hadn't started it yet.
TEST_F(DeviceTest, LateDebuggerHearsOfTheRuntimeBeforeItsQueues) {
  enableRuntime();
  createQueue();
  connectDebugger();
  enableDebugging(/*Room=*/0);
  EXPECT_TRUE(notified());
  auto Snapshot = [&] {
    auto A = arguments(kfd::GetQueueSnapshot);
    A.queue_snapshot.num_queues = 1;
    A.queue_snapshot.entry_size = 64;
    std::vector<uint8_t> B;
    EXPECT_EQ(trap(A, &B), 0);
    return A.queue_snapshot.num_queues;
  };
  EXPECT_EQ(Snapshot(), 0u);
  auto A = arguments(kfd::QueryDebugEvent);
  ASSERT_EQ(trap(A), 0);
  EXPECT_EQ(A.query_debug_event.exception_mask,
            kfd::exceptionMask(kfd::ProcessRuntime));
  A = arguments(kfd::QueryExceptionInfo);
  A.query_exception_info.exception_code = kfd::ProcessRuntime;
  A.query_exception_info.info_size = sizeof(kfd::RuntimeInfo);
  A.query_exception_info.clear_exception = 1;
  std::vector<uint8_t> B;
  ASSERT_EQ(trap(A, &B), 0);
  EXPECT_EQ(Snapshot(), 0u);
  A = arguments(kfd::SendRuntimeEvent);
  A.send_runtime_event.exception_mask = kfd::exceptionMask(kfd::ProcessRuntime);
  ASSERT_EQ(trap(A), 0);
  EXPECT_TRUE(notified());
  EXPECT_EQ(Snapshot(), 1u);
}

TEST_F(DeviceTest, RunsAGridWithAPartialWorkgroup) {
  enableRuntime();
  createQueue();
  putKernel({COUNT_LANES, EndPgm});
  at<uint64_t>(DataAt) = DataAt + 64;
  dispatch(128, 300); // two whole groups, one of 44: five waves
  ASSERT_TRUE(completed());
  EXPECT_EQ(at<uint32_t>(DataAt + 64), 300u * 7);
  EXPECT_EQ(at<uint64_t>(QueueAt + AmdQueueReadDispatchId), 1u);
}

TEST_F(DeviceTest, MemoryViolationFailsTheQueue) {
  enableRuntime();
  createQueue();
  putKernel({COUNT_LANES, EndPgm});
  at<uint64_t>(DataAt) = FirstAllocation + 0x40000000;
  dispatch(64, 64);
  Message M;
  ASSERT_TRUE(receiveMessage(Program, M));
  ASSERT_EQ(M.Header.type, MessageType::QueueError);
  ASSERT_TRUE(M.as(Fault));
  EXPECT_EQ(Fault.exception, uint32_t(kfd::QueueWaveMemoryViolation));
  EXPECT_EQ(Fault.address, FirstAllocation + 0x40000000);
  EXPECT_EQ(Fault.pc, CodeAt + 256 + 20);
  EXPECT_EQ(Fault.kernel_object, CodeAt);
  EXPECT_EQ(Fault.write, 1u);
}

TEST_F(DeviceTest, IllegalInstructionIsNamed) {
  enableRuntime();
  createQueue();
  putKernel({0xffffffff, EndPgm});
  dispatch(64, 64);
  Message M;
  ASSERT_TRUE(receiveMessage(Program, M));
  ASSERT_TRUE(M.as(Fault));
  EXPECT_EQ(Fault.exception, uint32_t(kfd::QueueWaveIllegalInstruction));
  EXPECT_EQ(Fault.pc, CodeAt + 256);
  EXPECT_NE(Fault.instruction[0], 0);
}

TEST_F(DeviceTest, TrapsWithoutADebugger) {
  enableRuntime();
  createQueue();
  putKernel({Trap1, Nop, EndPgm});
  dispatch(64, 64);
  EXPECT_TRUE(completed()) << "a debug trap is nothing when nobody debugs";
  putKernel({Nop, Nop, Nop, Nop, Trap2, EndPgm});
  dispatch(64, 64);
  Message M;
  ASSERT_TRUE(receiveMessage(Program, M));
  ASSERT_TRUE(M.as(Fault));
  EXPECT_EQ(Fault.exception, uint32_t(kfd::QueueWaveAbort));
  EXPECT_EQ(Fault.trap_id, 2u);
}

TEST_F(DeviceTest, WrongPacketsAreRefused) {
  enableRuntime();
  createQueue();
  putKernel({EndPgm});
  dispatch(2000, 2000);
  Message M;
  ASSERT_TRUE(receiveMessage(Program, M));
  ASSERT_TRUE(M.as(Fault));
  EXPECT_EQ(Fault.exception,
            uint32_t(kfd::QueuePacketDispatchWorkGroupSizeInvalid));
}

TEST_F(DeviceTest, WrongQueuesAreRefused) {
  CreateQueueRequest R = {RingAt, 4095, QueueAt, SaveAt, 0, 0};
  Message M;
  EXPECT_EQ(request(Program, MessageType::CreateQueue, &R, sizeof(R), M),
            -EINVAL);
  R = {RingAt, 4096, QueueAt, FirstAllocation + 0x70000000, 0, 0};
  EXPECT_EQ(request(Program, MessageType::CreateQueue, &R, sizeof(R), M),
            -EINVAL);
}

TEST_F(DeviceTest, NothingRunsBeforeTheRuntimeIsEnabled) {
  createQueue();
  putKernel({EndPgm});
  dispatch(64, 64);
  letDeviceWork(100);
  EXPECT_FALSE(isCompleted());
  enableRuntime();
  EXPECT_TRUE(completed());
}

TEST_F(DeviceTest, BreakpointStopsAndResumes) {
  connectDebugger();
  enableRuntime();
  enableDebugging();
  EXPECT_EQ(Info.runtime_state, uint32_t(kfd::RuntimeEnabled));
  EXPECT_EQ(Info.r_debug, 0x1234u);
  createQueue();
  EXPECT_TRUE(notified());
  EXPECT_EQ(suspendOrResume(kfd::SuspendQueues), 0) << "the queue is new";
  EXPECT_EQ(LastId, QueueId | kfd::QueueInvalidMask);
  kfd::QueueSnapshotEntry E = snapshot();
  EXPECT_EQ(E.queue_id, QueueId);
  EXPECT_EQ(E.exception_status, kfd::exceptionMask(kfd::QueueNew));
  EXPECT_EQ(E.ctx_save_restore_address, SaveAt);

  putKernel({Nop, Trap1, COUNT_LANES, EndPgm});
  at<uint64_t>(DataAt) = DataAt + 64;
  dispatch(128, 128);
  ASSERT_TRUE(notified());
  auto A = arguments(kfd::QueryDebugEvent);
  A.query_debug_event.exception_mask = kfd::exceptionMask(kfd::QueueWaveTrap);
  EXPECT_EQ(trap(A), 0);
  EXPECT_EQ(A.query_debug_event.exception_mask,
            kfd::exceptionMask(kfd::QueueWaveTrap));
  EXPECT_EQ(A.query_debug_event.queue_id, QueueId);
  auto Waves = suspendAt(2, 2);
  ASSERT_EQ(Waves.size(), 2u);
  // The second wave may have stopped after the first one's event.
  A.query_debug_event.exception_mask = ~uint64_t(0);
  trap(A);
  A.query_debug_event.exception_mask = ~uint64_t(0);
  EXPECT_EQ(trap(A), -EAGAIN);

  for (unsigned I = 0; I < 2; ++I) {
    const auto &R = Waves[I];
    const uint64_t After = CodeAt + 256 + 8;
    EXPECT_EQ(hw(R, 1), uint32_t(After));
    EXPECT_EQ(ttmp(R, 7), uint32_t(After));
    EXPECT_EQ(ttmp(R, 11) >> 7 & 0xffff, uint32_t(After >> 32));
    EXPECT_EQ(ttmp(R, 11) & 0x3f, I);
    EXPECT_EQ(ttmp(R, 6) >> 25 & 15, 1u);
    EXPECT_TRUE(ttmp(R, 6) >> 30 & 1);
    EXPECT_TRUE(hw(R, 5) & isa::status::Halt);
    // The second wave: 32 lanes fewer, and not halted.
    ttmp(R, 6) &= ~(1u << 30);
    hw(R, 5) &= ~(isa::status::Halt | isa::status::SkipExport);
    if (I)
      hw(R, 4) = 0;
  }
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  ASSERT_TRUE(completed());
  EXPECT_EQ(at<uint32_t>(DataAt + 64), 96u * 7);
}

/// A device that looks for deadlocks.
class CheckedDevice : public DeviceTest {
protected:
  void SetUp() override {
    Checks = 1u << unsigned(check::CheckId::Sync);
    DeviceTest::SetUp();
    connectDebugger();
    enableRuntime();
    enableDebugging();
    createQueue();
    EXPECT_TRUE(notified());
    snapshot();
  }
  std::string ask(const std::string &Request) {
    Message M;
    EXPECT_EQ(request(Debugger, MessageType::CheckRequest, Request.data(),
                      Request.size(), M),
              0);
    return std::string(M.Payload.begin(), M.Payload.end());
  }
  /// Two waves read the same dword of device memory for ever.
  void dispatchSpin() {
    const MemoryNote Note = {MemoryNote::Allocated,
                             MemoryNote::Device,
                             DataAt,
                             4096,
                             0,
                             1,
                             0,
                             0,
                             0,
                             0};
    Message M;
    ASSERT_EQ(request(Program, MessageType::MemoryNote, &Note, sizeof(Note), M),
              0);
    // s_load_dword s4, s[0:1], 0; s_waitcnt 0; s_branch back
    putKernel({0xc0020100, 0x00000000, 0xbf8c0000, 0xbf82fffc});
    dispatch(128, 128);
  }
};

TEST_F(CheckedDevice, DeadlockStopsItsWavesOnce) {
  dispatchSpin();
  ASSERT_TRUE(notified());
  EXPECT_EQ(suspendOrResume(kfd::SuspendQueues), 1);
  auto Waves = records();
  ASSERT_EQ(Waves.size(), 2u);
  for (const auto &R : Waves) {
    EXPECT_TRUE(hw(R, 5) & isa::status::Halt);
    EXPECT_EQ(ttmp(R, 6) >> 25 & 15, CheckTrap);
    EXPECT_EQ(ttmp(R, StopAddressTtmp), 1u) << "the finding's number";
    EXPECT_EQ(ttmp(R, StopLanesTtmp), ~0u);
    ttmp(R, 6) &= ~(1u << 30);
    hw(R, 5) &= ~(isa::status::Halt | isa::status::SkipExport);
  }
  // Nobody has changed anything: now the kernel ends with an error.
  EXPECT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  Message M;
  ASSERT_TRUE(receiveMessage(Program, M));
  ASSERT_EQ(M.Header.type, MessageType::QueueError);
  ASSERT_TRUE(M.as(Fault));
  EXPECT_NE(llvm::StringRef(Fault.instruction).find("Deadlock: 2 waves"),
            llvm::StringRef::npos)
      << Fault.instruction;
}

TEST_F(CheckedDevice, WhatIsIgnoredDoesNotStop) {
  EXPECT_EQ(ask(R"({"ignore": "deadlock"})"), R"({"checks":"sync"})");
  dispatchSpin();
  Message M;
  ASSERT_TRUE(receiveMessage(Program, M));
  EXPECT_EQ(M.Header.type, MessageType::QueueError);
}

TEST_F(CheckedDevice, ChecksAnswerDebuggers) {
  EXPECT_EQ(ask(R"({"stopOn": "memory,race"})"), R"({"checks":"sync"})");
  EXPECT_EQ(ask(R"({"stopOn": ""})"), R"({"checks":"sync"})");
  for (auto [Request, Error] :
       {std::pair(R"({"stopOn": "speed"})", "unknown check 'speed'"),
        std::pair(R"({"ignore": "memory lines=3"})", "ignore:1: "),
        std::pair(R"({"lines": true})", "nothing is counted"),
        std::pair("[]", "the request isn't an object"),
        std::pair("{", "Expected")}) {
    const std::string Answer = ask(Request);
    EXPECT_NE(Answer.find(std::string(R"({"error":")")), std::string::npos)
        << Answer;
    EXPECT_NE(Answer.find(Error), std::string::npos) << Answer;
  }
}

TEST_F(DeviceTest, WithoutChecksThereIsNothingToAsk) {
  connectDebugger();
  Message M;
  EXPECT_EQ(request(Debugger, MessageType::CheckRequest, "{}", 2, M), -ENOTSUP);
}

class EveryGPU : public DeviceTest,
                 public testing::WithParamInterface<const Processor *> {
protected:
  void SetUp() override {
    GPU = GetParam();
    DeviceTest::SetUp();
  }
};

// Checks the save area of a stopped wave, as a debugger reads it.
TEST_P(EveryGPU, StopsAtItsBreakpointAndResumes) {
  const gpu::Family &Family = GPU->family();
  EXPECT_EQ(About.agents[0].device.gfx_target_version, GPU->TargetVersion);
  EXPECT_EQ(About.agents[0].lds_bytes_per_cu, GPU->LocalBytes);
  connectDebugger();
  enableRuntime();
  enableDebugging();
  createQueue();
  snapshot();
  // s_endpgm is another word from gfx11 on.
  putKernel(
      {Nop, Family.TrapWord, Family.Generation >= 11 ? 0xbfb00000 : EndPgm});
  dispatch(128, 128);
  ASSERT_TRUE(notified()); // the queue
  auto Waves = suspendAt(2, 2);
  ASSERT_EQ(Waves.size(), 2u);
  for (unsigned I = 0; I < 2; ++I) {
    const savearea::WaveRecord &R = Waves[I];
    const uint64_t After = CodeAt + 256 + 8;
    EXPECT_EQ(hw(R, 1), uint32_t(After));
    EXPECT_EQ(hw(R, 3) & hw(R, 4), ~0u);
    EXPECT_EQ(ttmp(R, 6) >> 25 & 15, 1u);
    const bool Parked =
        ttmp(R, Family.HasStatePriv ? 10 : 7) == uint32_t(After);
    EXPECT_EQ(Parked, Family.ParksSince >= 0);
    EXPECT_EQ(R.Shape.Lanes, 64u);
    EXPECT_EQ(R.Shape.Vgprs, 4u);
    EXPECT_EQ(R.Shape.AccVgprs, GPU->hasAcc() ? 4u : 0u);
    EXPECT_EQ(at<uint32_t>(SaveAt + R.Vgprs + 5 * 4),
              64 * I + 5); // the item's x
    ttmp(R, 6) &= ~(1u << 30);
    if (Family.HasStatePriv)
      hw(R, 5) &= ~(1u << 14);
    else
      hw(R, 5) &= ~(isa::status::Halt | isa::status::SkipExport);
  }
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  EXPECT_TRUE(completed());
}

std::vector<const Processor *> modelled() {
  std::vector<const Processor *> All;
  for (const Processor &P : gpu::devices())
    if (P.isModelled())
      All.push_back(&P);
  return All;
}
INSTANTIATE_TEST_SUITE_P(GPUs, EveryGPU, testing::ValuesIn(modelled()),
                         [](const auto &I) {
                           return std::string(I.param->Name);
                         });

TEST_F(DeviceTest, SingleStepStopsAfterEachInstruction) {
  connectDebugger();
  enableRuntime();
  enableDebugging();
  createQueue();
  snapshot();
  putKernel({Trap1, Nop, Nop, EndPgm});
  dispatch(64, 64);
  ASSERT_TRUE(notified()); // the queue
  for (unsigned Step = 1; Step <= 2; ++Step) {
    auto Waves = suspendAt(1, Step);
    ASSERT_EQ(Waves.size(), 1u);
    ttmp(Waves[0], 6) &= ~(0x3fu << 25);
    hw(Waves[0], 5) &= ~isa::status::Halt;
    hw(Waves[0], 9) |= isa::mode::DebugEn;
    ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  }
  auto Waves = suspendAt(1, 3);
  ASSERT_EQ(Waves.size(), 1u);
  EXPECT_EQ(ttmp(Waves[0], 6) >> 25 & 15, 0u);
  hw(Waves[0], 5) &= ~isa::status::Halt;
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  EXPECT_TRUE(completed()) << "the step over s_endpgm ends the wave";
}

// A wave that doesn't run stays in the save area, where a debugger can change
// it; its group's LDS moves with any wave that runs.
TEST_F(DeviceTest, WavesThatStandKeepWhatTheDebuggerWrites) {
  connectDebugger();
  enableRuntime();
  enableDebugging();
  createQueue();
  snapshot();
  // Like COUNT_LANES, with two breakpoints before the addition.
  putKernel({0xc0060180, 0x00000000, 0xbf8c0000, 0x7e020280, 0x7e040287, Trap1,
             Trap1, 0xdd088000, 0x00060201, EndPgm});
  at<uint64_t>(DataAt) = DataAt + 64;
  dispatch(128, 128, /*LDS=*/512);
  auto Value = [&](const savearea::WaveRecord &R, unsigned Lane) -> uint32_t & {
    return at<uint32_t>(SaveAt + R.Vgprs + (2 * 64 + Lane) * 4);
  };
  auto Lds = [&](const savearea::WaveRecord &R) -> uint32_t & {
    return at<uint32_t>(SaveAt + R.Lds + 8);
  };
  auto Go = [&](const savearea::WaveRecord &R) {
    ttmp(R, 6) &= ~(0x3fu << 25);
    hw(R, 5) &= ~(isa::status::Halt | isa::status::SkipExport);
  };

  auto Waves = suspendAt(2, 6, 1);
  ASSERT_EQ(Waves.size(), 2u);
  EXPECT_EQ(Value(Waves[1], 0), 7u);
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    Value(Waves[1], Lane) = 3;
  Lds(Waves[1]) = 0x1234;
  Go(Waves[0]);
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  Waves = suspendAt(2, 7, 0);
  ASSERT_EQ(Waves.size(), 2u);
  EXPECT_EQ(Value(Waves[0], 5), 7u);
  EXPECT_EQ(Value(Waves[1], 5), 3u);
  EXPECT_EQ(Lds(Waves[0]), 0x1234u);
  Value(Waves[1], 0) = 4;
  Lds(Waves[0]) = 0x5678;
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  // No wave has run.
  Waves = suspendAt(2, 7, 0);
  ASSERT_EQ(Waves.size(), 2u);
  EXPECT_EQ(Value(Waves[1], 0), 4u);
  EXPECT_EQ(Lds(Waves[0]), 0x5678u);
  // One wave ends, and the other's record moves.
  Go(Waves[0]);
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  Waves = suspendAt(1, 6, 0);
  ASSERT_EQ(Waves.size(), 1u);
  EXPECT_EQ(Value(Waves[0], 0), 4u);
  EXPECT_EQ(Value(Waves[0], 63), 3u);
  EXPECT_EQ(Lds(Waves[0]), 0x5678u);
  EXPECT_EQ(at<uint32_t>(DataAt + 64), 64u * 7);
  Go(Waves[0]);
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  Waves = suspendAt(1, 7, 0);
  ASSERT_EQ(Waves.size(), 1u);
  Go(Waves[0]);
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  ASSERT_TRUE(completed());
  EXPECT_EQ(at<uint32_t>(DataAt + 64), 64u * 7 + 63 * 3 + 4);
}

TEST_F(DeviceTest, WavesStartHaltedWhenAsked) {
  connectDebugger();
  enableRuntime();
  enableDebugging();
  createQueue();
  snapshot();
  auto A = arguments(kfd::SetWaveLaunchMode);
  A.launch_mode.launch_mode = kfd::LaunchHalt;
  EXPECT_EQ(trap(A), 0);
  putKernel({EndPgm});
  dispatch(64, 64);
  letDeviceWork(100);
  EXPECT_FALSE(isCompleted());
  ASSERT_EQ(suspendOrResume(kfd::SuspendQueues), 1);
  auto Waves = records();
  ASSERT_EQ(Waves.size(), 1u);
  EXPECT_EQ(hw(Waves[0], 1), uint32_t(CodeAt + 256));
  EXPECT_FALSE(ttmp(Waves[0], 6) >> 30 & 1);
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  // Detaching lets them run.
  A = arguments(kfd::Disable);
  EXPECT_EQ(trap(A), 0);
  EXPECT_TRUE(completed());
}

TEST_F(DeviceTest, RuntimeWaitsForTheDebugger) {
  connectDebugger();
  RuntimeEnableRequest R = {0x5678, 5000, 0};
  ASSERT_TRUE(
      sendMessage(Program, MessageType::RuntimeEnable, 900, 0, &R, sizeof(R)));
  letDeviceWork();
  enableDebugging();
  EXPECT_TRUE(notified());
  auto A = arguments(kfd::QueryExceptionInfo);
  A.query_exception_info.exception_code = kfd::ProcessRuntime;
  A.query_exception_info.info_size = 16;
  A.query_exception_info.clear_exception = 1;
  std::vector<uint8_t> B;
  EXPECT_EQ(trap(A, &B), 0);
  ASSERT_EQ(B.size(), 16u);
  memcpy(&Info, B.data(), 16);
  EXPECT_EQ(Info.r_debug, 0x5678u);
  pollfd P = {Program, POLLIN, 0};
  EXPECT_EQ(poll(&P, 1, 30), 0) << "the runtime must not continue yet";
  A = arguments(kfd::SendRuntimeEvent);
  A.send_runtime_event.exception_mask = kfd::exceptionMask(kfd::ProcessRuntime);
  EXPECT_EQ(trap(A), 0);
  Message M;
  ASSERT_TRUE(receiveMessage(Program, M));
  EXPECT_EQ(M.Header.sequence, 900u);
}

TEST_F(DeviceTest, OperationsAreRefusedAsKfdDoes) {
  connectDebugger();
  auto A = arguments(kfd::SetWaveLaunchMode);
  EXPECT_EQ(trap(A), -EINVAL) << "not enabled";
  enableDebugging();
  A = arguments(kfd::SetWaveLaunchMode);
  EXPECT_EQ(trap(A), -EPERM) << "the runtime is not up";
  A = arguments(kfd::QueryDebugEvent);
  EXPECT_EQ(trap(A), -EAGAIN);
  A = arguments(99);
  EXPECT_EQ(trap(A), -EINVAL);
  A = arguments(kfd::Enable);
  EXPECT_EQ(trap(A), -EALREADY);
  A = arguments(kfd::GetDeviceSnapshot);
  A.device_snapshot.num_devices = 4;
  A.device_snapshot.entry_size = 200;
  std::vector<uint8_t> B;
  EXPECT_EQ(trap(A, &B), 0);
  EXPECT_EQ(A.device_snapshot.num_devices, 1u);
  EXPECT_EQ(A.device_snapshot.entry_size, 120u);
  EXPECT_EQ(B.size(), 120u);
}

TEST_F(DeviceTest, WatchpointsAreCounted) {
  connectDebugger();
  enableRuntime();
  enableDebugging();
  auto A = arguments(kfd::SetNodeAddressWatch);
  for (unsigned I = 0; I < 5; ++I) {
    A = arguments(kfd::SetNodeAddressWatch);
    A.set_node_address_watch.address = DataAt;
    A.set_node_address_watch.mask = 0x1fffff80;
    A.set_node_address_watch.mode = kfd::WatchNonRead;
    A.set_node_address_watch.gpu_id = About.agents[0].device.gpu_id;
    EXPECT_EQ(trap(A), I < 4 ? 0 : -ENOMEM);
    if (I < 4) {
      EXPECT_EQ(A.set_node_address_watch.id, I);
    }
  }
  A = arguments(kfd::ClearNodeAddressWatch);
  A.clear_node_address_watch.gpu_id = About.agents[0].device.gpu_id;
  A.clear_node_address_watch.id = 2;
  EXPECT_EQ(trap(A), 0);
  EXPECT_EQ(trap(A), -EINVAL);
}

TEST_F(DeviceTest, GarbageFromDebuggersHurtsNobody) {
  enableRuntime();
  createQueue();
  uint32_t Random = 12345;
  auto Next = [&Random] { return Random = Random * 1664525 + 1013904223; };
  for (unsigned Round = 0; Round < 200; ++Round) {
    connectDebugger();
    for (unsigned I = 0; I < 4; ++I) {
      std::vector<uint8_t> Bytes(Next() % 64);
      for (uint8_t &B : Bytes)
        B = uint8_t(Next() >> 24);
      auto A = arguments(Next() >> 24 & 15);
      for (uint8_t &B : A.bytes)
        B = uint8_t(Next() >> 24);
      if (Next() >> 31)
        Bytes.insert(Bytes.begin(), reinterpret_cast<uint8_t *>(&A),
                     reinterpret_cast<uint8_t *>(&A) + sizeof(A));
      const auto Type =
          Next() >> 30 ? MessageType::DebugTrap : MessageType(Next() >> 28);
      if (!sendMessage(Debugger, Type, 1, 0, Bytes.data(), Bytes.size()))
        break;
    }
    const uint32_t Huge[4] = {3, 0xffffffff, 0, 0};
    sendBytes(Debugger, Huge, Next() % sizeof(Huge) + 1);
    close(Debugger);
    Debugger = -1;
  }
  putKernel({EndPgm});
  dispatch(64, 64);
  EXPECT_TRUE(completed());
}

TEST_F(DeviceTest, LosingTheDebuggerLetsWavesGoOn) {
  connectDebugger();
  enableRuntime();
  enableDebugging();
  createQueue();
  snapshot();
  auto A = arguments(kfd::SetWaveLaunchMode);
  A.launch_mode.launch_mode = kfd::LaunchHalt;
  EXPECT_EQ(trap(A), 0);
  putKernel({EndPgm});
  dispatch(64, 64);
  letDeviceWork(100);
  EXPECT_FALSE(isCompleted());
  close(Debugger);
  Debugger = -1;
  EXPECT_TRUE(completed());
}

} // namespace
