//===-- TrapTest.cpp - a program's own trap handler, and samples ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Device/FileMemory.h"
#include "Simulator/Device/PcSampling.h"
#include "Simulator/Device/Scheduler.h"
#include "wavelane/Simulator/KfdIoctl.h"

#include "gtest/gtest.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;

namespace {

constexpr uint64_t At = 0x10000000;
constexpr uint64_t RingAt = At, IndicesAt = At + 0x2000,
                   HandlerAt = At + 0x4000, KernelAt = At + 0x5000,
                   DataAt = At + 0x6000, CountAt = At + 0x7000;

/// Counts its calls in its memory, and goes on after the instruction, or at it
/// if the host has interrupted the wave.
constexpr uint32_t Counting[] = {
    0xc0021bbd, 0,          // s_load_dword ttmp2, ttmp[14:15], 0x0
    0xbf8cc07f,             // s_waitcnt lgkmcnt(0)
    0x806e816e,             // s_add_u32 ttmp2, ttmp2, 1
    0xc0421bbd, 0,          // s_store_dword ttmp2, ttmp[14:15], 0x0
    0xbf0d986d,             // s_bitcmp1_b32 ttmp1, 24
    0xbf850002,             // s_cbranch_scc1 +2
    0x806c846c, 0x826d806d, // s_add_u32 ttmp0, ttmp0, 4; s_addc_u32 ttmp1
    0xb978f802,             // s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
    0xbe801f6c,             // s_rfe_b64 ttmp[0:1]
};
/// Reports a trap of its queue, and halts the wave.
constexpr uint32_t Reporting[] = {
    0xbefe00ff, 0x80000000, // s_mov_b32 exec_lo, 0x80000000
    0xbf90000a,             // s_sendmsg sendmsg(MSG_GET_DOORBELL)
    0x866fff7e, 0x3ff,      // s_and_b32 ttmp3, exec_lo, 0x3ff
    0x876fff6f, 0x800,      // s_or_b32 ttmp3, ttmp3, 0x800
    0xbefc006f,             // s_mov_b32 m0, ttmp3
    0xbf900001,             // s_sendmsg sendmsg(MSG_INTERRUPT)
    0xbef81a8d,             // s_bitset1_b32 ttmp12, 13
    0xb978f802, 0xbe801f6c, // s_setreg_b32 hwreg(HW_REG_STATUS); s_rfe_b64
};
constexpr uint32_t TrapKernel[] = {0xbf920009, 0xbf810000}; // s_trap 9
/// Runs until its argument isn't 0.
constexpr uint32_t LoopKernel[] = {
    0xc0030200, 0, // s_load_dword s8, s[0:1], 0x0 glc
    0xbf8cc07f,    // s_waitcnt lgkmcnt(0)
    0xbf068008,    // s_cmp_eq_u32 s8, 0
    0xbf85fffb,    // s_cbranch_scc1 -5
    0xbf810000,    // s_endpgm
};

class TrapTest : public testing::Test {
protected:
  void SetUp() override {
    const int Fd = memfd_create("test-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(ftruncate(Fd, off_t(driver::FileSize)), 0);
    std::string Error;
    ASSERT_TRUE(Memory.map(Fd, 1, uint32_t(getpid()), Error)) << Error;
    Memory.BeforeUnmap = [](uint64_t, uint64_t) {};
    FileMemory::Object O;
    O.Address = At;
    O.Size = 0x10000;
    O.Flags = kfd::AllocVram | kfd::AllocWritable | kfd::AllocExecutable;
    uint64_t Handle;
    ASSERT_EQ(Memory.allocate(O, Handle), 0);
    ASSERT_EQ(Memory.mapOn(Handle, 0), 0);
    Runtime.WritesQuietly = true;
    Runtime.ReportError = [this](const Queue &, const QueueErrorEvent &E) {
      Reported = E;
    };
    auto Made = std::make_unique<Queue>();
    Q = Made.get();
    Q->Id = 1;
    Q->Agent = All[0].get();
    Q->Ring = RingAt;
    Q->RingSize = 4096;
    Q->WriteIndex = IndicesAt;
    Q->ReadIndex = IndicesAt + 8;
    Q->Doorbell = driver::DoorbellStride + 5 * 8;
    Work[1] = std::move(Made);
    All[0]->TrapMemory = CountAt;
  }

  template <typename T> T &memory(uint64_t Address) {
    return *reinterpret_cast<T *>(
        Memory.get(Address, sizeof(T), isa::Access::Atomic));
  }
  template <size_t N> void put(uint64_t To, const uint32_t (&Words)[N]) {
    memcpy(&memory<uint32_t>(To), Words, sizeof(Words));
  }
  template <size_t N> void handle(const uint32_t (&Words)[N]) {
    put(HandlerAt, Words);
    All[0]->TrapHandler = HandlerAt;
  }
  template <size_t N> void dispatch(const uint32_t (&Words)[N]) {
    KernelDescriptor K = {};
    K.EntryOffset = 256;
    K.Rsrc1 = 0xf0 << 12;
    K.Rsrc2 = 4 << 1;
    K.Properties = 1 << 3; // the arguments' address is in s[0:1]
    memcpy(&memory<uint8_t>(KernelAt), &K, sizeof(K));
    put(KernelAt + 256, Words);
    KernelPacket P = {};
    P.Header = PacketKernel;
    P.Setup = 1;
    P.WorkgroupSize[0] = P.GridSize[0] = 64;
    P.KernelObject = KernelAt;
    P.Kernarg = DataAt;
    memcpy(&memory<uint8_t>(RingAt), &P, sizeof(P));
    memory<uint64_t>(IndicesAt) = 1;
  }
  bool isDone() { return memory<uint64_t>(IndicesAt + 8) == 1; }
  void run() {
    for (unsigned Turn = 0; Turn < 100 && !Q->Failed && !isDone(); ++Turn)
      Waves.run(*Q);
  }
  Wave &wave() { return *Q->Current->Resident.front().Waves[0]; }

  FileMemory Memory;
  Agents All = [this] {
    Agents A;
    A.push_back(
        std::make_unique<Agent>(gpu::get(gpu::DefaultDevice), 2, 0,
                                static_cast<isa::MemoryAccess &>(Memory)));
    return A;
  }();
  Queues Work;
  DebugSession Debug;
  ProgramRuntime Runtime;
  Scheduler Waves{Memory, Debug, Runtime};
  PcSampling Samples{All, Work, Waves};
  Queue *Q = nullptr;
  QueueErrorEvent Reported = {};
};

} // namespace

TEST_F(TrapTest, TheProgramsHandlerLetsItsWaveGoOn) {
  handle(Counting);
  dispatch(TrapKernel);
  run();
  EXPECT_TRUE(isDone());
  EXPECT_FALSE(Q->Failed);
  EXPECT_EQ(memory<uint32_t>(CountAt), 1u);
}

TEST_F(TrapTest, WithoutAHandlerTheDeviceDoesItsWork) {
  dispatch(TrapKernel);
  run();
  EXPECT_TRUE(Q->Failed);
  EXPECT_EQ(Reported.trap_id, 9u);
}

TEST_F(TrapTest, WhatTheDeviceLacksIsntTheProgramsMistake) {
  const uint32_t Lacking[] = {0xd97c0000, 0, 0xbf810000}; // ds_append v0
  const uint32_t Wrong[] = {0xbfff0000, 0, 0xbf810000};
  for (const auto &[Code, IsUnmodeled] :
       {std::pair(&Lacking, 1u), std::pair(&Wrong, 0u)}) {
    Q->Failed = false;
    memory<uint64_t>(IndicesAt) = memory<uint64_t>(IndicesAt + 8) = 0;
    All[0]->Executor->invalidate(At, At + 0x10000);
    dispatch(*Code);
    run();
    EXPECT_TRUE(Q->Failed);
    EXPECT_EQ(Reported.exception, uint32_t(kfd::QueueWaveIllegalInstruction));
    EXPECT_EQ(Reported.is_unmodeled, IsUnmodeled) << Reported.instruction;
    Waves.abandon(*Q);
  }
}

TEST_F(TrapTest, AnOlderRuntimesHandlerIsNotExecuted) {
  handle(Counting);
  Runtime.KeepsTraps = true;
  dispatch(TrapKernel);
  run();
  EXPECT_TRUE(Q->Failed);
  EXPECT_EQ(memory<uint32_t>(CountAt), 0u);
}

TEST_F(TrapTest, WhatAHandlerReportsIsTheQueuesException) {
  handle(Reporting);
  Debug.ClientFd = 0; // somebody debugs it
  Runtime.Info.runtime_state = kfd::RuntimeEnabled;
  dispatch(TrapKernel);
  for (unsigned Turn = 0; Turn < 10; ++Turn)
    Waves.run(*Q);
  EXPECT_FALSE(Q->Failed);
  EXPECT_TRUE(Q->ExceptionStatus & kfd::exceptionMask(kfd::QueueWaveTrap));
  EXPECT_TRUE(wave().State.Status & isa::status::Halt);
  EXPECT_FALSE(wave().State.Status & isa::status::Priv);
  // The doorbell's number was in EXEC, whose other half is left.
  EXPECT_EQ(wave().State.exec() & 0xffffffff, 5u);
}

TEST_F(TrapTest, WithoutADebuggerAReportEndsTheQueue) {
  handle(Reporting);
  dispatch(TrapKernel);
  run();
  EXPECT_TRUE(Q->Failed);
  EXPECT_EQ(Reported.exception, uint32_t(kfd::QueueWaveTrap));
}

TEST_F(TrapTest, AHandlerThatCantBeExecutedEndsTheQueue) {
  const uint32_t Endless[] = {0xbf82ffff}; // s_branch -1
  for (const auto &[Code, Why] :
       {std::pair(TrapKernel, "an instruction that it must not have"),
        std::pair(Endless, "it doesn't end")}) {
    Q->Failed = false;
    memory<uint64_t>(IndicesAt) = memory<uint64_t>(IndicesAt + 8) = 0;
    memory<uint32_t>(HandlerAt) = Code[0];
    All[0]->Executor->invalidate(At, At + 0x10000);
    All[0]->TrapHandler = HandlerAt;
    dispatch(TrapKernel);
    run();
    EXPECT_TRUE(Q->Failed);
    EXPECT_EQ(Reported.instruction, std::string("the trap handler: ") + Why);
    EXPECT_FALSE(Reported.is_unmodeled);
    Waves.abandon(*Q);
  }
}

TEST_F(TrapTest, SamplesInterruptRunningWaves) {
  handle(Counting);
  dispatch(LoopKernel);
  Waves.run(*Q);
  kfd::PcSampleInfo Info = {
      1, 0, 0, 0, kfd::SampleHostTrap, kfd::SampleMicroseconds};
  std::vector<uint8_t> Bytes(sizeof(Info));
  memcpy(Bytes.data(), &Info, sizeof(Info));
  kfd::PcSampleArguments A = {};
  A.op = kfd::SampleCreate;
  ASSERT_EQ(Samples.call(0, A, Bytes), 0);
  A.op = kfd::SampleStop;
  EXPECT_EQ(Samples.call(0, A, Bytes), -EALREADY);
  A.op = kfd::SampleStart;
  ASSERT_EQ(Samples.call(0, A, Bytes), 0);
  EXPECT_EQ(Samples.call(0, A, Bytes), -EALREADY);
  for (unsigned I = 0; I < 1000000 && memory<uint32_t>(CountAt) < 3; ++I) {
    Samples.tick();
    Waves.run(*Q);
  }
  EXPECT_EQ(memory<uint32_t>(CountAt), 3u);
  A.op = kfd::SampleDestroy;
  EXPECT_EQ(Samples.call(0, A, Bytes), -EBUSY);
  A.op = kfd::SampleStop;
  EXPECT_EQ(Samples.call(0, A, Bytes), 0);
  memory<uint32_t>(DataAt) = 1;
  run();
  EXPECT_TRUE(isDone());
  EXPECT_FALSE(Q->Failed);
}

TEST_F(TrapTest, WrongSamplingIsRefused) {
  std::vector<uint8_t> None, Bytes(sizeof(kfd::PcSampleInfo));
  kfd::PcSampleArguments A = {};
  EXPECT_EQ(Samples.call(0, A, None), 0);
  EXPECT_EQ(A.num_sample_info, 1u);
  A.sample_info_ptr = 1;
  EXPECT_EQ(Samples.call(0, A, None), -ENOSPC);
  A.op = kfd::SampleCreate;
  EXPECT_EQ(Samples.call(0, A, None), -EINVAL);
  EXPECT_EQ(Samples.call(0, A, Bytes), -EINVAL); // an interval of 0
  A.trace_id = 12345;
  for (uint32_t Op : {kfd::SampleDestroy, kfd::SampleStart, kfd::SampleStop}) {
    A.op = Op;
    EXPECT_EQ(Samples.call(0, A, None), -EINVAL);
  }
}
