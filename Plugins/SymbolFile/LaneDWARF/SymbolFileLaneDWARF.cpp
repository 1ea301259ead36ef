//===-- SymbolFileLaneDWARF.cpp ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SymbolFileLaneDWARF.h"
#include "ArrayBounds.h"
#include "CallSites.h"
#include "CheckedLocations.h"
#include "Core/Lane/ProcessLanes.h"
#include "Core/Lane/WindowAddress.h"
#include "Core/MachineCode/LineOfCode.h"
#include "Core/Support/Debuggers.h"
#include "DroppedVariables.h"
#include "Evaluation.h"
#include "FirstValues.h"
#include "LaneAttributes.h"
#include "LineTableCheck.h"
#include "MissingLocations.h"
#include "ObjectsByAddress.h"
#include "Operations.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFDebugInfo.h"
#include "Plugins/SymbolFile/DWARF/LogChannelDWARF.h"
#include "Plugins/SymbolFile/Symtab/SymbolFileSymtab.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "PointerSpaces.h"
#include "ShadowedVariables.h"
#include "SharedConstants.h"
#include "SmallFloatMembers.h"
#include "StaleLocations.h"
#include "TypeCheck.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineTable.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "wavelane/Location/Attributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/Regex.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

static bool IsFortranLanguage(LanguageType language) {
  switch (language) {
  case eLanguageTypeFortran77:
  case eLanguageTypeFortran90:
  case eLanguageTypeFortran95:
  case eLanguageTypeFortran03:
  case eLanguageTypeFortran08:
  case eLanguageTypeFortran18:
    return true;
  default:
    return false;
  }
}

/// Replaces a language that LLDB has no types for: by the one that a GPU's
/// language extends, and by C for Fortran, whose types resemble C's.
static LanguageType GetExtendedLanguage(LanguageType language) {
  if (language == eLanguageTypeOpenCL || IsFortranLanguage(language))
    return eLanguageTypeC99;
  return location::isLanguageHIP(uint16_t(language))
             ? eLanguageTypeC_plus_plus_14
             : language;
}

static TypeSystemSP CreateTypeSystem(LanguageType language, Module *module,
                                     Target *target) {
  const LanguageType extended = GetExtendedLanguage(language);
  return extended == language ? nullptr
                              : CreateFrameTypes(extended, module, target);
}

void SymbolFileLaneDWARF::Initialize() {
  // LLDB's own plugin would read the same files. Its debug map plugin stays,
  // and finds this plugin for its object files.
  PluginManager::UnregisterPlugin(SymbolFileDWARF::CreateInstance);
  PluginManager::RegisterPlugin(SymbolFileDWARF::GetPluginNameStatic(),
                                SymbolFileDWARF::GetPluginDescriptionStatic(),
                                CreateInstance, DebuggerInitialize);
  // DWARF must come before the symbol table, as in LLDB: the first plugin with
  // all abilities is chosen, and the symbol table's plugin would read the table
  // just to say that it has fewer.
  PluginManager::UnregisterPlugin(SymbolFileSymtab::CreateInstance);
  PluginManager::RegisterPlugin(SymbolFileSymtab::GetPluginNameStatic(),
                                SymbolFileSymtab::GetPluginDescriptionStatic(),
                                SymbolFileSymtab::CreateInstance);
  LanguageSet languages;
  for (LanguageType language :
       {eLanguageTypeOpenCL, eLanguageTypeFortran77, eLanguageTypeFortran90,
        eLanguageTypeFortran95, eLanguageTypeFortran03, eLanguageTypeFortran08,
        eLanguageTypeFortran18})
    languages.Insert(language);
  PluginManager::RegisterPlugin(
      "more-languages", "languages that extend C and C++ for GPUs, and Fortran",
      CreateTypeSystem, languages, languages);
  InitializeFrameTypes();
  InitializeLinesOfC();
  SetDebugInfoLanes(ReadLaneAttributes);
  PointerSpaces::Initialize();
}

void SymbolFileLaneDWARF::DebuggerInitialize(Debugger &debugger) {
  SymbolFileDWARF::DebuggerInitialize(debugger);
  DebuggerWasCreated(debugger);
}

static void (*g_before_files)() = nullptr;

void SymbolFileLaneDWARF::BeforeFiles(void (*function)()) {
  g_before_files = function;
}

SymbolFile *SymbolFileLaneDWARF::CreateInstance(ObjectFileSP objfile_sp) {
  if (g_before_files)
    g_before_files();
  return new SymbolFileLaneDWARF(std::move(objfile_sp));
}

SymbolFileLaneDWARF::SymbolFileLaneDWARF(ObjectFileSP objfile_sp)
    : LaneSymbols(objfile_sp, /*dwo_section_list=*/nullptr),
      m_is_gpu(objfile_sp->GetModule()->GetArchitecture().GetMachine() ==
               llvm::Triple::amdgcn),
      m_builtins(*this) {
  if (m_is_gpu)
    UseLanes();
}

namespace {

/// The loops of a unit, whose source is parsed when it may have a loop that is
/// asked for.
class UnitLoops : public CountingLoops {
public:
  UnitLoops(SourceValues &source, CompileUnit &comp_unit, DWARFUnit &unit)
      : m_source(source), m_comp_unit(comp_unit), m_unit(unit) {}

  bool IsLoop(const Variable &variable, const FileSpec &file,
              llvm::ArrayRef<unsigned> lines) override {
    const auto *regions = lines.empty() ? nullptr : Read(variable, file);
    return regions &&
           regions->counts(SourceValues::FindFile(m_comp_unit, file),
                           variable.GetUnqualifiedName().GetStringRef(),
                           variable.GetDeclaration().GetLine(), lines);
  }

  std::optional<int64_t> GetStep(const Variable &variable, const FileSpec &file,
                                 unsigned line) override {
    const auto *regions = Read(variable, file);
    const ::wavelane::source::Counter *counter =
        regions
            ? regions->findCounter(SourceValues::FindFile(m_comp_unit, file),
                                   variable.GetUnqualifiedName().GetStringRef(),
                                   variable.GetDeclaration().GetLine(), line)
            : nullptr;
    return counter ? std::optional<int64_t>(counter->Step) : std::nullopt;
  }

private:
  /// \return Null if no loop in the file counts on the variable.
  const ::wavelane::source::Regions *Read(const Variable &variable,
                                          const FileSpec &file) {
    const llvm::StringRef name = variable.GetUnqualifiedName().GetStringRef();
    auto [known, is_new] =
        m_may_count.try_emplace({file.GetPath(), name.str()});
    if (is_new) {
      const std::string text = llvm::Regex::escape(name);
      const llvm::Regex counts("(\\+\\+|--)[[:space:]]*" + text + "|" + text +
                               "[[:space:]]*(\\+\\+|--|([-+*/]|<<|>>)=)");
      auto buffer = ::wavelane::files::readRegular(
          SourceValues::FindFile(m_comp_unit, file));
      known->second = buffer && counts.match((*buffer)->getBuffer());
    }
    if (!known->second)
      return nullptr;
    // The parser's thread asks for them, and must not wait for the module's
    // lock, which this thread has.
    m_comp_unit.GetSupportFiles();
    return m_source.GetRegions(m_comp_unit, m_unit);
  }

