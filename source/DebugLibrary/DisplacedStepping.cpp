//===-- DisplacedStepping.cpp - Steps over breakpoints --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DisplacedStepping.h"
#include "WaveState.h"
#include <cstring>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::library {

using Flow = Instruction::Flow;

/// Whether the pairs of SGPRs that an instruction uses exist.
static bool namesOwnRegisters(const Instruction &Inst, unsigned Sgprs) {
  auto IsThere = [&](unsigned Pair) {
    return Pair == PairVcc || Pair + 2 <= Sgprs;
  };
  const bool Reads = Inst.FlowKind == Flow::IndirectBranch ||
                     Inst.FlowKind == Flow::IndirectCall;
  const bool Writes = Inst.FlowKind == Flow::DirectCall ||
                      Inst.FlowKind == Flow::IndirectCall ||
                      Inst.FlowKind == Flow::GetPC;
  return (!Reads || IsThere(Inst.Source)) &&
         (!Writes || IsThere(Inst.Destination));
}

std::optional<Instruction> DisplacedStepping::readInstruction(Wave &W,
                                                              const void *Saved,
                                                              uint8_t *Bytes,
                                                              Status &Outcome) {
  const ArchitectureInfo &Info = archOf(W);
  const uint64_t From = Registers.pc(W);
  uint64_t Size = Info.LargestInstruction;
  // The instruction may be at the end of its memory.
  while (Size > 4 && Memory.readAll(From, Bytes, Size) != Success)
    Size -= 4;
  if (Size == 4)
    if ((Outcome = Memory.readAll(From, Bytes, Size)))
      return std::nullopt;
  memcpy(Bytes, Saved, 4);
  InstructionDecoder *Decoder = InstructionDecoder::get(*Info.Arch);
  std::optional<Instruction> Inst;
  if (Decoder)
    Inst = Decoder->decode(From, ArrayRef(Bytes, Size), false);
  if (!Inst || Inst->FlowKind == Flow::Other ||
      Inst->Size + 4 > DisplacedBytes) {
    Outcome = AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    return std::nullopt;
  }
  return Inst;
}

Status DisplacedStepping::useBuffer(Wave &W, DisplacedStep &Step,
                                    uint8_t *Bytes, uint64_t Size) {
  Queue &Q = *W.Q;
  unsigned Slot = 0;
  while (Slot < Q.BuffersUsed.size() && Q.BuffersUsed[Slot])
    ++Slot;
  if (Slot == Q.BuffersUsed.size())
    return AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_BUFFER_NOT_AVAILABLE;
  Step.Slot = Slot;
  Step.Buffer = Q.DebuggerMemory + uint64_t(Slot) * DisplacedBytes;
  memcpy(Bytes + Size, &archOf(W).Breakpoint, 4);
  if (Status Outcome = Memory.writeAll(Step.Buffer, Bytes, Size + 4))
    return Outcome;
  if (Status Outcome = Registers.setPC(W, Step.Buffer))
    return Outcome;
  Q.BuffersUsed[Slot] = true;
  return Success;
}

Status DisplacedStepping::start(Wave &W, const void *Saved, uint64_t &StepId) {
  uint8_t Bytes[DisplacedBytes] = {};
  Status Outcome = Success;
  std::optional<Instruction> Inst = readInstruction(W, Saved, Bytes, Outcome);
  if (!Inst)
    return Outcome;
  auto Step = std::make_unique<DisplacedStep>();
  Step->W = W.Id;
  Step->From = Registers.pc(W);
  if (Inst->FlowKind == Flow::Sequential) {
    if ((Outcome = useBuffer(W, *Step, Bytes, Inst->Size)))
      return Outcome;
  } else {
    if (!namesOwnRegisters(*Inst, W.Record.Shape.Sgprs))
      return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    Step->Simulate = *Inst;
  }
  Step->Id = StepId = library().newId(Library::StepId);
  W.Displaced = Step.get();
  List.Steps[StepId] = std::move(Step);
  return Success;
}

std::optional<uint64_t>
DisplacedStepping::placeOf(const Wave &W, const DisplacedStep &Step) const {
  const uint64_t At = Registers.pc(W);
  if (!Step.Buffer || At < Step.Buffer || At >= Step.Buffer + DisplacedBytes)
    return std::nullopt;
  return Step.From + (At - Step.Buffer);
}

Status DisplacedStepping::complete(Wave &W, DisplacedStep &Step) {
  if (std::optional<uint64_t> At = placeOf(W, Step))
    if (Status Outcome = Registers.setPC(W, *At))
      return Outcome;
  if (Step.Buffer)
    W.Q->BuffersUsed[Step.Slot] = false;
  W.Displaced = nullptr;
  List.Steps.erase(Step.Id);
  return Success;
}

Status DisplacedStepping::isTaken(Wave &W, const Instruction &Inst,
                                  bool &Taken) {
  uint64_t Vcc = 0;
  if (Status Outcome = Registers.readPair(W, PairVcc, Vcc))
    return Outcome;
  if (W.Record.Shape.Lanes == 32)
    Vcc = uint32_t(Vcc);
  const bool Scc = hasStatePriv(archOf(W))
                       ? Registers.hw(W, HwReg::StatePriv) >> 9 & 1
                       : Registers.hw(W, HwReg::Status) & 1;
  switch (Inst.Condition) {
  case gpu::BranchCondition::Scc0:
    Taken = !Scc;
    break;
  case gpu::BranchCondition::Scc1:
    Taken = Scc;
    break;
  case gpu::BranchCondition::VccZ:
    Taken = Vcc == 0;
    break;
  case gpu::BranchCondition::VccNZ:
    Taken = Vcc != 0;
    break;
  case gpu::BranchCondition::ExecZ:
    Taken = Registers.exec(W) == 0;
    break;
  case gpu::BranchCondition::ExecNZ:
    Taken = Registers.exec(W) != 0;
    break;
  default:
    Taken = false;
    break;
  }
  return Success;
}

Status DisplacedStepping::simulate(Wave &W) {
  const Instruction Inst = *W.Displaced->Simulate;
  const uint64_t Next = W.Displaced->From + Inst.Size;
  uint64_t Target = Next;
  Status Outcome = Success;
  switch (Inst.FlowKind) {
  case Flow::Branch:
    Target = Inst.Target;
    break;
  case Flow::ConditionalBranch: {
    bool Taken = false;
    Outcome = isTaken(W, Inst, Taken);
    if (Taken)
      Target = Inst.Target;
    break;
  }
  case Flow::IndirectBranch:
    Outcome = Registers.readPair(W, Inst.Source, Target);
    break;
  case Flow::DirectCall:
    Target = Inst.Target;
    Outcome = Registers.writePair(W, Inst.Destination, Next);
    break;
  case Flow::IndirectCall:
    Outcome = Registers.readPair(W, Inst.Source, Target);
    if (!Outcome)
      Outcome = Registers.writePair(W, Inst.Destination, Next);
    break;
  case Flow::GetPC:
    Outcome = Registers.writePair(W, Inst.Destination, Next);
    break;
  default:
    return Fatal;
  }
  return Outcome ? Outcome : Registers.setPC(W, Target & ~uint64_t(3));
}

} // namespace wavelane::library
