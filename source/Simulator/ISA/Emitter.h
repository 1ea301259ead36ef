//===-- Emitter.h - LLVM's code for a trace -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar registers are values of the function, which are stored before anyone
// else may look: before handlers, and where the trace is left. Vector
// instructions are collected, and then executed together by a loop over a few
// lanes at a time, so that results stay in the host's registers. Every other
// instruction is executed by its handler, as the interpreter does.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_EMITTER_H
#define WAVELANE_SIMULATOR_ISA_EMITTER_H

#include "LaneCode.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace wavelane::isa {

/// Whether \a I writes a mask of lanes to scalar registers: compares, carries.
bool writesMask(const Inst &I);
/// Whether that is also the new EXEC.
bool writesExec(const Inst &I);

class Emitter;
/// \return false if there is no code for this form.
using ScalarRule = bool (*)(Emitter &, const Inst &);
ScalarRule findScalarRule(const Inst &I);

class Emitter {
public:
  Emitter(llvm::Module &M, const Trace &T, const std::string &Name);
  void emit();

  // For the rules of scalar instructions.

  Builder B;
  const Trace &T;
  const Trace::Step *At = nullptr;

  llvm::Value *read32(unsigned Reg);
  llvm::Value *read64(unsigned Reg);
  void write32(unsigned Reg, llvm::Value *V);
  void write64(unsigned Reg, llvm::Value *V);
  llvm::Value *scc(); ///< i1
  void setScc(llvm::Value *Bit);
  llvm::Value *source32(const Operand &S);
  llvm::Value *source64(const Operand &S);
  llvm::Value *source(unsigned N);
  /// A register of a bit for each lane.
  llvm::Value *readMask(unsigned Reg) {
    return T.Lanes == 64 ? read64(Reg) : read32(Reg);
  }
  void writeMask(unsigned Reg, llvm::Value *V) {
    T.Lanes == 64 ? write64(Reg, V) : write32(Reg, V);
  }
  llvm::Value *exec() { return readMask(scalar::ExecLo); }
  llvm::ConstantInt *pc(uint64_t Offset = 0) {
    return B.getInt64(At->PC + Offset);
  }
  /// Leaves the trace, or begins it again.
  /// \param IsBack  By a branch that goes back.
  void leave(llvm::Value *PC, size_t Steps, bool IsBack = false);
  /// Leaves it if \a Taken.
  void leaveIf(llvm::Value *Taken, uint64_t PC, size_t Steps, bool IsBack);

private:
  bool emitScalar(const Inst &I);
  bool emitBranch(const Inst &I, size_t Number);
  bool emitLaneMove(const Inst &I);
  bool loadScalars(const Inst &I, size_t Number);
  bool collect(const Inst &I);
  bool collectDual(const Inst &I);
  bool collectHalf(const Inst &I);
  bool collectLocal(const Inst &I);
  bool hasForm(const Inst &I) const;
  void collectSource(const Inst &I, unsigned N, Pending::Source &S);
  void collectMask(unsigned Reg, Pending::Source &S);
  void makeHost();
  void enterPart(size_t Number);
  void call(const Inst &I, size_t Number);
  void setPCs(const Inst &I);
  void callHandler(const Inst &I, size_t Number);
  void execute(const Inst &I, size_t Number);
  void leaveIfSet(llvm::Value *Flag, size_t Steps, Trace::Exit How);
  void leaveNow(size_t Steps, llvm::Value *PC, Trace::Exit How);
  llvm::Value *addDone(llvm::Value *Steps);
  /// A way out of the trace.
  struct Exit {
    llvm::BasicBlock *From;
    size_t Steps;    ///< executed since the last that was counted
    llvm::Value *PC; ///< where it goes on
    Trace::Exit How;
    bool InPart = false; ///< Machine::LeftAfter is to be set
  };
  void leaveAt(const Exit &E);
  void emitSteps();
  void emitExit();

  // RowRules.cpp.
  bool collectRow(const Inst &I, size_t Number);
  bool canWait(const Inst &I, bool IsBuffer) const;
  llvm::Value *areInSteps(const Inst &I, unsigned Step,
                          llvm::MutableArrayRef<llvm::Value *> V);
  llvm::Value *privateAddress(llvm::Value *Offset);
  llvm::Value *flatRow(const Inst &I, unsigned Size, llvm::Value *&Good,
                       llvm::Value *&Dword);
  void describeBuffer(llvm::ArrayRef<llvm::Value *> D);
  llvm::Value *bufferRow(const Inst &I, unsigned Size, llvm::Value *&Good,
                         llvm::Value *&Dword);
  llvm::Value *globalRow(const Inst &I, bool IsStore, llvm::Value *&Good);
  llvm::Value *quietLanes(llvm::Value *Dword, unsigned Words, bool IsStore,
                          llvm::Value *&Good);
  void noteQuiet(llvm::Value *First, unsigned Words);
  const StraightCode::Row *rowOfPart(size_t Number) const;
  void checkQuiet(const StraightCode::Row &R, llvm::Value *Dword,
                  llvm::Value *Good, llvm::BasicBlock *Quick,
                  llvm::BasicBlock *Slow);
  void callRow(const Inst &I, const StraightCode::Row &R, size_t Number,
               llvm::Value *IsRow, llvm::Value *Dword);
  llvm::Value *lastSpan(size_t Spans, bool IsStore);
  void noteSpan(bool IsStore);
  llvm::Value *rowMemory(llvm::Value *Address, uint64_t Bytes,
                         llvm::Value *Span, uint64_t Alignment,
                         llvm::Value *&Good);
  llvm::Value *privateRoom(unsigned Size);

  /// Executes the collected instructions.
  void flushVectors();
  void flushScalars();
  void flush() {
    flushVectors();
    flushScalars();
  }
  void forgetScalars();
  void needMask(unsigned Reg, unsigned Count);
  void dropMask(unsigned Reg, unsigned Count);
  void split(unsigned Reg);
  llvm::Value *scalarAt(unsigned Reg);
  llvm::Value *field(llvm::Value *Base, ptrdiff_t Offset);
  llvm::Value *pointer(const void *To);
  llvm::BasicBlock *newBlock() {
    return llvm::BasicBlock::Create(B.getContext(), "", F);
  }
  llvm::Value *load64(llvm::Value *Base, ptrdiff_t Offset);
  llvm::Value *laneAt(unsigned Reg, llvm::Value *Lane);

  llvm::Function *F;
  llvm::Value *TheMachine, *Wave, *Vectors, *Done, *Budget, *Limit;
  LoopHost Host;
  llvm::BasicBlock *Head = nullptr, *Out = nullptr;
  std::vector<Exit> Exits;
  const TracePart *Part = nullptr; ///< with observe::Guards

  llvm::Value *Single[scalar::Count + 1] = {};
  llvm::Value *Pair[scalar::Count + 1] = {};
  bool IsDirty[scalar::Count + 1] = {};
  /// Of private memory's sizes and descriptors, what has been computed.
  llvm::DenseMap<unsigned, llvm::Value *> PrivateRooms;
  struct {
    llvm::Value *Words[4] = {}, *IsUsual = nullptr, *Base = nullptr;
  } Descriptor;
  llvm::Value *Scc = nullptr;
  bool IsSccDirty = false;

  llvm::SmallVector<Pending, 32> Collected;
  /// The collected instruction whose mask a scalar register, or a pair, has.
  llvm::DenseMap<unsigned, unsigned> Masks;
};

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_EMITTER_H
