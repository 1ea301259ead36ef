//===-- SymbolFileLaneDWARF.h - DWARF with lanes ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SYMBOLFILELANEDWARF_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SYMBOLFILELANEDWARF_H

#include "Builtins.h"
#include "Lane/LaneFocus.h"
#include "LocalMemory.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include <map>
#include <memory>
#include <mutex>

namespace lldb_private {
namespace wavelane {

/// LLDB's reader of DWARF, with expressions evaluated by Wavelane's location
/// engine: all of them on a GPU, and on a CPU those that LLDB's own evaluator
/// doesn't know. It takes the place of LLDB's plugin, under its name.
class SymbolFileLaneDWARF : public plugin::dwarf::SymbolFileDWARF {
public:
  static void Initialize();

  static SymbolFile *CreateInstance(lldb::ObjectFileSP objfile_sp);
  static void DebuggerInitialize(Debugger &debugger);

  explicit SymbolFileLaneDWARF(lldb::ObjectFileSP objfile_sp);

  lldb::offset_t GetVendorDWARFOpcodeSize(const DataExtractor &data,
                                          const lldb::offset_t data_offset,
                                          const uint8_t op) const override;

  std::optional<llvm::Expected<Value>> EvaluateExpression(
      ExecutionContext *exe_ctx, RegisterContext *reg_ctx,
      const lldb::ModuleSP &module_sp, const DataExtractor &opcodes,
      const plugin::dwarf::DWARFUnit &dwarf_cu, lldb::RegisterKind reg_kind,
      const Value *initial_value_ptr,
      const Value *object_address_ptr) const override;

  /// On a GPU a unit has its language's built-in variables as well, and a
  /// function's __shared__ variables are its locals.
  size_t ParseVariablesForContext(const SymbolContext &sc) override;
  void FindGlobalVariables(ConstString name,
                           const CompilerDeclContext &parent_decl_ctx,
                           uint32_t max_matches,
                           VariableList &variables) override;
  using SymbolFileDWARF::FindGlobalVariables;

  /// GPU languages are those that they extend: LLDB's type system knows no
  /// others.
  lldb::LanguageType ParseLanguage(CompileUnit &comp_unit) override;
  llvm::Expected<lldb::TypeSystemSP>
  GetTypeSystemForLanguage(lldb::LanguageType language) override;

  std::optional<lldb::addr_t>
  GetProgramLocation(const ExecutionContext &exe_ctx,
                     RegisterContext *reg_ctx) const override;

  /// Where the __shared__ variables of \a unit are.
  const LocalMemory &GetLocalMemory(plugin::dwarf::DWARFUnit &unit) const;

  /// Whether \a unit calls private and local memory by clang's old numbers, see
  /// location::UpstreamMapping.
  bool UsesOldNumbers(CompileUnit &unit);

protected:
  /// Pointers into an address space are clang's own types for them, which know
  /// their size; a base type of several elements (DW_AT_LLVM_vector_size) is a
  /// vector.
  lldb::TypeSP ParseType(const SymbolContext &sc,
                         const plugin::dwarf::DWARFDIE &die,
                         bool *type_is_new) override;

private:
  CompilerType GetSpacePointer(const plugin::dwarf::DWARFDIE &die);
  unsigned GetVectorSize(const plugin::dwarf::DWARFDIE &die) const;
  void MakeSharedVariablesLocal(Block &block);
  /// A __shared__ variable as one of its function's locals.
  lldb::VariableSP MakeLocal(Variable &shared);
  /// One that is described elsewhere than in its function, see LocalMemory.
  lldb::VariableSP MakeDetached(const plugin::dwarf::DWARFDIE &die,
                                Block &scope);

  const bool m_is_gpu;
  Builtins m_builtins;
  mutable std::mutex m_local_memory_mutex;
  mutable std::map<plugin::dwarf::DWARFUnit *, std::unique_ptr<LocalMemory>>
      m_local_memory;
};

} // namespace wavelane
} // namespace lldb_private

#endif
