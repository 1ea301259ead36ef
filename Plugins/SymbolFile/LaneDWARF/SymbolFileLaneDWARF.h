//===-- SymbolFileLaneDWARF.h - DWARF with lanes ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SYMBOLFILELANEDWARF_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_SYMBOLFILELANEDWARF_H

#include "Builtins.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/Lane/Provenance.h"
#include "DynamicArrays.h"
#include "FrameTypes.h"
#include "KernelArguments.h"
#include "LaneSymbols.h"
#include "LinePlaces.h"
#include "MissingLocations.h"
#include "RecordCheck.h"
#include "SharedVariables.h"
#include "SourceValues.h"
#include "VariableLists.h"
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace lldb_private {
class TypeSystemClang;
namespace wavelane {
class ArrayBounds;

/// LLDB's reader of DWARF, with expressions evaluated by Wavelane's location
/// engine. Replaces LLDB's plugin, under its name.
class SymbolFileLaneDWARF : public LaneSymbols, public ProvenanceSource {
public:
  static void Initialize();

  static SymbolFile *CreateInstance(lldb::ObjectFileSP objfile_sp);
  /// Calls \a function, in any thread, before the symbols of a file are read.
  /// It may set up what only values of such files need.
  static void BeforeFiles(void (*function)());
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

  /// A GPU's units also have their language's built-in variables, and a
  /// function's __shared__ variables become its locals.
  size_t ParseVariablesForContext(const SymbolContext &sc) override;
  void FindGlobalVariables(ConstString name,
                           const CompilerDeclContext &parent_decl_ctx,
                           uint32_t max_matches,
                           VariableList &variables) override;
  using SymbolFileDWARF::FindGlobalVariables;

  /// Finds "f<int, long>" by "f<int,long>".
  void FindFunctions(const Module::LookupInfo &lookup_info,
                     const CompilerDeclContext &parent_decl_ctx,
                     bool include_inlines,
                     SymbolContextList &contexts) override;
  using SymbolFileDWARF::FindFunctions;

  /// A structure that RecordCheck refuses is shown as an empty one.
  bool CompleteType(CompilerType &compiler_type) override;

  /// Refuses line tables that would crash LLVM's reader.
  bool ParseSupportFiles(CompileUnit &comp_unit,
                         SupportFileList &support_files) override;
  bool ParseLineTable(CompileUnit &comp_unit) override;

  /// On a GPU code with line 0 has the line that it leads to, see LineOfCode.
  uint32_t ResolveSymbolContext(const Address &address,
                                lldb::SymbolContextItem scope,
                                SymbolContext &context) override;
  using SymbolFileDWARF::ResolveSymbolContext;

  void ChooseLinePlaces(llvm::SmallVectorImpl<SymbolContext> &places) override;
  std::string GetLineNote(const Address &address) override;
  std::optional<MissingCopies>
  FindMissingCopies(const SymbolContext &place) override;
  std::optional<std::string> CompareLines(CompileUnit &comp_unit,
                                          const FileSpec &file, uint32_t from,
                                          uint32_t to) override;

  /// On a GPU expressions begin with the language's functions.
  bool ParseDebugMacros(CompileUnit &comp_unit) override;

  /// Maps GPU languages to those that they extend, and Fortran to C: LLDB's
  /// type system doesn't know others.
  lldb::LanguageType ParseLanguage(CompileUnit &comp_unit) override;
  llvm::Expected<lldb::TypeSystemSP>
  GetTypeSystemForLanguage(lldb::LanguageType language) override;

  bool HasFrameArray(const void *type) const override {
    return m_frame_arrays.contains(type);
  }
  llvm::Expected<ArrayExtent>
  MeasureArray(const void *type, const ExecutionContext *exe_ctx) override;

  /// The number of elements of an array whose size the launch of a kernel
  /// decides.
  std::optional<ArrayInfo>
  GetDynamicArrayInfoForUID(lldb::user_id_t type_uid,
                            const ExecutionContext *exe_ctx) override;

  std::optional<lldb::addr_t>
  GetProgramLocation(const ExecutionContext &exe_ctx,
                     RegisterContext *reg_ctx) const override;

  CompilerDecl GetDeclForUID(lldb::user_id_t uid) override;

  /// Includes the calls in blocks and inlined calls.
  std::vector<std::unique_ptr<CallEdge>>
  ParseCallEdgesInFunction(UserID func_id) override;

  CompilerType MakeDynamicArrayType(TypeSystemClang &ast,
                                    const CompilerType &element,
                                    lldb::user_id_t uid) override;
  lldb::TypeSP MakeUnknownType(lldb::user_id_t uid) override;
  const DynamicArrays &GetDynamicArrays() const override {
    return m_dynamic_arrays;
  }
  const LocalMemory &
  GetLocalMemory(plugin::dwarf::DWARFUnit &unit) const override;

  std::optional<Provenance> FindProvenance(ValueObject &variable) override {
    return FindFilledValue(*this, variable);
  }

  SourceValues &GetSourceValues() override { return m_source_values; }
  bool HasFilledGaps(lldb::user_id_t uid) const override {
    std::lock_guard<std::mutex> guard(m_filled_mutex);
    return m_filled.count(uid) != 0;
  }

  /// The version of the clang that compiled \a unit; 0 for other compilers.
  unsigned GetCompilerVersion(CompileUnit &unit);
  bool IsFortran(CompileUnit &comp_unit) override;

  /// Whether \a unit uses clang's old numbers for private and local memory, see
  /// location::UpstreamMapping.
  bool UsesOldNumbers(CompileUnit &unit);

protected:
  /// Parses pointers into an address space as clang types with the right size,
  /// base types of several elements (DW_AT_LLVM_vector_size) as vectors, and
  /// arrays by ArrayBounds.
  lldb::TypeSP ParseType(const SymbolContext &sc,
                         const plugin::dwarf::DWARFDIE &die,
                         bool *type_is_new) override;

private:
  /// An array type of \a element without bounds that MeasureArray finds.
  CompilerType MakeFrameArray(TypeSystemClang &ast, const CompilerType &element,
                              lldb::user_id_t uid, unsigned dimension);
  /// Reports that a type of a damaged file isn't read, and why. \return null.
  lldb::TypeSP RefuseType(const plugin::dwarf::DWARFDIE &die, bool *type_is_new,
                          const char *why);
  bool IsLineTableReadable(CompileUnit &comp_unit);
  /// Drops lines outside the sections in which their sequences begin, and
  /// reports that.
  void LeaveOutFarLines(CompileUnit &comp_unit);
  CompilerType GetSpacePointer(const plugin::dwarf::DWARFDIE &die);
  unsigned GetVectorSize(const plugin::dwarf::DWARFDIE &die) const;
  lldb::TypeSP MakeTypeLike(Type &plain, const CompilerType &type);
  lldb::TypeSP MakeArrayType(const ArrayBounds &bounds, lldb::user_id_t uid);
  lldb::TypeSP MakeStringType(const plugin::dwarf::DWARFDIE &die);
  /// Changes variables of \a block, and of its inner blocks, that LLDB would
  /// misinterpret.
  void AdaptVariables(Block &block);
  /// Gives variables that are constants a place that can't be written.
  void PlaceConstants(VariableList &variables, size_t first);
  /// Likewise in a block and those inside. Comes after FillMissingLocations:
  /// a constant that describes parts which are assigned to is a gap.
  void PlaceConstants(Block &block);
  lldb::SymbolFileTypeSP GetTypeOf(Variable &variable);
  lldb::VariableSP AdaptAutomaticVariable(const lldb::VariableSP &variable_sp);
  lldb::VariableSP AdaptSharedVariable(const lldb::VariableSP &variable_sp);
  lldb::VariableSP PlaceSharedVariable(const lldb::VariableSP &variable_sp);
  lldb::VariableSP AdaptArrayVariable(const lldb::VariableSP &variable_sp);
  lldb::VariableSP AdaptHidingVariable(Block &block,
                                       const lldb::VariableSP &variable_sp);
  /// \return Null for a function that isn't a kernel.
  const KernelArguments *GetKernelArguments(const Function &function);
  /// Likewise.
  const KernelMemory *GetKernelMemory(const Function &function);
  /// A variable in local memory that is described outside its function, see
  /// LocalMemory.
  lldb::VariableSP MakeDetached(const plugin::dwarf::DWARFDIE &die,
                                Block &scope);
  /// A variable of an inlined function that has no entry, see DroppedVariables.
  lldb::VariableSP MakeDropped(const plugin::dwarf::DWARFDIE &die,
                               Block &scope);

  const bool m_is_gpu;
  Builtins m_builtins;
  VariableLists m_lists;
  SourceValues m_source_values{*this};
  mutable std::mutex m_filled_mutex;
  std::set<lldb::user_id_t> m_filled;
  DynamicArrays m_dynamic_arrays{*this};
  /// Read on demand.
  std::optional<llvm::StringMap<KernelArguments>> m_kernel_arguments;
  std::optional<llvm::StringMap<KernelMemory>> m_kernel_memory;
  RecordCheck m_records;
  /// The entry that says where an array's elements are, and the dimension in it
  /// that a type of rows is.
  struct FrameArray {
    lldb::user_id_t uid;
    unsigned dimension;
  };
  llvm::DenseMap<const void *, FrameArray> m_frame_arrays;
  LinePlaces m_line_places;
  mutable std::mutex m_local_memory_mutex;
  mutable std::map<plugin::dwarf::DWARFUnit *, std::unique_ptr<LocalMemory>>
      m_local_memory;
};

} // namespace wavelane
} // namespace lldb_private

#endif
