//===-- Initialisers.h - values that follow from declarations ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_INITIALISERS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_INITIALISERS_H

#include "SourceTokens.h"
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
class SymbolFileDWARF;
}
namespace wavelane {

/// Computes integer variables of a GPU's functions from their declarations
/// (SourceTokens.h). Source that may have changed since it was compiled isn't
/// believed. Thread-safe.
class Initialisers {
public:
  explicit Initialisers(plugin::dwarf::SymbolFileDWARF &symbols)
      : m_symbols(symbols) {}

  /// Whether \a variable is never changed, and has an initialiser that may be
  /// integer arithmetic.
  bool Has(Variable &variable);

  /// The variable's bytes in \a frame, for its focus lane.
  llvm::Expected<std::vector<uint8_t>> Compute(Variable &variable,
                                               StackFrame &frame);

private:
  /// The source of a variable's declaration; null if it isn't there.
  const SourceTokens *GetTokens(Variable &variable);
  bool IsConstant(Variable &variable);
  /// The value of a name that the initialiser of \a variable uses.
  std::optional<SourceInteger> Find(Variable &variable, StackFrame &frame,
                                    llvm::StringRef name);

  plugin::dwarf::SymbolFileDWARF &m_symbols;
  std::mutex m_mutex;
  /// Null for files that can't be read, or have changed.
  std::map<FileSpec, std::unique_ptr<SourceTokens>> m_files;
};

} // namespace wavelane
} // namespace lldb_private

#endif
