//===-- LaneSymbols.h - what a reader of lanes' DWARF has -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LANESYMBOLS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LANESYMBOLS_H

#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"

namespace lldb_private {
namespace wavelane {
struct ArrayExtent;
class DynamicArrays;
class LocalMemory;
struct MissingCopies;
class SourceValues;

/// A symbol file with lanes, as its parts and the evaluation of its expressions
/// see it.
class LaneSymbols : public plugin::dwarf::SymbolFileDWARF {
public:
  using SymbolFileDWARF::SymbolFileDWARF;

  /// Keeps the places of lines where breakpoints stop: one in each copy.
  virtual void
  ChooseLinePlaces(llvm::SmallVectorImpl<SymbolContext> &places) = 0;
  /// Which copy of its line is at \a address, where a breakpoint is; empty if
  /// there is only one.
  virtual std::string GetLineNote(const Address &address) = 0;
  /// \param place  A breakpoint's, with its function, block and line.
  virtual std::optional<MissingCopies>
  FindMissingCopies(const SymbolContext &place) = 0;
  /// As SourceValues::CompareLines.
  virtual std::optional<std::string> CompareLines(CompileUnit &comp_unit,
                                                  const FileSpec &file,
                                                  uint32_t from,
                                                  uint32_t to) = 0;

  /// Whether clang's array type \a type is one of those whose elements
  /// MeasureArray finds.
  virtual bool HasFrameArray(const void *type) const = 0;
  /// The outermost dimension of an array in a frame.
  virtual llvm::Expected<ArrayExtent>
  MeasureArray(const void *type, const ExecutionContext *exe_ctx) = 0;

  /// An array without bound whose elements GetDynamicArrayInfoForUID counts.
  virtual CompilerType MakeDynamicArrayType(TypeSystemClang &ast,
                                            const CompilerType &element,
                                            lldb::user_id_t uid) = 0;
  /// A type for objects that can't be shown.
  virtual lldb::TypeSP MakeUnknownType(lldb::user_id_t uid) = 0;
  virtual const DynamicArrays &GetDynamicArrays() const = 0;

  /// The places of the __shared__ variables of \a unit.
  virtual const LocalMemory &
  GetLocalMemory(plugin::dwarf::DWARFUnit &unit) const = 0;

  virtual SourceValues &GetSourceValues() = 0;
  /// LLDB takes the unit's language for C.
  virtual bool IsFortran(CompileUnit &comp_unit) = 0;
  /// Whether a variable's value may be from elsewhere than its own location.
  virtual bool HasFilledGaps(lldb::user_id_t uid) const = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