  SourceValues &m_source;
  CompileUnit &m_comp_unit;
  DWARFUnit &m_unit;
  /// By file and variable.
  std::map<std::pair<std::string, std::string>, bool> m_may_count;
};

} // namespace

size_t SymbolFileLaneDWARF::ParseVariablesForContext(const SymbolContext &sc) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  const bool is_new =
      sc.function ||
      (sc.comp_unit && !sc.comp_unit->GetVariableList(/*can_create=*/false));
  size_t count = SymbolFileDWARF::ParseVariablesForContext(sc);
  if (sc.function) {
    Block &block = sc.function->GetBlock(/*can_create=*/true);
    m_lists.Prepare(*this, block);
    AdaptVariables(block);
    if (m_is_gpu) {
      PlaceObjectsByAddress(*this, *sc.function, GetKernelMemory(*sc.function));
      std::set<user_id_t> filled;
      FillMissingLocations(*this, *sc.function,
                           GetKernelArguments(*sc.function), filled);
      std::lock_guard<std::mutex> filled_guard(m_filled_mutex);
      m_filled.merge(filled);
    }
    PlaceConstants(block);
    CompileUnit *comp_unit = sc.function->GetCompileUnit();
    DWARFCompileUnit *unit =
        comp_unit ? GetDWARFCompileUnit(comp_unit) : nullptr;
    if (unit) {
      UnitLoops loops(m_source_values, *comp_unit, *unit);
      DropFirstValues(*this, *sc.function, loops);
    }
    if (m_is_gpu && unit) {
      // The parser's thread asks for them, and must not wait for the module's
      // lock, which this thread has.
      comp_unit->GetSupportFiles();
      std::set<user_id_t> filled;
      MarkStaleLocations(*this, *sc.function, m_source_values, filled);
      CheckLocations(*this, *sc.function, m_source_values, filled);
      std::lock_guard<std::mutex> filled_guard(m_filled_mutex);
      m_filled.merge(filled);
    }
    return count;
  }
  VariableListSP list_sp =
      sc.comp_unit ? sc.comp_unit->GetVariableList(/*can_create=*/false)
                   : nullptr;
  if (list_sp)
    PlaceConstants(*list_sp, 0);
  if (!m_is_gpu || !sc.comp_unit)
    return count;
  const DWARFUnit *unit = GetDWARFCompileUnit(sc.comp_unit);
  if (is_new && list_sp && unit) {
    m_builtins.Replace(*list_sp, 0, /*only=*/nullptr, *sc.comp_unit, *unit);
    count = list_sp->GetSize();
  }
  return count;
}

const KernelArguments *
SymbolFileLaneDWARF::GetKernelArguments(const Function &function) {
  if (!m_kernel_arguments)
    m_kernel_arguments = ReadKernelArguments(*GetObjectFile());
  auto found = m_kernel_arguments->find(
      function.GetMangled().GetMangledName().GetStringRef());
  return found == m_kernel_arguments->end() ? nullptr : &found->second;
}

const KernelMemory *
SymbolFileLaneDWARF::GetKernelMemory(const Function &function) {
  if (!m_kernel_memory)
    m_kernel_memory = ReadKernelMemory(*GetObjectFile());
  auto found = m_kernel_memory->find(
      function.GetMangled().GetMangledName().GetStringRef());
  return found == m_kernel_memory->end() ? nullptr : &found->second;
}

static VariableSP
CopyVariable(Variable &variable, SymbolFileTypeSP type_sp, ValueType scope,
             bool is_artificial,
             std::optional<Variable::RangeList> range = std::nullopt) {
  Declaration declaration = variable.GetDeclaration();
  return std::make_shared<Variable>(
      variable.GetID(), variable.GetUnqualifiedName().AsCString(), nullptr,
      type_sp, scope, variable.GetSymbolContextScope(),
      range ? *range : variable.GetScopeRange(), &declaration,
      variable.LocationExpressionList(), variable.IsExternal(), is_artificial,
      variable.GetLocationIsConstantValueData());
}

VariableSP SymbolFileLaneDWARF::MakeDetached(const DWARFDIE &die,
                                             Block &scope) {
  DWARFFormValue value;
  DWARFDIE type = die.GetReferencedDIE(llvm::dwarf::DW_AT_type);
  if (!die.GetDIE()->GetAttributeValue(die.GetCU(), llvm::dwarf::DW_AT_location,
                                       value, nullptr) ||
      !type)
    return nullptr;
  DWARFExpressionList location(
      GetObjectFile()->GetModule(),
      DWARFExpression(lldb_private::DataExtractor(
          GetBlock(value).data(), GetBlock(value).size(), eByteOrderLittle, 8)),
      die.GetCU());
  Declaration declaration;
  return std::make_shared<Variable>(
      die.GetID(), die.GetName(), nullptr,
      std::make_shared<SymbolFileType>(*this, type.GetID()),
      eValueTypeVariableLocal, &scope, Variable::RangeList(), &declaration,
      location,
      /*external=*/false, /*artificial=*/false,
      /*location_is_constant_data=*/false);
}

VariableSP SymbolFileLaneDWARF::MakeDropped(const DWARFDIE &die, Block &scope) {
  DWARFDIE type = die.GetReferencedDIE(llvm::dwarf::DW_AT_type);
  if (!type)
    return nullptr;
  const dw_offset_t file = dw_offset_t(
      die.GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_decl_file, 0));
  Declaration declaration(die.GetCU()->GetFile(file),
                          uint32_t(die.GetAttributeValueAsUnsigned(
                              llvm::dwarf::DW_AT_decl_line, 0)));
  return std::make_shared<Variable>(
      die.GetID(), die.GetName(), nullptr,
      std::make_shared<SymbolFileType>(*this, type.GetID()),
      eValueTypeVariableLocal, &scope, Variable::RangeList(), &declaration,
      DWARFExpressionList(GetObjectFile()->GetModule(), DWARFExpression(),
                          die.GetCU()),
      /*external=*/false, /*artificial=*/false,
      /*location_is_constant_data=*/false);
}

SymbolFileTypeSP SymbolFileLaneDWARF::GetTypeOf(Variable &variable) {
  Type *type = variable.GetType();
  return std::make_shared<SymbolFileType>(*this, type ? type->GetID()
                                                      : LLDB_INVALID_UID);
}

