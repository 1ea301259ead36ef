//===-- SchedulerTraps.cpp - a program's own trap handler -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers are those that the kernel driver's handler, which comes first,
// gives the program's (ROCr's trap_handler.s describes them).
//
//===----------------------------------------------------------------------===//

#include "SaveContext.h"
#include "Scheduler.h"
#include "wavelane/Protocol/Device/FaultNotes.h"

#include <algorithm>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::StepResult;

/// A handler that executes more than this doesn't end.
static constexpr unsigned HandlerLimit = 1 << 16;
/// In the register of saved flags: a debugger is there.
static constexpr uint32_t DebugEnabled = 1u << 23;
/// The bits of IB_STS that are saved with it, from bit 26 on.
static constexpr unsigned IbStsShift = 15;
static constexpr uint32_t IbStsMask = 0x3f;
static constexpr unsigned SavedIbStsShift = 26;
/// Bits of an interrupt from a handler, before its mask of exceptions.
static constexpr unsigned DoorbellBits = 10;
static constexpr unsigned MsgInterrupt = 1;
/// The trap with which KFD interrupts waves.
static constexpr unsigned HostTrap = 4;

bool Scheduler::hasHandler(const Queue &Q) const {
  return Q.Agent->TrapHandler && !Runtime.KeepsTraps &&
         !Q.Agent->Info.family().HasStatePriv;
}

void Scheduler::enterHandler(const Queue &Q, Wave &W, unsigned TrapId,
                             uint64_t PC, bool IsHost) {
  const gpu::Family &Family = Q.Agent->Info.family();
  isa::WaveState &S = W.State;
  uint32_t *T = S.ttmp();
  T[0] = uint32_t(PC);
  T[1] = (uint32_t(PC >> 32) & 0xffff) | TrapId << 16 | uint32_t(IsHost) << 24;
  uint32_t &Flags = T[Family.PacketInTtmp11 ? 13 : 11];
  if (gpu::features(Q.Agent->Info).HasIbStsInTtmps)
    Flags = (Flags & ~(IbStsMask << SavedIbStsShift)) |
            (S.IbSts >> IbStsShift & IbStsMask) << SavedIbStsShift;
  Flags = (Flags & ~DebugEnabled) | (Debug.attached() ? DebugEnabled : 0);
  T[12] = S.Status & ~(isa::status::ExecZ | isa::status::VccZ);
  T[14] = uint32_t(Q.Agent->TrapMemory);
  T[15] = uint32_t(Q.Agent->TrapMemory >> 32);
  S.Status |= isa::status::Priv;
  S.PC = Q.Agent->TrapHandler;
}

bool Scheduler::runHandler(const Queue &Q, Wave &W, uint64_t &Raised,
                           HandlerFault &Fault) {
  isa::WaveState &S = W.State;
  isa::Executor &Executor = *Q.Agent->Executor;
  // Nobody observes a handler, nor steps in it.
  Executor.setObserver(nullptr);
  Executor.setLastObserver(nullptr);
  const uint32_t Step = S.Mode & isa::mode::DebugEn;
  S.Mode &= ~Step;
  bool IsDone = false;
  for (unsigned I = 0; I < HandlerLimit && !IsDone && Fault.Why.empty(); ++I) {
    const StepResult R = Executor.run(S, 1, /*PassBreak=*/true);
    switch (R.Reason) {
    case StepResult::Continued:
    case StepResult::Sleep:
    case StepResult::Watch:
      break;
    case StepResult::SendMsg: {
      if ((R.Code & 15) != MsgInterrupt)
        break;
      const uint64_t Mask = S.m0() >> DoorbellBits & 0x3f;
      Raised |= Mask;
      if (!Mask)
        Memory.interrupt(S.m0() & 0xffffff);
      break;
    }
    case StepResult::Halt:
      IsDone = true; // older handlers halt in themselves
      break;
    case StepResult::MemoryViolation: {
      char Text[64];
      snprintf(Text, sizeof(Text), "it can't access 0x%llx",
               static_cast<unsigned long long>(R.FaultAddress));
      Fault.Why = Text;
      break;
    }
    default:
      Fault = {R.Text.empty() ? "an instruction that it must not have" : R.Text,
               R.IsUnmodeled};
      break;
    }
    IsDone |= !(S.Status & isa::status::Priv);
  }
  if (!IsDone && Fault.Why.empty())
    Fault.Why = "it doesn't end";
  S.Mode |= Step;
  S.Status &= ~uint32_t(isa::status::Priv);
  return Fault.Why.empty();
}

void Scheduler::interruptWave(Queue &Q, Wave &W) {
  if (!hasHandler(Q) || W.Ended || W.State.Status & isa::status::Halt)
    return;
  if (TheRecorder ? TheRecorder->load(Q, W) : loadWave(Memory, Q, W))
    callHandler(Q, W, HostTrap, W.State.PC, /*IsHost=*/true);
}

void Scheduler::callHandler(Queue &Q, Wave &W, unsigned TrapId, uint64_t PC,
                            bool IsHost) {
  uint32_t *T = W.State.ttmp();
  // What is noted for debuggers of a stop.
  uint32_t Noted[4];
  std::copy(T + 12, T + 16, Noted);
  const uint32_t Distance = T[StopDistanceTtmp];
  enterHandler(Q, W, TrapId, PC, IsHost);
  uint64_t Raised = 0;
  HandlerFault Fault;
  if (!runHandler(Q, W, Raised, Fault)) {
    QueueErrorEvent E = describeFault(Q, W, kfd::QueueWaveIllegalInstruction);
    snprintf(E.instruction, sizeof(E.instruction), "the trap handler: %s",
             Fault.Why.c_str());
    E.is_unmodeled = Fault.IsUnmodeled;
    failQueue(Q, E);
    return;
  }
  const bool IsStopped = W.State.Status & isa::status::Halt;
  if (IsStopped) {
    std::copy(Noted, Noted + 4, T + 12);
    T[StopDistanceTtmp] = Distance;
  } else if (TheRecorder)
    TheRecorder->stop(); // what a handler does to a wave isn't recorded
  if (Debug.attached()) {
    if (Raised)
      Debug.raise(Q, Raised);
    return;
  }
  if (!Raised && !IsStopped)
    return;
  if (!W.Fault.exception)
    W.Fault = describeFault(Q, W, kfd::QueueWaveTrap);
  if (Raised)
    W.Fault.exception = uint32_t(__builtin_ctzll(Raised)) + 1;
  if (IsStopped) {
    Q.KeepsWaves = true;
    failQueue(Q, W.Fault);
  } else {
    Runtime.ReportError(Q, W.Fault);
  }
}
