//===-- MissingLocations.h - variables that have no location ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At -O2 a variable has no location in much of its function. The gaps of its
// location list are filled with expressions of our own, which LLDB never
// evaluates. For a kernel's parameter, they locate the argument in the
// dispatch's segment, which still exists. For other variables, a register may
// have kept the value (KeptRegisters.h), or it follows from the declaration, or
// from the call (SourceValues.h); otherwise, they say where these were last
// seen.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_MISSINGLOCATIONS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_MISSINGLOCATIONS_H

#include "Core/Lane/FrameFacts.h"
#include "Core/Lane/Provenance.h"
#include "KernelArguments.h"
#include "SourceValues.h"
#include "lldb/Expression/DWARFExpressionList.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace lldb_private {
namespace plugin::dwarf {
class SymbolFileDWARF;
}
namespace wavelane {
class KeptRegisters;
class LaneSymbols;

/// Of a variable that has no location anywhere.
inline constexpr char kOptimizedOut[] =
    "optimized out in the whole function; code compiled with -O0 keeps it";

/// The replacement for a gap of a location list.
struct MissingLocation {
  enum class Kind : uint8_t {
    eLastSeen,  ///< the location before the gap holds at \a number
    eFirstSeen, ///< no location before the gap; the next one holds at \a number
    eFirstValue, ///< only a first value is known, which may be an old one
    eAmbiguous,  ///< the value, or its address, is in a register
    eOther,      ///< the location is of something else
    eUnordered,  ///< its values are in another order than the program's
    eArgument    ///< a value from elsewhere, which ReadArgument reads
  };
  /// Where a value is from.
  enum class Source : uint8_t {
    eKernel,      ///< a kernel's argument, at the offset \a number
    eDeclaration, ///< its declaration (SourceValues.h)
    eKept,        ///< the location has the value that it had at \a number; 0
                  ///< if that isn't known
    eCall,        ///< what the function's caller passes (SourceValues.h)
    eChecked      ///< the location, unless the source proves another value
  };
  Kind kind = Kind::eLastSeen;
  Source source = Source::eKernel;
  /// A file address, an offset in bytes, or, of a first value, its line if it
  /// isn't the declaration. For a value from the source, the
  /// address where it was last seen; 0 for nowhere.
  uint64_t number = 0;
  /// The size of an argument, or of a kept variable, in bytes. For a value from
  /// the source, whether \a number is where it was first seen instead.
  uint64_t size = 0;
  /// The variable's identifier, if it has a value.
  uint64_t variable = 0;
  /// The location that held at \a number, or that is checked.
  std::vector<uint8_t> kept = {};

  std::vector<uint8_t> Encode() const;
  /// \return nullopt for any other expression.
  static std::optional<MissingLocation> Decode(llvm::ArrayRef<uint8_t> bytes);

  /// "optimized out here; last seen at line 12".
  /// \param[in] frame  The variable's; may be null.
  std::string Describe(Module &module, StackFrame *frame) const;
  /// Where a value is from: "the kernel's argument".
  /// \param[in] frame  The variable's; may be null.
  std::string GetSource(Module &module, StackFrame *frame) const;
  /// \return nullopt if there is no value.
  std::optional<Provenance> GetProvenance(Module &module,
                                          StackFrame *frame) const;
  /// The value as a DW_OP_implicit_value expression, which is read-only: the
  /// wave wouldn't see a change. A checked location, if it is right.
  llvm::Expected<DataExtractor> ReadArgument(const FrameFacts &facts) const;

private:
  using Bytes = std::vector<uint8_t>;

  llvm::Expected<DataExtractor> ReadSegment(const FrameFacts &facts) const;
  llvm::Expected<DataExtractor> ReadKept(const FrameFacts &facts) const;
  llvm::Expected<DataExtractor> Compute(const FrameFacts &facts) const;
  /// The bytes at the location \a kept.
  llvm::Expected<Bytes> ReadLocation(const FrameFacts &facts) const;
  /// What the source proves.
  std::optional<SourceValues::ProvenValue> FindProven(StackFrame *frame) const;
  /// What it proves, unless a checked location has the same value.
  std::optional<SourceValues::ProvenValue>
  FindOtherValue(const FrameFacts &facts) const;
};

/// \return Null if the function's code can't be read, or is in several parts.
std::unique_ptr<KeptRegisters>
ReadKeptRegisters(plugin::dwarf::SymbolFileDWARF &symbols, Function &function);

/// Fills the gaps in the location lists of a GPU function's variables.
/// \param[in] arguments A kernel's arguments; null for other functions.
/// \param[in,out] filled Receives the variables whose values may be from
///     elsewhere than their own locations.
void FillMissingLocations(plugin::dwarf::SymbolFileDWARF &symbols,
                          Function &function, const KernelArguments *arguments,
                          std::set<lldb::user_id_t> &filled);

/// Where a variable's value is from, if it isn't from its own location.
std::optional<Provenance> FindFilledValue(const LaneSymbols &symbols,
                                          ValueObject &variable);

/// Whether the debug information allows two readings of where a frame's
/// variable is.
bool IsAmbiguous(ValueObject &variable);

/// The location that the compiler emitted.
/// \return nullopt for one that fills a gap.
std::optional<DataExtractor> GetEmittedLocation(const DataExtractor &data);

/// The locations that the compiler emitted.
DWARFExpressionList WithoutMissingLocations(const DWARFExpressionList &list,
                                            Function &function);

/// A summary that marks a variable whose value isn't from its own location,
/// because the program may have assigned another one since.
/// \return \a found for other objects.
lldb::TypeSummaryImplSP
MarkMissingLocation(ValueObject &object, const lldb::TypeSummaryImplSP &found);

} // namespace wavelane
} // namespace lldb_private

#endif