/// LLDB takes every variable with a byte like DW_OP_addr's in its location for
/// static, and `frame variable` leaves those out.
VariableSP
SymbolFileLaneDWARF::AdaptAutomaticVariable(const VariableSP &variable_sp) {
  lldb_private::DataExtractor location;
  const DWARFExpressionList &list = variable_sp->LocationExpressionList();
  if (variable_sp->GetScope() != eValueTypeVariableStatic ||
      variable_sp->GetLocationIsConstantValueData() ||
      !list.IsAlwaysValidSingleExpr() || !list.GetExpressionData(location) ||
      IsStaticPlace(location))
    return variable_sp;
  DWARFDIE die = GetDIE(variable_sp->GetID());
  if (!die || die.GetMangledName(/*substitute_name_allowed=*/false))
    return variable_sp;
  return CopyVariable(*variable_sp, GetTypeOf(*variable_sp),
                      eValueTypeVariableLocal, variable_sp->IsArtificial());
}

/// A workgroup's memory belongs to the function that declares it.
VariableSP
SymbolFileLaneDWARF::AdaptSharedVariable(const VariableSP &variable_sp) {
  lldb_private::DataExtractor location;
  const ValueType scope = variable_sp->GetScope();
  // The variables of templates are global.
  if ((scope != eValueTypeVariableStatic &&
       scope != eValueTypeVariableGlobal) ||
      !variable_sp->LocationExpressionList().IsAlwaysValidSingleExpr() ||
      !variable_sp->LocationExpressionList().GetExpressionData(location) ||
      !GivesAddressSpace(location))
    return variable_sp;
  return CopyVariable(*variable_sp, GetTypeOf(*variable_sp),
                      eValueTypeVariableLocal, variable_sp->IsArtificial());
}

/// A variable in a workgroup's memory that the compiler gives no place.
VariableSP
SymbolFileLaneDWARF::PlaceSharedVariable(const VariableSP &variable_sp) {
  lldb_private::DataExtractor location;
  if (!variable_sp ||
      !variable_sp->LocationExpressionList().IsAlwaysValidSingleExpr() ||
      (variable_sp->LocationExpressionList().GetExpressionData(location) &&
       location.GetByteSize()))
    return variable_sp;
  DWARFDIE die = GetDIE(variable_sp->GetID());
  if (DWARFDIE origin =
          die ? die.GetReferencedDIE(llvm::dwarf::DW_AT_abstract_origin)
              : DWARFDIE())
    die = origin;
  if (!die)
    return variable_sp;
  const uint64_t index = LocalMemory::MakeIndex(die);
  if (!GetLocalMemory(*die.GetCU()).Has(index))
    return variable_sp;
  VariableSP placed_sp =
      CopyVariable(*variable_sp, GetTypeOf(*variable_sp),
                   eValueTypeVariableLocal, variable_sp->IsArtificial());
  placed_sp->LocationExpressionList() = LocalMemory::MakeLocation(
      *die.GetCU(), GetObjectFile()->GetModule(), index);
  return placed_sp;
}

/// Array bounds may belong to a single variable, so the array gets its own type
/// with the variable's number.
VariableSP
SymbolFileLaneDWARF::AdaptArrayVariable(const VariableSP &variable_sp) {
  std::optional<ArrayBounds> bounds =
      ArrayBounds::Find(GetDIE(variable_sp->GetID()));
  if (!bounds || !bounds->IsDynamic())
    return variable_sp;
  TypeSP type_sp = MakeArrayType(*bounds, variable_sp->GetID());
  if (!type_sp)
    return variable_sp;
  m_lists.SetHasArrays();
  // gfortran marks a parameter that is passed by a descriptor as artificial.
  return CopyVariable(*variable_sp,
                      std::make_shared<SymbolFileType>(*this, type_sp),
                      variable_sp->GetScope(), /*is_artificial=*/false);
}

/// Whether an outer block of the function has a variable of that name.
static bool HidesVariable(Block &block, ConstString name) {
  for (Block *outer = &block; !outer->GetInlinedFunctionInfo();) {
    outer = outer->GetParent();
    if (!outer)
      break;
    VariableListSP list_sp = outer->GetBlockVariableList(/*can_create=*/false);
    if (list_sp && list_sp->FindVariable(name, /*include_static=*/true))
      return true;
  }
  return false;
}

/// A variable hides another one from its declaration on. Compilers describe it
/// for the whole block.
VariableSP
SymbolFileLaneDWARF::AdaptHidingVariable(Block &block,
                                         const VariableSP &variable_sp) {
  const Declaration declaration = variable_sp->GetDeclaration();
  if (!declaration.GetLine() || !variable_sp->GetScopeRange().IsEmpty() ||
      !variable_sp->LocationExpressionList().IsAlwaysValidSingleExpr() ||
      !HidesVariable(block, variable_sp->GetUnqualifiedName()))
    return variable_sp;
  CompileUnit *unit = block.CalculateSymbolContextCompileUnit();
  LineTable *lines = unit ? unit->GetLineTable() : nullptr;
  Variable::RangeList scope;
  AddressRange range;
  for (uint32_t i = 0; lines && block.GetRangeAtIndex(i, range); ++i) {
    const addr_t begin = range.GetBaseAddress().GetFileAddress();
    const addr_t end = begin + range.GetByteSize();
    LineEntry entry;
    uint32_t index = 0;
    if (!lines->FindLineEntryByAddress(range.GetBaseAddress(), entry, &index))
      continue;
    for (; lines->GetLineEntryAtIndex(index, entry); ++index) {
      const addr_t at =
          std::max(entry.range.GetBaseAddress().GetFileAddress(), begin);
      if (at >= end)
        break;
      if (entry.line >= declaration.GetLine() &&
          entry.GetFile() == declaration.GetFile()) {
        scope.Append(at, end - at);
        break;
      }
    }
  }
  // Without code behind it, the declaration's place isn't known.
  if (scope.IsEmpty())
    return variable_sp;
  return CopyVariable(*variable_sp, GetTypeOf(*variable_sp),
                      variable_sp->GetScope(), variable_sp->IsArtificial(),
                      scope);
}

/// Gives a DW_AT_const_value the location of an implicit value. LLDB would
/// write to its own copy of a constant, as if the program had it.
static void PlaceConstant(Variable &variable, const ModuleSP &module_sp,
                          const DWARFUnit &unit) {
  lldb_private::DataExtractor constant;
  if (!variable.GetLocationIsConstantValueData() ||
      !variable.LocationExpressionList().IsAlwaysValidSingleExpr() ||
      !variable.LocationExpressionList().GetExpressionData(constant))
    return;
  std::string location(1, char(llvm::dwarf::DW_OP_implicit_value));
  llvm::raw_string_ostream stream(location);
  llvm::encodeULEB128(constant.GetByteSize(), stream);
  stream << llvm::toStringRef(constant.GetData());
  variable.LocationExpressionList() = DWARFExpressionList(
      module_sp,
      DWARFExpression(lldb_private::DataExtractor(
          std::make_shared<DataBufferHeap>(location.data(), location.size()),
          eByteOrderLittle, unit.GetAddressByteSize())),
      &unit);
  variable.SetLocationIsConstantValueData(false);
}

