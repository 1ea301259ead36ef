//===-- Machine.h - the stack machine ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an expression. Each operation of Operations.def has a function here,
// which finds its operands in the decoded operation and its arguments on the
// stack. A family of operations is a file in Operators/.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SOURCE_LOCATION_MACHINE_H
#define WAVELANE_SOURCE_LOCATION_MACHINE_H

#include "Forming.h"
#include "wavelane/Location/Evaluator.h"
#include "llvm/ADT/BitVector.h"

namespace wavelane::location {

class Machine {
public:
  /// \param O  Has a budget.
  Machine(const EvaluationOptions &O, TraceFunction *Trace)
      : O(O), Budget(*O.Budget), Trace(Trace) {}

  llvm::SmallVector<Entry, 8> Stack;
  /// Runs \a Expression in the context \a In, on the current stack.
  llvm::Error run(llvm::ArrayRef<uint8_t> Expression, Context &In);

private:
  using Function = llvm::Error (Machine::*)(const Operation &);
  /// Indexed by row in Operations.def.
  static const Function Functions[];

  /// A running expression: the requested one, or one that it calls.
  struct Activation {
    Context &C;
    llvm::ArrayRef<uint8_t> Bytes;
    size_t At = 0;
    /// The previous operation, for upstream clang's interpretation.
    Operation Last;
    /// The starts of operations, and the end; computed for the first branch.
    std::optional<llvm::BitVector> Begins;
    DecodeOptions Decode;
  };

  llvm::Error step();
  Context &context() const { return Now->C; }

  //===-- StackOperators.cpp --------------------------------------------===//
  llvm::Error nop(const Operation &Op);
  llvm::Error lit(const Operation &Op);
  llvm::Error constant(const Operation &Op);
  llvm::Error dup(const Operation &Op);
  llvm::Error drop(const Operation &Op);
  llvm::Error over(const Operation &Op);
  llvm::Error pick(const Operation &Op);
  llvm::Error swap(const Operation &Op);
  llvm::Error rot(const Operation &Op);
  llvm::Error skip(const Operation &Op);
  llvm::Error bra(const Operation &Op);

  //===-- ArithmeticOperators.cpp ---------------------------------------===//
  llvm::Error unary(const Operation &Op);
  llvm::Error binary(const Operation &Op);
  llvm::Error shift(const Operation &Op);
  llvm::Error compare(const Operation &Op);
  llvm::Error plusConstant(const Operation &Op);
  llvm::Error constType(const Operation &Op);
  llvm::Error convert(const Operation &Op);
  llvm::Error reinterpret(const Operation &Op);

  //===-- RegisterOperators.cpp -----------------------------------------===//
  llvm::Error reg(const Operation &Op);
  llvm::Error regx(const Operation &Op);
  llvm::Error breg(const Operation &Op);
  llvm::Error bregx(const Operation &Op);
  llvm::Error fbreg(const Operation &Op);
  llvm::Error regvalType(const Operation &Op);
  llvm::Error spaceBregx(const Operation &Op);
  llvm::Error callFrameAddress(const Operation &Op);
  llvm::Error entryRegister(const Operation &Op);
  llvm::Error pushLane(const Operation &Op);
  llvm::Error pushIteration(const Operation &Op);

  //===-- MemoryOperators.cpp -------------------------------------------===//
  llvm::Error addr(const Operation &Op);
  llvm::Error addrx(const Operation &Op);
  llvm::Error constx(const Operation &Op);
  llvm::Error deref(const Operation &Op);
  llvm::Error derefSize(const Operation &Op);
  llvm::Error derefType(const Operation &Op);
  llvm::Error xderef(const Operation &Op);
  llvm::Error xderefSize(const Operation &Op);
  llvm::Error xderefType(const Operation &Op);
  llvm::Error formSpaceAddress(const Operation &Op);
  llvm::Error mem(const Operation &Op);
  llvm::Error formThreadLocal(const Operation &Op);
  llvm::Error pushObject(const Operation &Op);

  //===-- LocationOperators.cpp -----------------------------------------===//
  llvm::Error undefined(const Operation &Op);
  llvm::Error implicitValue(const Operation &Op);
  llvm::Error stackValue(const Operation &Op);
  llvm::Error implicitPointer(const Operation &Op);
  llvm::Error spaceImplicitPointer(const Operation &Op);
  llvm::Error offset(const Operation &Op);
  llvm::Error offsetConstant(const Operation &Op);
  llvm::Error bitOffset(const Operation &Op);
  llvm::Error multiloc(const Operation &Op);

  //===-- CompositeOperators.cpp ----------------------------------------===//
  llvm::Error composite(const Operation &Op);
  llvm::Error piece(const Operation &Op);
  llvm::Error bitPiece(const Operation &Op);
  llvm::Error pieceEnd(const Operation &Op);
  llvm::Error extend(const Operation &Op);
  llvm::Error selectBitPiece(const Operation &Op);

