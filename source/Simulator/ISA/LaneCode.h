//===-- LaneCode.h - a vector instruction as code for lanes -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_ISA_LANECODE_H
#define WAVELANE_SIMULATOR_ISA_LANECODE_H

#include "Trace.h"

#include "llvm/IR/IRBuilder.h"

namespace wavelane::isa {

/// It only folds constants: what numbers are is unknown in a loop that isn't
/// complete.
using Builder = llvm::IRBuilder<>;

/// What all loops of a trace use.
struct LoopHost {
  llvm::Function *F = nullptr;
  llvm::Value *Vectors = nullptr;
  llvm::Value *Env = nullptr;                         ///< a pointer
  llvm::Value *Local = nullptr, *LocalSize = nullptr; ///< a pointer, i32
  llvm::Value *Room = nullptr; ///< for a call's operands, on the stack
  static constexpr unsigned RoomBytes = 512;
};

/// One vector instruction for some lanes. Values are vectors: of i32, i64,
/// float or double, as the operand's Kind says, and of i1 for masks.
struct LaneCode {
  Builder &B;
  const Inst &I;
  const Trace &T;
  const LoopHost &Host;
  llvm::Value *FirstLane; ///< i32
  llvm::Value *Source[5];
  llvm::Value *Carry = nullptr; ///< the mask, beside a result
  llvm::Value *Vcc = nullptr;   ///< with Op::ReadsVcc

  llvm::Type *typeOf(Kind K) const;
  /// The same number in all lanes.
  llvm::Value *all(Kind K, uint64_t N) const;
};
/// The result; for compares, a mask.
using LaneRule = llvm::Value *(*)(LaneCode &);
/// Null if there is none for this mnemonic.
LaneRule findLaneRule(const Inst &I);
/// For tests: the rule that is found for a mnemonic from now on, also if it is
/// wrong; null for the usual one.
void replaceLaneRule(llvm::StringRef Name, LaneRule Rule);

/// A vector instruction that waits for others.
struct Pending {
  struct Source {
    enum { None, Vector, Value, Bits, Segment } Is = None;
    unsigned Reg = 0;         ///< Vector
    llvm::Value *V = nullptr; ///< Value, Bits
    /// PF32: of the upper half.
    unsigned UpperReg = 0;
    llvm::Value *UpperV = nullptr;
    unsigned Number = 0; ///< Segment: the instruction that computes it
  };
  const Inst *I = nullptr;
  LaneRule Rule = nullptr;
  Source Sources[5];
  Source Vcc; ///< with Op::ReadsVcc
  llvm::Value *Exec = nullptr;
  unsigned Dst = 0;
  bool IsNeeded = false; ///< its mask, in a scalar register
  /// A load or store of a row of private memory, from or to as many registers,
  /// which begin at Dst.
  llvm::Value *Row = nullptr;
  unsigned Words = 0;
  bool IsStore = false;
  /// An access of one or two places of local memory, of Words each: at these
  /// offsets to the register Address, from or to the registers Data.
  unsigned Places = 0;
  unsigned Address = 0;
  uint32_t Offset[2] = {};
  unsigned Data[2] = {};

  bool moves() const { return Row || Places; }
  bool hasData(unsigned Reg) const {
    if (Row)
      return Reg - Dst < Words;
    for (unsigned N = 0; N < Places; ++N)
      if (Reg - Data[N] < Words)
        return true;
    return false;
  }
  bool writes(unsigned Reg) const {
    return moves() ? !IsStore && hasData(Reg)
                   : Reg - Dst < dwordsOf(I->O->Result);
  }
  bool reads(unsigned Reg) const {
    if (moves())
      return (IsStore && hasData(Reg)) || (Places && Reg == Address);
    for (unsigned N = 0; N < I->NumSrc; ++N)
      if (const Source &S = Sources[N];
          S.Is == Source::Vector &&
          (I->O->Args[N] == Kind::PF32 ? Reg == S.Reg || Reg == S.UpperReg
                                       : Reg - S.Reg < dwordsOf(I->O->Args[N])))
        return true;
    return false;
  }
};

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_LANECODE_H