void SymbolFileLaneDWARF::PlaceConstants(VariableList &variables,
                                         size_t first) {
  for (size_t i = first; i < variables.GetSize(); ++i) {
    VariableSP variable_sp = variables.GetVariableAtIndex(i);
    if (!variable_sp->GetLocationIsConstantValueData())
      continue;
    if (DWARFDIE die = GetDIE(variable_sp->GetID()))
      PlaceConstant(*variable_sp, GetObjectFile()->GetModule(), *die.GetCU());
  }
}

void SymbolFileLaneDWARF::PlaceConstants(Block &block) {
  if (VariableListSP list_sp = block.GetBlockVariableList(/*can_create=*/false))
    PlaceConstants(*list_sp, 0);
  for (Block *child = block.GetFirstChild(); child; child = child->GetSibling())
    PlaceConstants(*child);
}

void SymbolFileLaneDWARF::AdaptVariables(Block &block) {
  VariableListSP list_sp = block.GetBlockVariableList(/*can_create=*/false);
  auto changed_sp = std::make_shared<VariableList>();
  bool changed = false;
  for (size_t i = 0; list_sp && i < list_sp->GetSize(); ++i) {
    VariableSP variable_sp = list_sp->GetVariableAtIndex(i);
    VariableSP adapted_sp = AdaptArrayVariable(
        AdaptHidingVariable(block, AdaptAutomaticVariable(variable_sp)));
    if (m_is_gpu)
      adapted_sp = PlaceSharedVariable(AdaptSharedVariable(adapted_sp));
    changed |= adapted_sp != variable_sp;
    changed_sp->AddVariable(adapted_sp);
  }
  // Where the function is inlined, or its out-of-line code.
  const bool is_function = !block.GetParent();
  DWARFDIE die = m_is_gpu && (is_function || block.GetInlinedFunctionInfo())
                     ? GetDIE(block.GetID())
                     : DWARFDIE();
  const char *name = die ? die.GetMangledName() : nullptr;
  if (name)
    for (const DWARFDIE &detached :
         GetLocalMemory(*die.GetCU()).GetDetached(name))
      if (VariableSP variable_sp = MakeDetached(detached, block)) {
        changed_sp->AddVariableIfUnique(variable_sp);
        changed = true;
      }
  if (die && !is_function)
    for (const DWARFDIE &dropped : FindDroppedVariables(die))
      if (VariableSP variable_sp = MakeDropped(dropped, block)) {
        changed_sp->AddVariable(PlaceSharedVariable(variable_sp));
        changed = true;
      }
  if (die)
    changed |= m_dynamic_arrays.Add(die, block, *changed_sp);
  if (changed)
    block.SetVariableList(changed_sp);
  for (Block *child = block.GetFirstChild(); child; child = child->GetSibling())
    AdaptVariables(*child);
}

void SymbolFileLaneDWARF::FindGlobalVariables(
    ConstString name, const CompilerDeclContext &parent_decl_ctx,
    uint32_t max_matches, VariableList &variables) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  const size_t first = variables.GetSize();
  SymbolFileDWARF::FindGlobalVariables(name, parent_decl_ctx, max_matches,
                                       variables);
  PlaceConstants(variables, first);
  // A bare name doesn't mean a member of theirs.
  if (m_is_gpu && !parent_decl_ctx)
    m_builtins.RemoveMembers(variables, first);
  const BuiltinVariable *builtin =
      m_is_gpu ? FindBuiltin(name.GetStringRef()) : nullptr;
  DWARFUnit *unit = builtin ? DebugInfo().GetUnitAtIndex(0) : nullptr;
  if (unit)
    m_builtins.Replace(variables, first, builtin, *GetObjectFile()->GetModule(),
                       *unit);
}

const LocalMemory &SymbolFileLaneDWARF::GetLocalMemory(DWARFUnit &unit) const {
  {
    std::lock_guard<std::mutex> guard(m_local_memory_mutex);
    auto found = m_local_memory.find(&unit);
    if (found != m_local_memory.end())
      return *found->second;
  }
  // Created without the lock, because it takes the module's lock.
  auto memory =
      std::make_unique<LocalMemory>(unit, [&](const DWARFDIE &variable) {
        return const_cast<SymbolFileLaneDWARF *>(this)
            ->m_source_values.IsShared(variable);
      });
  std::lock_guard<std::mutex> guard(m_local_memory_mutex);
  return *m_local_memory.emplace(&unit, std::move(memory)).first->second;
}

bool SymbolFileLaneDWARF::CompleteType(CompilerType &compiler_type) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  auto &forward = GetForwardDeclCompilerTypeToDIE();
  const opaque_compiler_type_t key =
      ClangUtil::RemoveFastQualifiers(compiler_type).GetOpaqueQualType();
  auto found = forward.find(key);
  if (found == forward.end())
    return SymbolFileDWARF::CompleteType(compiler_type);
  DWARFDIE die = GetDIE(found->second);
  if (DWARFDIE definition = FindDefinitionDIE(die))
    die = definition;
  const RecordCheck::Completion completion(m_records, compiler_type);
  const char *problem = die ? m_records.FindProblem(die) : nullptr;
  if (!problem) {
    const bool is_complete = SymbolFileDWARF::CompleteType(compiler_type);
    // A GPU's expressions are interpreted: see CallLowering.
    if (is_complete && m_is_gpu)
      AddSmallFloatMembers(compiler_type);
    return is_complete;
  }
  GetObjectFile()->GetModule()->ReportError(
      "[{0:x16}]: the structure {1} {2}", die.GetOffset(),
      die.GetName() ? die.GetName() : "without a name", problem);
  forward.erase(key);
  TypeSystemClang::StartTagDeclarationDefinition(compiler_type);
  return TypeSystemClang::CompleteTagDeclarationDefinition(compiler_type);
}

bool SymbolFileLaneDWARF::IsLineTableReadable(CompileUnit &comp_unit) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  DWARFUnit *unit = GetDWARFCompileUnit(&comp_unit);
  if (!unit)
    return true;
  llvm::Error error =
      CheckLineTable(*unit, GetDWARFContext().getOrLoadLineData());
  if (!error)
    return true;
  GetObjectFile()->GetModule()->ReportError(
      "the lines of the unit at {0:x8} can't be read: {1}", unit->GetOffset(),
      llvm::toString(std::move(error)));
  return false;
}

