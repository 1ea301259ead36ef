//===-- FirstValues.h - counters described as constants ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a loop that clang has vectorized, or whose counter it has replaced by
// another one, the debug information may still have the value from before the
// loop: `i` is 0 in all rounds. A condition on it would never hold.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_FIRSTVALUES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_FIRSTVALUES_H

#include "lldb/lldb-forward.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>

namespace lldb_private {
class FileSpec;
class Function;
namespace plugin::dwarf {
class SymbolFileDWARF;
}

namespace wavelane {

/// What the source says about loops that count on a variable.
class CountingLoops {
public:
  virtual ~CountingLoops() = default;
  /// Whether code with these lines of a file is one of those loops.
  virtual bool IsLoop(const Variable &variable, const FileSpec &file,
                      llvm::ArrayRef<unsigned> lines) = 0;
  /// By how much the loop around a line counts; 0 if that isn't known.
  /// \return nullopt if none of those loops is around it.
  virtual std::optional<int64_t>
  GetStep(const Variable &variable, const FileSpec &file, unsigned line) = 0;
};

/// Makes variables of a function unavailable in loops that count on them, but
/// in whose code they have a constant. The function's variables have been read.
void DropFirstValues(plugin::dwarf::SymbolFileDWARF &symbols,
                     Function &function, CountingLoops &source);

} // namespace wavelane
} // namespace lldb_private

#endif
