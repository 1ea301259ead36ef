//===-- SourceValues.h - values that follow from the source -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable that the compiler dropped may have an initializer of which all
// parts still exist: `const int row = blockIdx.y * 16 + threadIdx.y;`. It has
// that value if clang's syntax tree proves that nothing else writes it. In the
// same way, a parameter has the value that its call passes.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SOURCEVALUES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SOURCEVALUES_H

#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "lldb/Utility/FileSpec.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "wavelane/SourceFacts/Program.h"
#include "wavelane/SourceFacts/Regions.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace plugin::dwarf {
class DWARFUnit;
} // namespace plugin::dwarf
namespace wavelane {
class LaneSymbols;

/// Computes variables of a GPU's functions from their declarations, and
/// parameters from their calls. A unit's source is parsed once, when the first
/// of its dropped variables is looked at. Thread-safe.
class SourceValues {
public:
  explicit SourceValues(LaneSymbols &symbols) : m_symbols(symbols) {}

  /// The bytes of a variable of \a block in \a frame, for its focus lane.
  /// \return nullopt if the source doesn't say, or hasn't been executed.
  std::optional<std::vector<uint8_t>> Compute(Variable &variable, Block &block,
                                              StackFrame &frame);

  /// A value that the source proves.
  struct ProvenValue {
    std::vector<uint8_t> bytes;
    /// The line of its assignment; 0 for the variable's declaration.
    unsigned line = 0;
  };
  /// As Compute, and for a variable that is assigned to more than once.
  std::optional<ProvenValue> FindValue(Variable &variable, Block &block,
                                       StackFrame &frame);
  /// Whether there is a line at which FindValue may know a variable of a size.
  bool MayFind(Variable &variable);

  /// What FindValue computes at a line of the variable's function.
  /// \return Null if it knows nothing there.
  const ::wavelane::source::Expression *
  FindExpression(Variable &variable, const FileSpec &file, unsigned line);
  /// The value of an assignment that an expression for \a variable reads.
  /// \return Null if it isn't known.
  const ::wavelane::source::Expression *
  FindRead(Variable &variable, const ::wavelane::source::Expression &leaf);
  /// Whether nothing writes the variable that such an expression reads.
  bool IsKept(Variable &variable, const ::wavelane::source::Expression &leaf);

  /// The line at which a variable gets the value that the source gives it.
  /// \return 0 if \a frame is behind it, or the source doesn't say.
  unsigned GetComingLine(Variable &variable, StackFrame &frame);

  /// The bytes of a parameter of the function of \a frame, as its caller's
  /// source passes it.
  /// \return nullopt if the source doesn't say.
  std::optional<std::vector<uint8_t>> ComputeArgument(Variable &parameter,
                                                      StackFrame &frame);

  /// What is known of the function that \a die is in, or is.
  /// \return Null for nothing.
  const ::wavelane::source::Function *FindFunction(plugin::dwarf::DWARFDIE die);
  /// Whether the source declares a variable as `__shared__`.
  bool IsShared(const plugin::dwarf::DWARFDIE &variable);

  /// The assignments to a variable, and the function that they are in.
  struct Assigned {
    const ::wavelane::source::AssignedVariable *variable = nullptr;
    const ::wavelane::source::Function *function = nullptr;
  };
  /// \return Null if the source says nothing, or has only one.
  Assigned FindAssigned(Variable &variable);

  /// The function of a parameter that has what was passed everywhere.
  /// \return Null if the source doesn't say so.
  const ::wavelane::source::Function *FindPassing(Variable &parameter);

  /// Where another line of a file of the unit is, if it isn't executed
  /// whenever a line is: "in the 'else' of line 12". Empty if it is.
  /// \return nullopt if the source says nothing.
  std::optional<std::string> CompareLines(CompileUnit &comp_unit,
                                          plugin::dwarf::DWARFUnit &unit,
                                          const FileSpec &file, uint32_t from,
                                          uint32_t to);

  /// As source::Regions::isDueInRound, for lines of a file of the unit.
  bool IsDueInRound(CompileUnit &comp_unit, plugin::dwarf::DWARFUnit &unit,
                    const FileSpec &file, uint32_t from, uint32_t to);

  /// The branches and loops of the unit's source.
  /// \return Null if it can't be read.
  const ::wavelane::source::Regions *GetRegions(CompileUnit &comp_unit,
                                                plugin::dwarf::DWARFUnit &unit);

  /// Where a file that \a unit names can be read: see wavelane::files.
  static std::string FindFile(CompileUnit &unit, const FileSpec &file);

  /// Whether a text like \a pattern is in a file of the unit, other than HIP's
  /// own: where it isn't, there is nothing to parse the unit for.
  static bool Mentions(CompileUnit &unit, llvm::StringRef pattern);

private:
  using Expression = ::wavelane::source::Expression;
  /// Where a name has a meaning.
  struct Scope {
    Block *block;
    const ::wavelane::source::Function &function;
    StackFrame &frame;
  };
  using Bytes = std::optional<std::vector<uint8_t>>;

  /// \return Null if the unit's source says nothing.
  const ::wavelane::source::Program *GetProgram(plugin::dwarf::DWARFUnit &unit);
  /// Also if the unit's source says nothing because its command isn't known.
  const ::wavelane::source::Program *
  GetLikelyProgram(plugin::dwarf::DWARFUnit &unit);
  llvm::Expected<std::unique_ptr<::wavelane::source::Program>>
  ReadProgram(plugin::dwarf::DWARFUnit &unit, bool is_likely);
  ::wavelane::source::Request MakeRequest(CompileUnit &comp_unit,
                                          plugin::dwarf::DWARFUnit &unit);
  /// What is known of a variable that has the type that the source gives it.
  const ::wavelane::source::Variable *FindFact(Variable &variable);
  Bytes Find(const Scope &scope, const Expression &leaf);
  /// The assignments to a variable, if the unit's source is what was compiled.
  const ::wavelane::source::AssignedVariable *FindProved(Variable &variable);
  /// The values of assignments that are known, and of those that aren't.
  using KnownValues = std::map<
      std::pair<const ::wavelane::source::AssignedVariable *, unsigned>, Bytes>;
  Bytes ComputeAssignment(const Scope &scope,
                          const ::wavelane::source::AssignedVariable &of,
                          unsigned number, KnownValues &known);
  Bytes FindVariable(const Scope &scope, const Expression &leaf);

  LaneSymbols &m_symbols;
  std::mutex m_mutex;
  /// Null for units whose source says nothing.
  std::map<const plugin::dwarf::DWARFUnit *,
           std::unique_ptr<::wavelane::source::Program>>
      m_programs, m_likely_programs;
  std::map<const plugin::dwarf::DWARFUnit *,
           std::unique_ptr<::wavelane::source::Regions>>
      m_regions;
  std::map<const plugin::dwarf::DWARFUnit *, bool> m_has_shared;
};

} // namespace wavelane
} // namespace lldb_private

#endif