bool SymbolFileLaneDWARF::ParseSupportFiles(CompileUnit &comp_unit,
                                            SupportFileList &support_files) {
  return IsLineTableReadable(comp_unit) &&
         SymbolFileDWARF::ParseSupportFiles(comp_unit, support_files);
}

/// Without optimization, each variable is on the stack for all of its scope.
static bool IsOptimizedIn(const DWARFDIE &scope) {
  using namespace llvm::dwarf;
  for (DWARFDIE die : scope.children()) {
    const dw_tag_t tag = die.Tag();
    if (tag == DW_TAG_lexical_block) {
      if (IsOptimizedIn(die))
        return true;
      continue;
    }
    if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) ||
        die.GetAttributeValueAsUnsigned(DW_AT_declaration, 0))
      continue;
    DWARFFormValue value;
    if (!die.GetDIE()->GetAttributeValue(die.GetCU(), DW_AT_location, value,
                                         nullptr))
      return true;
    const llvm::ArrayRef<uint8_t> location = GetBlock(value);
    if (!DWARFFormValue::IsBlockForm(value.Form()) || location.empty() ||
        (location[0] >= DW_OP_reg0 && location[0] <= DW_OP_reg31) ||
        location.back() == DW_OP_stack_value)
      return true;
  }
  return false;
}

uint32_t SymbolFileLaneDWARF::ResolveSymbolContext(const Address &address,
                                                   SymbolContextItem scope,
                                                   SymbolContext &context) {
  const uint32_t resolved =
      SymbolFileDWARF::ResolveSymbolContext(address, scope, context);
  if (m_is_gpu && (resolved & eSymbolContextLineEntry) && !ExactLines::IsOn())
    FindLineOfCode(address, context.line_entry);
  return resolved;
}

void SymbolFileLaneDWARF::ChooseLinePlaces(
    llvm::SmallVectorImpl<SymbolContext> &places) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  m_line_places.Choose(places, [this](Function &function) {
    return IsOptimizedIn(GetDIE(function.GetID()));
  });
}

std::string SymbolFileLaneDWARF::GetLineNote(const Address &address) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  return m_line_places.GetNote(address.GetFileAddress());
}

std::optional<MissingCopies>
SymbolFileLaneDWARF::FindMissingCopies(const SymbolContext &place) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  DWARFCompileUnit *unit = GetDWARFCompileUnit(place.comp_unit);
  if (!unit || !IsOptimizedIn(GetDIE(place.function->GetID())))
    return std::nullopt;
  return m_line_places.FindMissing(place, [&](uint32_t from, uint32_t to) {
    return m_source_values.IsDueInRound(*place.comp_unit, *unit,
                                        place.line_entry.GetFile(), from, to);
  });
}

std::optional<std::string>
SymbolFileLaneDWARF::CompareLines(CompileUnit &comp_unit, const FileSpec &file,
                                  uint32_t from, uint32_t to) {
  DWARFCompileUnit *unit = GetDWARFCompileUnit(&comp_unit);
  return unit ? m_source_values.CompareLines(comp_unit, *unit, file, from, to)
              : std::nullopt;
}

bool SymbolFileLaneDWARF::ParseLineTable(CompileUnit &comp_unit) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  if (!IsLineTableReadable(comp_unit) ||
      !SymbolFileDWARF::ParseLineTable(comp_unit))
    return false;
  LeaveOutFarLines(comp_unit);
  LineTable *lines = m_is_gpu ? comp_unit.GetLineTable() : nullptr;
  if (DWARFCompileUnit *unit =
          lines ? GetDWARFCompileUnit(&comp_unit) : nullptr)
    if (std::unique_ptr<LineTable> moved =
            MoveSharedConstants(comp_unit, *lines, [&](addr_t address) {
              const DWARFDIE function = unit->LookupAddress(address);
              return !function || IsOptimizedIn(function);
            }))
      comp_unit.SetLineTable(moved.release());
  return true;
}

// LLDB's steps read all code of a line at once: a damaged address makes that
// terabytes.
void SymbolFileLaneDWARF::LeaveOutFarLines(CompileUnit &comp_unit) {
  LineTable *lines = comp_unit.GetLineTable();
  SectionList *sections = GetObjectFile()->GetModule()->GetSectionList();
  if (!lines || !sections)
    return;
  LineTable::FileAddressRanges ranges;
  lines->GetContiguousFileAddressRanges(ranges, /*append=*/false);
  std::map<addr_t, addr_t> code;
  bool is_far = false;
  for (size_t i = 0; i < ranges.GetSize(); ++i) {
    const auto &range = ranges.GetEntryRef(i);
    SectionSP section_sp =
        sections->FindSectionContainingFileAddress(range.GetRangeBase());
    if (!section_sp)
      continue;
    const addr_t begin = section_sp->GetFileAddress();
    const addr_t size = section_sp->GetByteSize();
    code.emplace(begin, size);
    is_far |= range.GetByteSize() > size - (range.GetRangeBase() - begin);
  }
  if (!is_far)
    return;
  LineTable::FileRangeMap kept;
  for (auto [begin, size] : code)
    kept.Append(LineTable::FileRangeMap::Entry(begin, size, begin));
  comp_unit.SetLineTable(lines->LinkLineTable(kept));
  GetObjectFile()->GetModule()->ReportError(
      "lines of the unit {0} lie outside its code and are left out",
      comp_unit.GetPrimaryFile().GetFilename().GetStringRef());
}

bool SymbolFileLaneDWARF::ParseDebugMacros(CompileUnit &comp_unit) {
  const bool has_macros = SymbolFileDWARF::ParseDebugMacros(comp_unit);
  if (GetObjectFile()->GetArchitecture().GetMachine() != llvm::Triple::amdgcn)
    return has_macros;
  const std::string functions = GetBuiltinFunctions([&](llvm::StringRef name) {
    bool found = false;
    auto find = [&](DWARFDIE) {
      found = true;
      return IterationAction::Stop;
    };
    m_index->GetTypes(ConstString(name), find);
    if (!found)
      m_index->GetFunctions(
          Module::LookupInfo::MakeLookupInfos(
              ConstString(name), eFunctionNameTypeBase, eLanguageTypeUnknown),
          *this, CompilerDeclContext(), find);
    return found;
  });
  if (functions.empty())
    return has_macros;
  auto macros_sp = std::make_shared<DebugMacros>();
  // LLDB puts macros before an expression as lines; this is one with more
  // lines.
  macros_sp->AddMacroEntry(DebugMacroEntry::CreateDefineEntry(
      0, ("__WAVELANE_FUNCTIONS__\n" + functions).c_str()));
  if (const DebugMacros *macros =
          has_macros ? comp_unit.GetDebugMacros() : nullptr)
    for (size_t i = 0; i < macros->GetNumMacroEntries(); ++i)
      macros_sp->AddMacroEntry(macros->GetMacroEntryAtIndex(i));
  comp_unit.SetDebugMacros(macros_sp);
  return true;
}

