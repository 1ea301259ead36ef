//===-- DeviceTest.cpp - the device as its program and its debugger see it ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceFixture.h"

using namespace wavelane;
using namespace wavelane::simulator;

namespace {

constexpr uint32_t EndPgm = 0xbf810000, Trap1 = 0xbf920001, Nop = 0xbf800000,
                   Trap2 = 0xbf920002;
// s_load_dwordx2 s[6:7], s[0:1], 0; s_waitcnt 0; v_mov_b32 v1, 0;
// v_mov_b32 v2, 7; global_atomic_add v1, v2, s[6:7].
#define COUNT_LANES                                                            \
  0xc0060180, 0x00000000, 0xbf8c0000, 0x7e020280, 0x7e040287, 0xdd088000,      \
      0x00060201

// The debugger's library has learned that there is no runtime before the
// program started it.
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

TEST_F(DeviceTest, TheProgramCantTakeItsPagesAway) {
  EXPECT_NE(ftruncate(ArenaFd, 0), 0);
  EXPECT_EQ(errno, EPERM);
  std::string Error;
  const int Free = memfd_create("not-sealable", MFD_CLOEXEC);
  EXPECT_FALSE(keepSize(Free, Error));
  EXPECT_EQ(Error, "the program could take the memory's pages away");
  close(Free);
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
        std::pair(R"({"lines": true})", "counting is off"),
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

std::vector<const Processor *> modeled() {
  std::vector<const Processor *> All;
  for (const Processor &P : gpu::devices())
    if (P.isModeled())
      All.push_back(&P);
  return All;
}
INSTANTIATE_TEST_SUITE_P(GPUs, EveryGPU, testing::ValuesIn(modeled()),
                         [](const auto &I) {
                           return std::string(I.param->Name);
                         });

class SomeWaves : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    connectDebugger();
    enableRuntime();
    enableDebugging();
    createQueue();
    snapshot();
    // v_mov_b32 v1, 42
    putKernel({Nop, Trap1, 0x7e0202aa, Trap1, Nop, Trap1, EndPgm});
  }
  int ask(MessageType Type, uint32_t Id, std::vector<uint32_t> Waves = {}) {
    Waves.insert(Waves.begin(), {Id, 0});
    return request(Debugger, Type, Waves.data(), Waves.size() * 4, Answer);
  }
  /// The waves that the last suspension has saved.
  std::vector<uint32_t> saved() {
    const int Count = ask(MessageType::WavesSaved, QueueId);
    EXPECT_GE(Count, 0);
    std::vector<uint32_t> Waves(size_t(std::max(Count, 0)));
    EXPECT_EQ(Answer.Payload.size(), Head + Waves.size() * 4);
    if (Count > 0 && Answer.Payload.size() == Head + Waves.size() * 4)
      memcpy(Waves.data(), Answer.Payload.data() + Head, Waves.size() * 4);
    return Waves;
  }
  WavesSavedReply numbers() {
    ask(MessageType::WavesSaved, QueueId);
    WavesSavedReply Reply = {};
    EXPECT_TRUE(Answer.as(Reply));
    return Reply;
  }
  void letGo(const savearea::WaveRecord &R) {
    ttmp(R, 6) &= ~(1u << 30);
    hw(R, 5) &= ~(isa::status::Halt | isa::status::SkipExport);
  }
  uint32_t &v1(const savearea::WaveRecord &R) {
    return at<uint32_t>(SaveAt + R.Vgprs + 64 * 4);
  }
  void runAndSuspend() {
    EXPECT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
    letDeviceWork(50);
    EXPECT_EQ(suspendOrResume(kfd::SuspendQueues), 1);
  }
  static constexpr size_t Head = sizeof(WavesSavedReply);
  Message Answer;
};

