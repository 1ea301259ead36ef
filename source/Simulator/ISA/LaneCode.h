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

/// One vector instruction for some lanes. Values are vectors: of i32, i64,
/// float or double, as the operand's Kind says, and of i1 for masks.
struct LaneCode {
  Builder &B;
  const Inst &I;
  const Trace &T;
  llvm::Value *FirstLane; ///< i32
  llvm::Value *Source[5];
  llvm::Value *Carry = nullptr; ///< the mask, beside a result

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
    unsigned Number = 0;      ///< Segment: the instruction that computes it
  };
  const Inst *I = nullptr;
  LaneRule Rule = nullptr;
  Source Sources[5];
  llvm::Value *Exec = nullptr;
  unsigned Dst = 0;
  bool IsNeeded = false; ///< its mask, in a scalar register
  /// A load or store of a row of private memory, from or to as many registers,
  /// which begin at Dst.
  llvm::Value *Row = nullptr;
  unsigned Words = 0;
  bool IsStore = false;

  bool writes(unsigned Reg) const {
    return Reg - Dst < (Row ? IsStore ? 0 : Words : dwordsOf(I->O->Result));
  }
  bool reads(unsigned Reg) const {
    if (Row)
      return IsStore && Reg - Dst < Words;
    for (unsigned N = 0; N < I->NumSrc; ++N)
      if (Sources[N].Is == Source::Vector &&
          Reg - Sources[N].Reg < dwordsOf(I->O->Args[N]))
        return true;
    return false;
  }
};

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_LANECODE_H
