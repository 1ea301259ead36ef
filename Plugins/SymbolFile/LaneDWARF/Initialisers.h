//===-- Initialisers.h - values that follow from the source -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_INITIALISERS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_INITIALISERS_H

#include "SourceTokens.h"
#include "lldb/Symbol/CompilerType.h"
#include "lldb/Utility/FileSpec.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lldb_private {
namespace plugin::dwarf {
class DWARFUnit;
class SymbolFileDWARF;
} // namespace plugin::dwarf
namespace wavelane {

/// Computes variables of a GPU's functions from their declarations, and
/// parameters from their calls (SourceTokens.h): integers, pointers into
/// arrays, literals, and copies. Source that may have changed since it was
/// compiled isn't believed. Thread-safe.
class Initialisers {
public:
  explicit Initialisers(plugin::dwarf::SymbolFileDWARF &symbols)
      : m_symbols(symbols) {}

  /// Whether \a variable is never changed, and has an initialiser that may have
  /// a value.
  bool Has(Variable &variable);

  /// The bytes of a variable of \a block in \a frame, for its focus lane.
  llvm::Expected<std::vector<uint8_t>> Compute(Variable &variable, Block &block,
                                               StackFrame &frame);

  /// The bytes of a parameter of the function of \a frame, as its caller's
  /// source passes it.
  llvm::Expected<std::vector<uint8_t>> ComputeArgument(Variable &parameter,
                                                       StackFrame &frame);

  /// The source of a file; null if it isn't there, or has changed.
  const SourceTokens *GetTokens(CompileUnit &unit, const FileSpec &file);

private:
  /// Where a name has a meaning.
  struct Scope {
    Block *block;
    unsigned line;
    /// Isn't meant by its own name.
    const Variable *declared;
    StackFrame &frame;
  };
  using Bytes = std::optional<std::vector<uint8_t>>;

  const SourceTokens *GetTokens(Variable &variable);
  SourceFunctions &GetFunctions(plugin::dwarf::DWARFUnit &unit);
  bool IsConstant(Variable &variable);
  /// The bytes of a variable that is never changed, or of its member.
  Bytes Read(const Scope &scope, llvm::StringRef name, CompilerType &type);
  /// The value of a name that an initialiser uses.
  std::optional<SourceInteger> Find(const Scope &scope, llvm::StringRef name);
  Bytes ComputePointer(const SourceTokens &tokens,
                       SourceTokens::Range initialiser,
                       const CompilerType &type, const Scope &scope);
  /// The value of an expression after its conversion to \a type.
  Bytes ComputeValue(const SourceTokens &tokens,
                     SourceTokens::Range initialiser, const CompilerType &type,
                     const Scope &scope);

  plugin::dwarf::SymbolFileDWARF &m_symbols;
  std::mutex m_mutex;
  /// Null for files that can't be read, or have changed.
  std::map<FileSpec, std::unique_ptr<SourceTokens>> m_files;
  std::map<const plugin::dwarf::DWARFUnit *, std::unique_ptr<SourceFunctions>>
      m_functions;
};

} // namespace wavelane
} // namespace lldb_private

#endif
