//===-- Evaluator.h - DWARF expressions -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LOCATION_EVALUATOR_H
#define WAVELANE_LOCATION_EVALUATOR_H

#include "Context.h"
#include "Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace wavelane::location {

/// A stack entry: a value or a location.
struct Entry {
  bool IsValue = false;
  location::Value Value;
  location::Location Location;
  /// The value is a whole implicit pointer, whose pointee Location says.
  bool IsImplicitPointer = false;

  Entry() = default;
  Entry(location::Value V) : IsValue(true), Value(V) {}
  Entry(location::Location L) : Location(std::move(L)) {}
  std::string describe(Context *C = nullptr) const;
};

enum class ResultKind {
  Any,      ///< The top entry, unconverted.
  Value,    ///< For counts, bounds and sizes.
  Location, ///< For DW_AT_location and similar attributes.
};

enum class Dialect {
  /// Accepted DWARF 6 rules, lenient if DWARF 5 or the AMD text allows more.
  Default,
  /// The AMD text to the letter.
  AMD,
  /// Accepted DWARF 6 rules to the letter.
  Strict,
};

/// Upstream clang's interpretation of its expressions for AMD GPUs, which
/// differs from their meaning in DWARF: an ending `constant; swap; xderef` is a
/// location in an address space, and a vector register represents one lane's
/// element.
struct UpstreamMapping {
  bool Enabled = false;
  /// clang up to 21 calls private memory 1 and local memory 2; later ones use
  /// the GPU's numbers.
  bool OldNumbers = true;
};

/// The remaining limits of an evaluation, shared with nested evaluations.
struct EvaluationBudget {
  unsigned Steps;
  unsigned Parts;
};

struct EvaluationOptions {
  location::Dialect Dialect = location::Dialect::Default;
  UpstreamMapping Upstream;
  /// Accepts expressions that compilers write although no text allows them: a
  /// generic operand, such as LLVM's constants, takes the other operand's type,
  /// and a constant that is smaller than its part of a composite is
  /// zero-extended.
  bool IsLenient = false;
  DecodeOptions Decode;
  unsigned MaxSteps = 100000;
  unsigned MaxStack = 1024;
  unsigned MaxDepth = 64; ///< The depth of calls, entry values and implicit
                          ///< pointers.
  /// The parts of all composites created or copied in an evaluation.
  unsigned MaxParts = 1 << 16;
  /// The maximum size in bytes of a single read.
  static constexpr unsigned MaxRead = 256;
  /// Set by an evaluation for its nested ones; callers leave it null.
  EvaluationBudget *Budget = nullptr;
};

/// Called after each operation, with the stack, to trace an evaluation.
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
/// that matches contributes; the default entry applies if no other does;
/// without a match, the location is undefined.
llvm::Expected<Location>
evaluateLocationList(llvm::ArrayRef<LocationListEntry> List, Context &C,
                     const EvaluationOptions &Options = {});

/// Evaluates DW_AT_frame_base: a register location means memory at the
/// register's contents.
llvm::Expected<Location>
evaluateFrameBase(llvm::ArrayRef<uint8_t> Expression, Context &C,
                  const EvaluationOptions &Options = {});

/// The location of an entry, from its DW_AT_location or DW_AT_const_value.
/// \param Options  The options of the evaluation that needs it.
llvm::Expected<Location> evaluateDie(const DieLocation &Die, Context &C,
                                     const EvaluationOptions &Options);

/// Follows an implicit pointer to its object.
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
