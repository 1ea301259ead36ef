//===-- ExecutingLanes.cpp - which lanes really execute -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/ExecutingLanes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <string>

namespace wavelane::gpu {

using llvm::StringRef;

namespace {
/// Follows EXEC through the instructions of a function, in their order. A
/// section with other lanes is within a basic block.
class Follower {
public:
  explicit Follower(const MachineCode &Code) : Code(Code) {}

  const ExecutingMask &mask() const { return Mask; }

  void execute(const llvm::MCInst &Inst) {
    const InstructionFacts &Facts = Code.facts(Inst);
    if (Facts.Flow != ControlFlow::Next)
      return restore();
    if (Code.writesExec(Inst))
      return writeExec(Inst, Facts);
    const bool Copies = Facts.Move == MoveKind::Scalar && isExec(Inst, 1);
    forEachWritten(Inst, [&](unsigned Register) {
      if (Saved && Code.registers().regsOverlap(Register, Saved))
        restore(); // The mask is lost: it wasn't one to come back to.
      if (Copy && Code.registers().regsOverlap(Register, Copy))
        Copy = 0;
    });
    if (Copies && Mask.isInExec())
      Copy = Inst.getOperand(0).getReg();
  }

  /// The bytes aren't an instruction.
  void restore() {
    Mask = ExecutingMask();
    Saved = Copy = 0;
  }

private:
  void writeExec(const llvm::MCInst &Inst, const InstructionFacts &Facts) {
    const bool Saves = Facts.SavesExec &&
                       (Facts.Logic == LogicOperation::Or ||
                        Facts.Logic == LogicOperation::Xor) &&
                       isOnes(Inst, 1);
    const bool AllOn = Facts.Move == MoveKind::Scalar && isOnes(Inst, 1);
    if (!Mask.isInExec() && (Saves || AllOn))
      return; // From some lanes on to others.
    if (Facts.Logic == LogicOperation::Not && isExec(Inst, 1)) {
      // "Set inactive": the inverse, and later its inverse.
      if (Mask.Where == ExecutingMask::InverseOfExec)
        return restore();
      if (Mask.isInExec())
        Mask.Where = ExecutingMask::InverseOfExec;
      Copy = 0;
      return;
    }
    if (Saves)
      return save(Inst.getOperand(0).getReg());
    if (AllOn && Copy)
      return save(Copy);
    restore();
  }

  void save(unsigned Register) {
    StringRef Name = Code.registers().getName(Register);
    restore();
    if (Name.starts_with("VCC")) {
      Mask.Where = ExecutingMask::InVcc;
    } else {
      unsigned Number;
      if (!Name.consume_front("SGPR") || Name.consumeInteger(10, Number))
        return;
      Mask.Where = ExecutingMask::InScalar;
      Mask.Number = Number;
    }
    Saved = Register;
  }

  bool isExecRegister(unsigned Register) const {
    return StringRef(Code.registers().getName(Register)).starts_with("EXEC");
  }
  bool isExec(const llvm::MCInst &Inst, unsigned Operand) const {
    return Operand < Inst.getNumOperands() &&
           Inst.getOperand(Operand).isReg() &&
           Inst.getOperand(Operand).getReg() &&
           isExecRegister(Inst.getOperand(Operand).getReg());
  }
  static bool isOnes(const llvm::MCInst &Inst, unsigned Operand) {
    return Operand < Inst.getNumOperands() &&
           Inst.getOperand(Operand).isImm() &&
           int32_t(Inst.getOperand(Operand).getImm()) == -1;
  }

  void forEachWritten(const llvm::MCInst &Inst,
                      llvm::function_ref<void(unsigned)> Do) const {
    const llvm::MCInstrDesc &Description =
        Code.instructions().get(Inst.getOpcode());
    for (unsigned I = 0; I < Description.getNumDefs() && I < Inst.size(); ++I)
      if (Inst.getOperand(I).isReg() && Inst.getOperand(I).getReg())
        Do(Inst.getOperand(I).getReg());
    for (unsigned Register : Description.implicit_defs())
      Do(Register);
  }

  const MachineCode &Code;
  ExecutingMask Mask;
  /// The registers with the mask; 0: none.
  unsigned Saved = 0;
  /// Registers that hold a copy of EXEC; 0: none.
  unsigned Copy = 0;
};
} // namespace

uint64_t ExecutingMask::get(
    uint64_t Exec, unsigned Lanes,
    llvm::function_ref<std::optional<uint64_t>(StringRef)> Read) const {
  const uint64_t All = Lanes < 64 ? (uint64_t(1) << Lanes) - 1 : ~uint64_t(0);
  if (Where == InExec)
    return Exec & All;
  if (Where == InverseOfExec)
    return ~Exec & All;
  if (Where == InVcc)
    return Read("vcc").value_or(Exec) & All;
  uint64_t Mask = 0;
  for (unsigned Half = 0; Half * 32 < Lanes; ++Half) {
    const std::optional<uint64_t> Value =
        Read("s" + std::to_string(Number + Half));
    if (!Value)
      return Exec & All;
    Mask |= uint64_t(uint32_t(*Value)) << 32 * Half;
  }
  return Mask & All;
}

ExecutingLanes::ExecutingLanes(const MachineCode &Code, uint64_t Start,
                               llvm::ArrayRef<uint8_t> Bytes) {
  Follower Path(Code);
  for (uint64_t Address = Start; !Bytes.empty();) {
    llvm::MCInst Inst;
    uint64_t Size = 0;
    const ExecutingMask Before = Path.mask();
    if (Code.decode(Inst, Size, Bytes, Address) != llvm::MCDisassembler::Fail)
      Path.execute(Inst);
    else
      Path.restore();
    if (!Size)
      break;
    Address += Size;
    Bytes = Bytes.drop_front(std::min<size_t>(Size, Bytes.size()));
    if (!(Path.mask() == Before))
      Changes.push_back({Address, Path.mask()});
  }
}

ExecutingMask ExecutingLanes::get(uint64_t Address) const {
  auto Next =
      llvm::upper_bound(Changes, Address, [](uint64_t A, const Change &C) {
        return A < C.Address;
      });
  return Next == Changes.begin() ? ExecutingMask() : std::prev(Next)->Mask;
}

} // namespace wavelane::gpu
