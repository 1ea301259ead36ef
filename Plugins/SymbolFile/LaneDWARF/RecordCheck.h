//===-- RecordCheck.h - structures LLDB can't lay out -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_RECORDCHECK_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_RECORDCHECK_H

#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "llvm/ADT/DenseSet.h"

namespace clang {
class TagDecl;
}

namespace lldb_private {
class CompilerType;
namespace wavelane {

/// Finds structures that only damaged files have: clang would lay them out
/// without end, or take for a class what isn't one.
class RecordCheck {
public:
  /// \return What is wrong with \a record or with a structure that it contains
  ///     as a member or a base, to follow its name; null if nothing is.
  const char *FindProblem(const plugin::dwarf::DWARFDIE &record);

  /// That LLDB completes a structure, for as long as this lives.
  class Completion {
  public:
    Completion(RecordCheck &check, const CompilerType &record);
    ~Completion();
    Completion(const Completion &) = delete;
    Completion &operator=(const Completion &) = delete;

  private:
    RecordCheck &m_check;
    const clang::TagDecl *m_declaration;
    bool m_is_first;
  };

private:
  const char *FindProblem(const plugin::dwarf::DWARFDIE &record,
                          unsigned depth);
  const char *FindChildProblem(const plugin::dwarf::DWARFDIE &child,
                               unsigned depth);

  /// Structures without problems, and those under examination.
  llvm::DenseSet<lldb::user_id_t> m_good, m_open;
  llvm::DenseSet<const clang::TagDecl *> m_being_completed;
};

} // namespace wavelane
} // namespace lldb_private

#endif