TEST_F(SomeWaves, OnlyThoseThatRanAreSavedAndThoseThatChangedAreRead) {
  dispatch(128, 128);
  auto Waves = suspendAt(2, 2);
  ASSERT_EQ(Waves.size(), 2u);
  const WavesSavedReply First = numbers();
  letGo(Waves[1]);
  EXPECT_EQ(ask(MessageType::WavesChanged, QueueId, {1}), 0);
  runAndSuspend();
  EXPECT_EQ(saved(), std::vector<uint32_t>{1});
  EXPECT_EQ(numbers().layout, First.layout);
  EXPECT_EQ(numbers().saves, First.saves + 1);
  EXPECT_EQ(hw(Waves[0], 1), uint32_t(CodeAt + 256 + 8));
  EXPECT_EQ(hw(Waves[1], 1), uint32_t(CodeAt + 256 + 16));
  // A debugger that says less than it has done isn't believed more.
  letGo(Waves[0]);
  EXPECT_EQ(ask(MessageType::WavesChanged, QueueId), 0);
  runAndSuspend();
  EXPECT_EQ(saved(), std::vector<uint32_t>());
  EXPECT_EQ(hw(Waves[0], 1), uint32_t(CodeAt + 256 + 8));
  // Without a word, all are read.
  runAndSuspend();
  EXPECT_EQ(saved(), std::vector<uint32_t>{0});
  EXPECT_EQ(hw(Waves[0], 1), uint32_t(CodeAt + 256 + 16));

  EXPECT_EQ(ask(MessageType::WavesChanged, QueueId, {2}), -EINVAL);
  EXPECT_EQ(ask(MessageType::WavesWanted, QueueId, {0, 7}), -EINVAL);
  EXPECT_EQ(ask(MessageType::WavesSaved, QueueId + 1), -EINVAL);
  EXPECT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  EXPECT_EQ(ask(MessageType::WavesSaved, QueueId), -EINVAL) << "it runs";
}

TEST_F(SomeWaves, RegistersAreSavedWhenTheyAreWanted) {
  EXPECT_EQ(ask(MessageType::WavesWanted, EveryQueue), 0);
  dispatch(128, 128);
  auto Waves = suspendAt(2, 2);
  ASSERT_EQ(Waves.size(), 2u);
  for (const auto &R : Waves) {
    v1(R) = 1;
    letGo(R);
  }
  runAndSuspend();
  for (const auto &R : Waves)
    EXPECT_EQ(v1(R), 1u) << "what was there";
  EXPECT_EQ(ask(MessageType::WavesWanted, QueueId, {1}), 0);
  EXPECT_EQ(v1(Waves[0]), 1u);
  EXPECT_EQ(v1(Waves[1]), 42u);
  v1(Waves[1]) = 43;
  for (const auto &R : Waves)
    letGo(R);
  EXPECT_EQ(ask(MessageType::WavesChanged, QueueId, {0, 1}), 0);
  runAndSuspend();
  EXPECT_EQ(saved(), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(ask(MessageType::WavesWanted, QueueId), 0);
  EXPECT_EQ(v1(Waves[0]), 42u);
  EXPECT_EQ(v1(Waves[1]), 43u);
  for (const auto &R : Waves)
    letGo(R);
  EXPECT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  EXPECT_TRUE(completed());
}

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

TEST_F(DeviceTest, PartsOfMessagesBlockNobody) {
  enableRuntime();
  createQueue();
  connectDebugger();
  // The program stops in a header, and then in a payload, and goes on later.
  HelloRequest Hello = {ProtocolVersion, PeerRole::Program, uint32_t(getpid()),
                        0};
  const MessageHeader Header = {MessageType::Hello, sizeof(Hello), 77, 0};
  std::vector<uint8_t> Bytes(sizeof(Header) + sizeof(Hello));
  memcpy(Bytes.data(), &Header, sizeof(Header));
  memcpy(Bytes.data() + sizeof(Header), &Hello, sizeof(Hello));
  size_t Sent = 0;
  Message M;
  for (size_t End : {size_t(3), sizeof(Header) + 1, Bytes.size()}) {
    ASSERT_TRUE(sendBytes(Program, Bytes.data() + Sent, End - Sent));
    Sent = End;
    Hello.role = PeerRole::Debugger;
    EXPECT_EQ(request(Debugger, MessageType::Hello, &Hello, sizeof(Hello), M),
              0);
  }
  ASSERT_TRUE(receiveMessage(Program, M));
  EXPECT_EQ(M.Header.sequence, 77u);
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
