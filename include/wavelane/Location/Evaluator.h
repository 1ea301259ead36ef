//===-- Evaluator.h - DWARF expressions -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LOCATION_EVALUATOR_H
#define WAVELANE_LOCATION_EVALUATOR_H

#include "wavelane/Location/Context.h"
#include "wavelane/Location/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace wavelane::location {

/// A stack entry: a value or a location.
struct Entry {
  bool IsValue = false;
  location::Value Value;
  location::Location Location;
  /// A value that is an implicit pointer, read whole: Location says to what.
  bool IsImplicitPointer = false;

  Entry() = default;
  Entry(location::Value V) : IsValue(true), Value(V) {}
  Entry(location::Location L) : Location(std::move(L)) {}
  std::string describe(Context *C = nullptr) const;
};

enum class ResultKind {
  Any,      ///< The top entry as it is.
  Value,    ///< For attributes that are counts, bounds, sizes.
  Location, ///< For DW_AT_location and its like.
};

enum class Dialect {
  /// Accepted DWARF 6 rules, lenient where DWARF 5 or the AMD text allow more.
  Default,
  /// The AMD text to the letter.
  AMD,
  /// Accepted DWARF 6 rules to the letter.
  Strict,
};

/// What upstream clang means by its expressions for AMD GPUs, which are not
/// what they say: an ending `constant; swap; xderef` is a location in an
/// address space, and a vector register stands for one lane's element.
struct UpstreamMapping {
  bool Enabled = false;
  /// clang up to 21 calls private memory 1 and local memory 2; later ones use
  /// the GPU's numbers.
  bool OldNumbers = true;
};

/// What is left of an evaluation's limits; shared by those that it starts.
struct EvaluationBudget {
  unsigned Steps;
  unsigned Parts;
};

struct EvaluationOptions {
  location::Dialect Dialect = location::Dialect::Default;
  UpstreamMapping Upstream;
  /// Accepts what compilers write though no text allows it. A generic operand,
  /// as LLVM's constants are, has the other operand's type. A part of a
  /// composite may be larger than the constant that it is, which is
  /// zero-extended.
  bool IsLenient = false;
  DecodeOptions Decode;
  unsigned MaxSteps = 100000;
  unsigned MaxStack = 1024;
  unsigned MaxDepth = 64; ///< Of calls, entry values and implicit pointers.
  /// Of composites, all that are made or copied in an evaluation.
  unsigned MaxParts = 1 << 16;
  /// Bytes that one operation reads.
  static constexpr unsigned MaxRead = 256;
  /// Set by an evaluation for those that it starts; callers leave it null.
  EvaluationBudget *Budget = nullptr;
};

/// Called after each operation (with the stack) for people who wonder.
using TraceFunction =
    llvm::function_ref<void(const Operation &, llvm::ArrayRef<Entry> Stack)>;

/// Evaluates \a Expression.
/// \param Initial  Entries pushed first, bottom first.
llvm::Expected<Entry> evaluate(llvm::ArrayRef<uint8_t> Expression, Context &C,
                               ResultKind Kind,
                               const EvaluationOptions &Options = {},
                               llvm::ArrayRef<Entry> Initial = {},
                               TraceFunction *Trace = nullptr);

/// Evaluates a location list at the context's program location: every entry
/// that matches contributes; the default entry counts if no other does; without
/// a match the location is undefined.
llvm::Expected<Location>
evaluateLocationList(llvm::ArrayRef<LocationListEntry> List, Context &C,
                     const EvaluationOptions &Options = {});

/// The frame base by DW_AT_frame_base: a register location stands for memory at
/// the register's contents.
llvm::Expected<Location>
evaluateFrameBase(llvm::ArrayRef<uint8_t> Expression, Context &C,
                  const EvaluationOptions &Options = {});

/// Where an entry is, by its DW_AT_location or as its DW_AT_const_value.
/// \param Options  Of the evaluation that needs it.
llvm::Expected<Location> evaluateDie(const DieLocation &Die, Context &C,
                                     const EvaluationOptions &Options);

/// Follows an implicit pointer to what it points to.
llvm::Expected<Location>
followImplicitPointer(const Location &Pointer, Context &C,
                      const EvaluationOptions &Options = {});

/// The implicit conversions between values and locations (2.3 of the reference:
/// a generic value is memory of space 0, and back).
llvm::Expected<Location> toLocation(const Entry &E, Context &C,
                                    const EvaluationOptions &Options = {});
llvm::Expected<Value> toValue(const Entry &E, Context &C);

} // namespace wavelane::location

#endif