// The names of functions in debug information end with the arguments of their
// templates; which of the functions are meant is decided after the lookup.
void SymbolFileLaneDWARF::FindFunctions(
    const Module::LookupInfo &lookup_info,
    const CompilerDeclContext &parent_decl_ctx, bool include_inlines,
    SymbolContextList &contexts) {
  SymbolFileDWARF::FindFunctions(lookup_info, parent_decl_ctx, include_inlines,
                                 contexts);
  const llvm::StringRef base = lookup_info.GetLookupName().GetStringRef();
  if (!lookup_info.GetName().GetStringRef().contains('<') || base.empty() ||
      base.contains('<') || parent_decl_ctx)
    return;
  SymbolContextList instances;
  FindFunctions(RegularExpression("^" + llvm::Regex::escape(base) + "<"),
                include_inlines, instances);
  contexts.AppendIfUnique(instances, /*merge_symbol_into_function=*/false);
}

unsigned SymbolFileLaneDWARF::GetCompilerVersion(CompileUnit &unit) {
  DWARFUnit *dwarf_unit = GetDWARFCompileUnit(&unit);
  return dwarf_unit ? GetClangVersion(*dwarf_unit) : 0;
}

bool SymbolFileLaneDWARF::IsFortran(CompileUnit &comp_unit) {
  return IsFortranLanguage(SymbolFileDWARF::ParseLanguage(comp_unit));
}

LanguageType SymbolFileLaneDWARF::ParseLanguage(CompileUnit &comp_unit) {
  return GetExtendedLanguage(SymbolFileDWARF::ParseLanguage(comp_unit));
}

llvm::Expected<TypeSystemSP>
SymbolFileLaneDWARF::GetTypeSystemForLanguage(LanguageType language) {
  return SymbolFileDWARF::GetTypeSystemForLanguage(
      GetExtendedLanguage(language));
}

TypeSP SymbolFileLaneDWARF::RefuseType(const DWARFDIE &die, bool *type_is_new,
                                       const char *why) {
  GetObjectFile()->GetModule()->ReportError(
      "[{0:x16}]: the type {1} {2}", die.GetOffset(),
      die.GetName() ? die.GetName() : "without a name", why);
  if (type_is_new)
    *type_is_new = false;
  GetDIEToType()[die.GetDIE()] = nullptr;
  return nullptr;
}

TypeSP SymbolFileLaneDWARF::ParseType(const SymbolContext &sc,
                                      const DWARFDIE &die, bool *type_is_new) {
  if (die && !GetDIEToType().count(die.GetDIE()))
    if (const char *problem = FindTypeProblem(die))
      return RefuseType(die, type_is_new, problem);
  const bool is_known = die && GetDIEToType().count(die.GetDIE());
  // LLDB doesn't know string types, and would report an error.
  const dw_tag_t tag = die ? die.Tag() : dw_tag_t(0);
  TypeSP plain_sp;
  if (tag != llvm::dwarf::DW_TAG_string_type || is_known)
    plain_sp = SymbolFileDWARF::ParseType(sc, die, type_is_new);
  if (is_known)
    return plain_sp;
  TypeSP type_sp;
  switch (tag) {
  case llvm::dwarf::DW_TAG_array_type:
    if (std::optional<ArrayBounds> bounds = ArrayBounds::Find(die))
      type_sp = MakeArrayType(*bounds, die.GetID());
    break;
  case llvm::dwarf::DW_TAG_string_type:
    type_sp = MakeStringType(die);
    break;
  case llvm::dwarf::DW_TAG_pointer_type:
    if (CompilerType type =
            m_is_gpu && plain_sp ? GetSpacePointer(die) : CompilerType())
      type_sp = MakeTypeLike(*plain_sp, type);
    break;
  case llvm::dwarf::DW_TAG_enumeration_type:
    if (plain_sp && !IsNumberReadable(*plain_sp))
      return RefuseType(die, type_is_new, "has no type of numbers");
    break;
  case llvm::dwarf::DW_TAG_base_type:
    if (plain_sp && !IsNumberReadable(*plain_sp))
      return RefuseType(die, type_is_new,
                        "has an encoding or a size that no machine has");
    if (const unsigned count = plain_sp ? GetVectorSize(die) : 0) {
      const CompilerType element = plain_sp->GetFullCompilerType();
      if (auto ast = element.GetTypeSystem<TypeSystemClang>())
        type_sp =
            MakeTypeLike(*plain_sp, ast->CreateArrayType(element, count,
                                                         /*is_vector=*/true));
    }
    break;
  default:
    break;
  }
  if (!type_sp)
    return plain_sp;
  GetDIEToType()[die.GetDIE()] = type_sp.get();
  return type_sp;
}

TypeSP SymbolFileLaneDWARF::MakeTypeLike(Type &plain,
                                         const CompilerType &type) {
  Declaration declaration = plain.GetDeclaration();
  return MakeType(plain.GetID(), plain.GetName(),
                  llvm::expectedToOptional(type.GetByteSize(nullptr)),
                  plain.GetSymbolContextScope(), LLDB_INVALID_UID,
                  Type::eEncodingIsUID, declaration, type,
                  Type::ResolveState::Full);
}

/// An element type for one array only. Clang merges array types without a size
/// that have the same elements, but several arrays may have different bounds.
static CompilerType MakeOwnElement(TypeSystemClang &ast,
                                   const CompilerType &element) {
  clang::ASTContext &context = ast.getASTContext();
  const clang::QualType type = ClangUtil::GetQualType(element);
  auto *own = clang::TypedefDecl::Create(
      context, context.getTranslationUnitDecl(), clang::SourceLocation(),
      clang::SourceLocation(),
      &context.Idents.get(element.GetTypeName().GetStringRef()),
      context.getTrivialTypeSourceInfo(type));
  return ast.GetType(context.getTypedefType(clang::ElaboratedTypeKeyword::None,
                                            std::nullopt, own));
}

CompilerType SymbolFileLaneDWARF::MakeDynamicArrayType(
    TypeSystemClang &ast, const CompilerType &element, user_id_t uid) {
  const CompilerType type = ast.CreateArrayType(
      MakeOwnElement(ast, element), std::nullopt, /*is_vector=*/false);
  ast.SetMetadataAsUserID(ClangUtil::GetQualType(type).getTypePtr(), uid);
  return type;
}

