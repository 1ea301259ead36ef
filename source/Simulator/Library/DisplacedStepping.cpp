//===-- DisplacedStepping.cpp - Steps over breakpoints --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DisplacedStepping.h"
#include "WaveState.h"
#include <cstring>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::library {

using Flow = Instruction::Flow;
using Condition = Instruction::Condition;

/// Whether the pairs of SGPRs that an instruction names are there.
static bool namesOwnRegisters(const Instruction &instruction, unsigned sgprs) {
  auto isThere = [&](unsigned pair) {
    return pair == PairVcc || pair + 2 <= sgprs;
  };
  const bool reads = instruction.flow == Flow::IndirectBranch ||
                     instruction.flow == Flow::IndirectCall;
  const bool writes = instruction.flow == Flow::DirectCall ||
                      instruction.flow == Flow::IndirectCall ||
                      instruction.flow == Flow::GetPC;
  return (!reads || isThere(instruction.source)) &&
         (!writes || isThere(instruction.destination));
}

std::optional<Instruction> DisplacedStepping::readInstruction(Wave &wave,
                                                              const void *saved,
                                                              uint8_t *bytes,
                                                              Status &status) {
  const ArchitectureInfo &info = archOf(wave);
  const uint64_t from = registers.pc(wave);
  uint64_t size = info.largestInstruction;
  // The instruction may be the last of its memory.
  while (size > 4 && memory.readAll(from, bytes, size) != Success)
    size -= 4;
  if (size == 4)
    if ((status = memory.readAll(from, bytes, size)))
      return std::nullopt;
  memcpy(bytes, saved, 4);
  InstructionDecoder *decoder = InstructionDecoder::get(*info.arch);
  std::optional<Instruction> instruction;
  if (decoder)
    instruction = decoder->decode(from, ArrayRef(bytes, size), false);
  if (!instruction || instruction->flow == Flow::Other ||
      instruction->size + 4 > DisplacedBytes) {
    status = AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    return std::nullopt;
  }
  return instruction;
}

Status DisplacedStepping::useBuffer(Wave &wave, DisplacedStep &step,
                                    uint8_t *bytes, uint64_t size) {
  Queue &queue = *wave.queue;
  unsigned slot = 0;
  while (slot < queue.buffersUsed.size() && queue.buffersUsed[slot])
    ++slot;
  if (slot == queue.buffersUsed.size())
    return AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_BUFFER_NOT_AVAILABLE;
  step.slot = slot;
  step.buffer = queue.debuggerMemory + uint64_t(slot) * DisplacedBytes;
  memcpy(bytes + size, &archOf(wave).breakpoint, 4);
  if (Status status = memory.writeAll(step.buffer, bytes, size + 4))
    return status;
  if (Status status = registers.setPC(wave, step.buffer))
    return status;
  queue.buffersUsed[slot] = true;
  return Success;
}

Status DisplacedStepping::start(Wave &wave, const void *saved,
                                uint64_t &stepId) {
  uint8_t bytes[DisplacedBytes] = {};
  Status status = Success;
  std::optional<Instruction> instruction =
      readInstruction(wave, saved, bytes, status);
  if (!instruction)
    return status;
  auto step = std::make_unique<DisplacedStep>();
  step->wave = wave.id;
  step->from = registers.pc(wave);
  if (instruction->flow == Flow::Sequential) {
    if ((status = useBuffer(wave, *step, bytes, instruction->size)))
      return status;
  } else {
    if (!namesOwnRegisters(*instruction, wave.record.shape.sgprs))
      return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    step->simulate = *instruction;
  }
  step->id = stepId = library().newId(Library::StepId);
  wave.displaced = step.get();
  objects.steps[stepId] = std::move(step);
  return Success;
}

std::optional<uint64_t>
DisplacedStepping::placeOf(const Wave &wave, const DisplacedStep &step) const {
  const uint64_t at = registers.pc(wave);
  if (!step.buffer || at < step.buffer || at >= step.buffer + DisplacedBytes)
    return std::nullopt;
  return step.from + (at - step.buffer);
}

Status DisplacedStepping::complete(Wave &wave, DisplacedStep &step) {
  if (std::optional<uint64_t> at = placeOf(wave, step))
    if (Status status = registers.setPC(wave, *at))
      return status;
  if (step.buffer)
    wave.queue->buffersUsed[step.slot] = false;
  wave.displaced = nullptr;
  objects.steps.erase(step.id);
  return Success;
}

Status DisplacedStepping::isTaken(Wave &wave, const Instruction &instruction,
                                  bool &taken) {
  uint64_t vcc = 0;
  if (Status status = registers.readPair(wave, PairVcc, vcc))
    return status;
  if (wave.record.shape.lanes == 32)
    vcc = uint32_t(vcc);
  const bool scc = hasStatePriv(archOf(wave))
                       ? registers.hw(wave, HwReg::StatePriv) >> 9 & 1
                       : registers.hw(wave, HwReg::Status) & 1;
  switch (instruction.condition) {
  case Condition::Scc0:
    taken = !scc;
    break;
  case Condition::Scc1:
    taken = scc;
    break;
  case Condition::VccZ:
    taken = vcc == 0;
    break;
  case Condition::VccNZ:
    taken = vcc != 0;
    break;
  case Condition::ExecZ:
    taken = registers.exec(wave) == 0;
    break;
  case Condition::ExecNZ:
    taken = registers.exec(wave) != 0;
    break;
  default:
    taken = false;
    break;
  }
  return Success;
}

Status DisplacedStepping::simulate(Wave &wave) {
  const Instruction instruction = *wave.displaced->simulate;
  const uint64_t next = wave.displaced->from + instruction.size;
  uint64_t target = next;
  Status status = Success;
  switch (instruction.flow) {
  case Flow::Branch:
    target = instruction.target;
    break;
  case Flow::ConditionalBranch: {
    bool taken = false;
    status = isTaken(wave, instruction, taken);
    if (taken)
      target = instruction.target;
    break;
  }
  case Flow::IndirectBranch:
    status = registers.readPair(wave, instruction.source, target);
    break;
  case Flow::DirectCall:
    target = instruction.target;
    status = registers.writePair(wave, instruction.destination, next);
    break;
  case Flow::IndirectCall:
    status = registers.readPair(wave, instruction.source, target);
    if (!status)
      status = registers.writePair(wave, instruction.destination, next);
    break;
  case Flow::GetPC:
    status = registers.writePair(wave, instruction.destination, next);
    break;
  default:
    return Fatal;
  }
  return status ? status : registers.setPC(wave, target & ~uint64_t(3));
}

} // namespace wavelane::library
