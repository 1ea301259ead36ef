//===-- DynamicArrays.h - extern __shared__ arrays --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang doesn't describe the arrays in local memory whose size the launch of a
// kernel decides (`extern __shared__ float tile[];`). All of a kernel's begin
// where the local memory ends that its descriptor asks for. Their names and
// types are in the source; the dispatch says how large they are.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_DYNAMICARRAYS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_DYNAMICARRAYS_H

#include "Core/Lane/FrameFacts.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "SourceValues.h"
#include "lldb/Symbol/CompilerDecl.h"
#include "lldb/Symbol/CompilerType.h"
#include "lldb/lldb-forward.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {
class LaneSymbols;

/// The dynamic arrays of one symbol file.
class DynamicArrays {
public:
  explicit DynamicArrays(LaneSymbols &symbols) : m_symbols(symbols) {}

  /// Adds the arrays that a function declares, or uses, to its variables.
  /// \param[in] die  The function, or a call that is inlined.
  /// \return Whether there are any.
  bool Add(const plugin::dwarf::DWARFDIE &die, Block &block,
           VariableList &variables);

  /// Whether \a uid is that of an array.
  bool Has(lldb::user_id_t uid) const { return m_arrays.count(uid) != 0; }
  /// The declaration for expressions; invalid if \a uid isn't an array's.
  CompilerDecl GetDecl(lldb::user_id_t uid);
  /// The number of elements in the wave of \a frame; 0 if it is unknown.
  uint64_t CountElements(lldb::user_id_t uid, StackFrame *frame) const;
  /// "dynamic local memory, 256 bytes"
  std::string Describe(StackFrame &frame) const;

  /// Where an array begins, for an index of .debug_addr that Add invented.
  /// \return nullopt for other indices.
  std::optional<llvm::Expected<uint64_t>> GetAddress(uint64_t index,
                                                     Thread *thread) const;

private:
  struct Array {
    std::string name;
    CompilerType type;
    /// In bytes.
    uint64_t element_size = 0;
    /// Why its type isn't known; empty if it is.
    std::string problem;
    lldb::user_id_t scope = LLDB_INVALID_UID;
    CompilerDecl decl;
  };

  /// Whether a unit's files have such a declaration at all: only then is it
  /// worth the time to parse them.
  bool MayHave(CompileUnit &unit);
  /// \param[in] name  As C++ writes it, without typedefs.
  CompilerType FindType(llvm::StringRef name);
  lldb::VariableSP Make(const plugin::dwarf::DWARFDIE &die,
                        const ::wavelane::source::DynamicArray &found,
                        lldb::user_id_t uid, Block &block);

  LaneSymbols &m_symbols;
  std::map<const CompileUnit *, bool> m_may_have;
  /// By their variables' identifiers.
  std::map<lldb::user_id_t, Array> m_arrays;
  /// In the order of their indices.
  std::vector<lldb::user_id_t> m_uids;
};

} // namespace wavelane
} // namespace lldb_private

#endif