TypeSP SymbolFileLaneDWARF::MakeUnknownType(user_id_t uid) {
  llvm::Expected<TypeSystemSP> types =
      GetTypeSystemForLanguage(eLanguageTypeC_plus_plus);
  if (!types) {
    llvm::consumeError(types.takeError());
    return nullptr;
  }
  auto *ast = llvm::dyn_cast_or_null<TypeSystemClang>(types->get());
  return ast ? MakeType(uid, ConstString(), 1, nullptr, LLDB_INVALID_UID,
                        Type::eEncodingIsUID, Declaration(),
                        ast->GetBasicType(eBasicTypeUnsignedChar),
                        Type::ResolveState::Full)
             : nullptr;
}

CompilerDecl SymbolFileLaneDWARF::GetDeclForUID(user_id_t uid) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  return m_dynamic_arrays.Has(uid) ? m_dynamic_arrays.GetDecl(uid)
                                   : SymbolFileDWARF::GetDeclForUID(uid);
}

CompilerType SymbolFileLaneDWARF::MakeFrameArray(TypeSystemClang &ast,
                                                 const CompilerType &element,
                                                 user_id_t uid,
                                                 unsigned dimension) {
  const CompilerType type =
      ast.CreateArrayType(element, std::nullopt, /*is_vector=*/false);
  m_frame_arrays[ClangUtil::GetQualType(type).getTypePtr()] = {uid, dimension};
  m_lists.SetHasArrays();
  return type;
}

/// \param uid  The entry with the bounds: the array, or a variable.
TypeSP SymbolFileLaneDWARF::MakeArrayType(const ArrayBounds &bounds,
                                          user_id_t uid) {
  const DWARFDIE element_die =
      bounds.GetArray().GetReferencedDIE(llvm::dwarf::DW_AT_type);
  Type *element = ResolveTypeUID(element_die, /*assert_not_being_parsed=*/true);
  CompilerType type =
      element ? element->GetForwardCompilerType() : CompilerType();
  auto ast = type.GetTypeSystem<TypeSystemClang>();
  if (!ast)
    return nullptr;
  TypeSystemClang::RequireCompleteType(type);
  std::vector<std::optional<uint64_t>> counts = bounds.GetCounts();
  if (counts.empty())
    counts.push_back(std::nullopt);
  const size_t dynamic =
      bounds.IsDynamic() ? bounds.CountDynamicDimensions() : 0;
  if (bounds.IsDynamic())
    type = MakeOwnElement(*ast, type);
  for (size_t i = counts.size(); i-- > 0;)
    type = i < dynamic
               ? MakeFrameArray(*ast, type, uid, unsigned(i))
               : ast->CreateArrayType(type, counts[i], /*is_vector=*/false);
  TypeSP type_sp = MakeType(
      uid, ConstString(),
      bounds.IsDynamic() ? std::nullopt
                         : llvm::expectedToOptional(type.GetByteSize(nullptr)),
      nullptr, element_die.GetID(), Type::eEncodingIsUID, Declaration(), type,
      Type::ResolveState::Full);
  type_sp->SetEncodingType(element);
  return type_sp;
}

/// Fortran strings of constant length.
TypeSP SymbolFileLaneDWARF::MakeStringType(const DWARFDIE &die) {
  const uint64_t size =
      die.GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_byte_size, 0);
  auto type_system = GetTypeSystemForLanguage(GetLanguage(*die.GetCU()));
  if (!type_system) {
    llvm::consumeError(type_system.takeError());
    return nullptr;
  }
  auto *ast = llvm::dyn_cast_or_null<TypeSystemClang>(type_system->get());
  if (!ast || size == 0)
    return nullptr;
  const CompilerType type = ast->CreateArrayType(
      ast->GetBasicType(eBasicTypeChar), size, /*is_vector=*/false);
  return MakeType(die.GetID(), ConstString(die.GetName()), size, nullptr,
                  LLDB_INVALID_UID, Type::eEncodingIsUID, Declaration(), type,
                  Type::ResolveState::Full);
}

std::optional<SymbolFile::ArrayInfo>
SymbolFileLaneDWARF::GetDynamicArrayInfoForUID(
    user_id_t type_uid, const ExecutionContext *exe_ctx) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  if (!m_dynamic_arrays.Has(type_uid))
    return SymbolFileDWARF::GetDynamicArrayInfoForUID(type_uid, exe_ctx);
  ArrayInfo counted;
  counted.element_orders.push_back(m_dynamic_arrays.CountElements(
      type_uid, exe_ctx ? exe_ctx->GetFramePtr() : nullptr));
  return counted;
}

llvm::Expected<ArrayExtent>
SymbolFileLaneDWARF::MeasureArray(const void *type,
                                  const ExecutionContext *exe_ctx) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  const FrameArray array = m_frame_arrays.lookup(type);
  const DWARFDIE die = GetDIE(array.uid);
  const std::optional<ArrayBounds> bounds = ArrayBounds::Find(die);
  if (!bounds)
    return llvm::createStringError("the array's bounds can't be read");
  ProcessSP process_sp = exe_ctx ? exe_ctx->GetProcessSP() : nullptr;
  StackFrameSP frame_sp = exe_ctx ? exe_ctx->GetFrameSP() : nullptr;
  const bool is_alive = process_sp && process_sp->IsAlive() && frame_sp;
  FrameContext context(
      is_alive ? FrameFacts(*process_sp, frame_sp->GetThread().get(),
                            frame_sp.get(), GetFocusLane(*frame_sp))
               : FrameFacts(m_is_gpu),
      GetObjectFile()->GetModule(), die.GetCU(),
      die.GetCU()->GetAddressByteSize());
  std::optional<location::Location> place;
  llvm::Error no_place = [&]() -> llvm::Error {
    if (die.Tag() == llvm::dwarf::DW_TAG_array_type)
      return llvm::Error::success();
    llvm::Expected<location::DieLocation> entry =
        context.getDie({location::DieReference::Section, die.GetOffset()});
    return entry
               ? location::evaluateDie(*entry, context, context.GetOptions({}))
                     .moveInto(place)
               : entry.takeError();
  }();
  // Only the bounds in a descriptor need the place.
  llvm::Expected<ArrayExtent> extent =
      bounds->Measure(context, array.dimension, place);
  if (extent || !no_place) {
    llvm::consumeError(std::move(no_place));
    return extent;
  }
  llvm::consumeError(extent.takeError());
  return std::move(no_place);
}

std::vector<std::unique_ptr<CallEdge>>
SymbolFileLaneDWARF::ParseCallEdgesInFunction(UserID func_id) {
  return MakeCallEdges(GetDIE(func_id.GetID()));
}