  //===-- OverlayOperators.cpp ------------------------------------------===//
  llvm::Error overlay(const Operation &Op);
  llvm::Error bitOverlay(const Operation &Op);
  llvm::Error llvmOverlay(const Operation &Op);
  llvm::Error llvmBitOverlay(const Operation &Op);
  llvm::Error objectMap(const Operation &Op);

  //===-- CallOperators.cpp ---------------------------------------------===//
  llvm::Error callInUnit(const Operation &Op);
  llvm::Error callInSection(const Operation &Op);
  llvm::Error entryValue(const Operation &Op);
  llvm::Error parameterRef(const Operation &Op);
  llvm::Error variableValue(const Operation &Op);

  //===-- What they have in common ----------------------------------------===//

  Type generic() const {
    return {Type::Generic, uint8_t(context().getAddressSize())};
  }
  /// The base type at \a Die, or the generic one for 0.
  llvm::Expected<Type> getType(uint64_t Die);
  bool isUpstream() const { return O.Upstream.Enabled; }

  // Pushing.
  template <typename T> void push(T &&E) {
    Stack.emplace_back(std::forward<T>(E));
  }
  void pushGeneric(uint64_t V) {
    Entry &E = Stack.emplace_back();
    E.IsValue = true;
    E.Value = Value(generic(), V);
  }
  llvm::Error pushExpected(llvm::Expected<Location> L);
  llvm::Error pushMemory(uint64_t Space, uint64_t Address);
  void pushRegister(uint64_t Number);
  llvm::Error pushComposite(std::shared_ptr<CompositeStorage> Storage,
                            bool IsOpen);

  // Popping.
  llvm::Error need(size_t Count);
  llvm::Expected<Entry> pop();
  llvm::Expected<Value> popValue();
  llvm::Expected<Value> popIntegral();
  llvm::Expected<Location> popLocation();
  /// Pops the number of an existing address space.
  llvm::Expected<uint64_t> popSpace(AddressSpace &Info);

  // Limits.
  llvm::Error useParts(uint64_t Count);
  llvm::Error checkNesting(unsigned Nesting);
  /// Checks that \a L has \a Size more bits, if its size is known.
  llvm::Error checkInside(const Location &L, BitCount Size);
  /// In the AMD text, only pieces may use an incomplete composite.
  llvm::Error checkComplete(const Entry &E);
  static bool isOpen(const Entry &E) {
    return !E.IsValue && !E.IsImplicitPointer &&
           E.Location.Kind == StorageKind::Composite && E.Location.IsOpen;
  }

  // StackOperators.cpp
  llvm::Error copy(uint64_t Index);
  llvm::Error branch(const Operation &Op);
  // ArithmeticOperators.cpp
  llvm::Error combine(const Operation &Op, bool MayAlign);
  // RegisterOperators.cpp
  llvm::Error pushVariableRegister(uint64_t Number, const Operation &Op);
  llvm::Error pushRelative(uint64_t Number, uint64_t Distance);
  llvm::Error pushIndex(std::optional<uint32_t> Current, uint32_t Count,
                        const char *What);
  // MemoryOperators.cpp
  llvm::Error pushFileAddress(uint64_t FileAddress, const Operation &Op);
  llvm::Expected<Entry> read(const Location &L, uint64_t Size, Type T);
  llvm::Error dereference(uint64_t Size, Type T);
  llvm::Error dereferenceSpace(uint64_t Size, Type T);
  llvm::Error dereferenceType(const Operation &Op, bool IsInSpace);
  // LocationOperators.cpp
  llvm::Error moveTop(BitCount Bits);
  llvm::Error moveBy(unsigned Unit);
  // CompositeOperators.cpp
  llvm::Error addPiece(BitCount Size, BitCount Offset);
  llvm::Error fitPart(Location &Part, BitCount Size);
  bool nestsComposites() const;
  llvm::Expected<std::shared_ptr<CompositeStorage>> takeOpenComposite();
  // OverlayOperators.cpp
  struct OverlayOperands {
    Location Base, Over;
    Value Where, Width;
  };
  llvm::Error popOverlay(OverlayOperands &Operands);
  llvm::Error addOverlay(unsigned Unit);
  llvm::Error addLLVMOverlay(unsigned Unit);
  llvm::Expected<Location> makeOverlay(const Location &Base,
                                       const Location &Over, BitCount Begin,
                                       BitCount Size);
  // CallOperators.cpp
  llvm::Error call(DieReference Reference);
  EvaluationOptions nested() const;

  // UpstreamOperators.cpp
  std::optional<uint64_t> matchSpace(size_t At, size_t &End) const;
  llvm::Error upstreamSpace(uint64_t Space, size_t At);
  /// Whether the expression, or a part of a composite, ends at \a At.
  bool endsPart(size_t At) const;
  bool isValueAt(size_t At) const;

  const EvaluationOptions &O;
  EvaluationBudget &Budget;
  TraceFunction *Trace;
  Activation *Now = nullptr;
  unsigned Depth = 0;
  bool HasUsedComposite = false;
};

} // namespace wavelane::location

#endif
