//===-- LaneLoop.h - several vector instructions in one loop --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_ISA_LANELOOP_H
#define WAVELANE_SIMULATOR_ISA_LANELOOP_H

#include "LaneCode.h"

#include "llvm/ADT/MapVector.h"

namespace wavelane::isa {

/// Executes vector instructions for the host's vector of lanes, then for the
/// next lanes. No lane depends on another one.
class LaneLoop {
public:
  static constexpr unsigned Width = 8;

  LaneLoop(Builder &B, const Trace &T, llvm::ArrayRef<Pending> Code,
           const LoopHost &Host)
      : B(B), T(T), Code(Code), Host(Host), F(Host.F) {}
  void emit();
  /// The same, without a form of its own for all lanes: where it seldom runs.
  void emitLoop();
  /// After emit(): the mask that an instruction with Pending::IsNeeded has
  /// computed.
  llvm::Value *mask(unsigned Number) const { return Results.lookup(Number); }

private:
  /// A vector register's lanes.
  struct Lanes {
    llvm::Value *V = nullptr;
    llvm::Value *Active = nullptr; ///< where V is valid; null: everywhere
    llvm::Value *Exec = nullptr;   ///< what Active was made from
    bool IsChanged = false;
  };

  void execute(unsigned Number);
  llvm::Value *operand(const Pending &P, unsigned N);
  llvm::Value *modified(llvm::Value *V, const Operand &S, Kind K);
  llvm::Value *mask(const Pending::Source &S);
  llvm::Value *floats(llvm::Value *V, bool Negates);
  void executePair(const Pending &P, LaneCode &C);
  void moveRow(const Pending &P);
  void moveLocal(const Pending &P);
  using Values = llvm::SmallVector<llvm::Value *, 4>;
  Values loadLocal(llvm::Value *Address, unsigned Words);
  void storeLocal(const Pending &P, llvm::Value *Address,
                  llvm::ArrayRef<llvm::Value *> Data);
  llvm::Value *all(llvm::Value *Bits);
  llvm::Value *isInSteps(llvm::Value *Address, llvm::Value *First,
                         unsigned Step);
  llvm::Value *localFits(llvm::Value *First, unsigned Bytes);
  llvm::Value *localAt(llvm::Value *Offset);
  void writePair(const Pending &P, llvm::Value *Low, llvm::Value *High);
  llvm::Value *address(unsigned Reg);
  llvm::Value *load(unsigned Reg);
  llvm::Value *read(unsigned Reg, llvm::Value *Exec);
  void write(unsigned Reg, llvm::Value *V, llvm::Value *Exec);
  /// Makes all lanes valid.
  void complete(unsigned Reg, Lanes &L);
  /// EXEC as a vector; null if all lanes are active.
  llvm::Value *active(llvm::Value *Exec);
  llvm::Value *bits(llvm::Value *Mask);
  llvm::FixedVectorType *vector(llvm::Type *T) const {
    return llvm::FixedVectorType::get(T, Width);
  }
  llvm::BasicBlock *newBlock() const {
    return llvm::BasicBlock::Create(B.getContext(), "", F);
  }

  Builder &B;
  const Trace &T;
  llvm::ArrayRef<Pending> Code;
  const LoopHost &Host;
  llvm::Function *F;
  llvm::Value *AllActive = nullptr; ///< an EXEC that is known to be all ones
  llvm::Value *Index = nullptr, *FirstLane = nullptr; ///< i64, i32
  llvm::MapVector<unsigned, Lanes> Registers;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Actives, Bits;
  llvm::DenseMap<unsigned, llvm::Value *> Masks; ///< i1, of active lanes
  llvm::DenseMap<unsigned, llvm::Value *> Results;
};

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_LANELOOP_H