/// \return Invalid for a pointer to plain memory.
CompilerType SymbolFileLaneDWARF::GetSpacePointer(const DWARFDIE &die) {
  const unsigned space = PointerSpaces::ReadAttributes(die);
  auto type_system = GetTypeSystemForLanguage(GetLanguage(*die.GetCU()));
  if (!type_system || !space) {
    llvm::consumeError(type_system.takeError());
    return CompilerType();
  }
  auto *ast = llvm::dyn_cast_or_null<TypeSystemClang>(type_system->get());
  if (!ast)
    return CompilerType();
  CompilerType pointee = ast->GetBasicType(eBasicTypeVoid);
  if (DWARFDIE pointee_die = die.GetReferencedDIE(llvm::dwarf::DW_AT_type)) {
    Type *type = ResolveTypeUID(pointee_die, /*assert_not_being_parsed=*/true);
    pointee = type ? type->GetForwardCompilerType() : CompilerType();
  }
  if (!pointee)
    return CompilerType();
  clang::ASTContext &context = ast->getASTContext();
  return ast->GetType(context.getPointerType(context.getAddrSpaceQualType(
      ClangUtil::GetQualType(pointee), clang::getLangASFromTargetAS(space))));
}

std::optional<addr_t>
SymbolFileLaneDWARF::GetProgramLocation(const ExecutionContext &exe_ctx,
                                        RegisterContext *reg_ctx) const {
  StackFrameSP frame_sp = exe_ctx.GetFrameSP();
  if (!frame_sp && reg_ctx)
    frame_sp = reg_ctx->CalculateStackFrame();
  if (!m_is_gpu || !frame_sp)
    return std::nullopt;
  return wavelane::GetProgramLocation(*frame_sp, GetFocusLane(*frame_sp));
}

/// \return 0 for a type that isn't a vector.
unsigned SymbolFileLaneDWARF::GetVectorSize(const DWARFDIE &die) const {
  DWARFAttributes attributes = die.GetAttributes();
  for (size_t i = 0; i < attributes.Size(); ++i) {
    const uint32_t code = attributes.AttributeAtIndex(i);
    DWARFFormValue value;
    if (code >= llvm::dwarf::DW_AT_lo_user &&
        location::getAttribute(
            uint16_t(code),
            location::getFormClass(uint16_t(attributes.FormAtIndex(i))),
            IsAMDUnit(*die.GetCU())) == location::LaneAttribute::VectorSize &&
        attributes.ExtractFormValueAtIndex(i, value))
      return unsigned(std::min<uint64_t>(value.Unsigned(), 4096));
  }
  return 0;
}

bool SymbolFileLaneDWARF::UsesOldNumbers(CompileUnit &unit) {
  DWARFUnit *dwarf_unit = GetDWARFCompileUnit(&unit);
  return dwarf_unit && HasOldAddressSpaceNumbers(*dwarf_unit);
}

offset_t SymbolFileLaneDWARF::GetVendorDWARFOpcodeSize(
    const DataExtractor &data, const offset_t data_offset, uint8_t) const {
  // LLDB calls this for every operation that it doesn't know, including
  // DW_OP_constx.
  return GetOperandSize(data, data_offset).value_or(LLDB_INVALID_OFFSET);
}

std::optional<llvm::Expected<Value>> SymbolFileLaneDWARF::EvaluateExpression(
    ExecutionContext *exe_ctx, RegisterContext *reg_ctx,
    const ModuleSP &module_sp, const DataExtractor &opcodes,
    const DWARFUnit &dwarf_cu, RegisterKind, const Value *initial_value_ptr,
    const Value *object_address_ptr) const {
  if (opcodes.GetByteSize() == 0)
    return llvm::Expected<Value>(llvm::createStringError(
        m_is_gpu ? kOptimizedOut
                 : "no location, value may have been optimized out"));

  const std::optional<MissingLocation> missing =
      MissingLocation::Decode(opcodes.GetData());
  if (missing && missing->kind != MissingLocation::Kind::eArgument)
    return llvm::Expected<Value>(llvm::createStringError(missing->Describe(
        *module_sp, exe_ctx ? exe_ctx->GetFramePtr() : nullptr)));

  if (Target *target = exe_ctx ? exe_ctx->GetTargetPtr() : nullptr;
      target && !m_is_gpu) {
    llvm::Expected<std::optional<addr_t>> address =
        FindShadowed(*target, *module_sp, opcodes, dwarf_cu);
    if (!address)
      return address.takeError();
    if (*address) {
      Value value{Scalar(**address)};
      value.SetValueType(Value::ValueType::LoadAddress);
      return llvm::Expected<Value>(value);
    }
  }

  // Types are laid out, and static variables located, without a process.
  Process *process = exe_ctx ? exe_ctx->GetProcessPtr() : nullptr;
  if (process && !process->IsAlive())
    process = nullptr;
  StackFrame *frame = process ? exe_ctx->GetFramePtr() : nullptr;
  ThreadSP thread_sp = process ? exe_ctx->GetThreadSP() : nullptr;
  // Use the frame of a register context; one without a frame is the thread's.
  StackFrameSP frame_sp;
  if (process && !frame && reg_ctx) {
    thread_sp = reg_ctx->CalculateThread();
    frame_sp = reg_ctx->CalculateStackFrame();
    frame = frame_sp.get();
  }
  if (!m_is_gpu && frame && thread_sp && !m_lists.HasOverlapping() &&
      !m_lists.HasArrays())
    if (std::optional<addr_t> address =
            FindAddressInFrame(opcodes, *thread_sp, *frame)) {
      Value value{Scalar(*address)};
      value.SetValueType(Value::ValueType::LoadAddress);
      return llvm::Expected<Value>(value);
    }
  const uint32_t lane = frame       ? GetFocusLane(*frame)
                        : thread_sp ? GetFocusLane(*thread_sp)
                                    : 0;
  auto context = std::make_shared<FrameContext>(
      process ? FrameFacts(*process, thread_sp.get(), frame, lane)
              : FrameFacts(m_is_gpu),
      module_sp, &dwarf_cu, uint8_t(opcodes.GetAddressByteSize()));
  if (missing) {
    llvm::Expected<lldb_private::DataExtractor> argument =
        missing->ReadArgument(context->GetFacts());
    if (!argument)
      return llvm::Expected<Value>(argument.takeError());
    DWARFDIE variable =
        const_cast<SymbolFileLaneDWARF *>(this)->GetDIE(missing->variable);
    const char *name = variable ? variable.GetName() : nullptr;
    if (auto from = missing->GetProvenance(*module_sp, frame); from && name)
      ProvenanceScope::Note(name, *from);
    return EvaluateToValue(context, *argument, m_lists, /*initial=*/nullptr,
                           missing->source == MissingLocation::Source::eChecked
                               ? &opcodes
                               : nullptr);
  }
  if (object_address_ptr)
    context->SetObject(location::Location::memory(
        eSpaceGlobal, object_address_ptr->GetScalar().ULongLong()));
  return EvaluateToValue(context, opcodes, m_lists, initial_value_ptr);
}
