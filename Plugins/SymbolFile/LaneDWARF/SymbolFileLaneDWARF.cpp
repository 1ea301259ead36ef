//===-- SymbolFileLaneDWARF.cpp ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SymbolFileLaneDWARF.h"
#include "Evaluation.h"
#include "LaneAttributes.h"
#include "Operations.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFDebugInfo.h"
#include "Plugins/SymbolFile/Symtab/SymbolFileSymtab.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "PointerSpaces.h"
#include "Support/Debuggers.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "wavelane/Location/Attributes.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

/// The language that a GPU's language extends; \a language itself for others.
static LanguageType GetExtendedLanguage(LanguageType language) {
  if (language == eLanguageTypeOpenCL)
    return eLanguageTypeC99;
  return location::isLanguageHIP(uint16_t(language))
             ? eLanguageTypeC_plus_plus_14
             : language;
}

static TypeSystemSP CreateTypeSystem(LanguageType language, Module *module,
                                     Target *target) {
  const LanguageType extended = GetExtendedLanguage(language);
  return extended == language
             ? nullptr
             : TypeSystemClang::CreateInstance(extended, module, target);
}

void SymbolFileLaneDWARF::Initialize() {
  // LLDB's own plugin would read the same files; the debug map's stays, and
  // finds this one for its object files.
  PluginManager::UnregisterPlugin(SymbolFileDWARF::CreateInstance);
  PluginManager::RegisterPlugin(SymbolFileDWARF::GetPluginNameStatic(),
                                SymbolFileDWARF::GetPluginDescriptionStatic(),
                                CreateInstance, DebuggerInitialize);
  // DWARF is asked before the symbol table, as in LLDB: the first that can do
  // all is taken, and the symbol table's plugin would read the table to say
  // that it can't.
  PluginManager::UnregisterPlugin(SymbolFileSymtab::CreateInstance);
  PluginManager::RegisterPlugin(SymbolFileSymtab::GetPluginNameStatic(),
                                SymbolFileSymtab::GetPluginDescriptionStatic(),
                                SymbolFileSymtab::CreateInstance);
  LanguageSet languages;
  languages.Insert(eLanguageTypeOpenCL);
  PluginManager::RegisterPlugin("gpu-languages",
                                "languages that extend C and C++ for GPUs",
                                CreateTypeSystem, languages, languages);
  SetDebugInfoLanes(ReadLaneAttributes);
  PointerSpaces::Initialize();
}

void SymbolFileLaneDWARF::DebuggerInitialize(Debugger &debugger) {
  SymbolFileDWARF::DebuggerInitialize(debugger);
  DebuggerWasCreated(debugger);
}

SymbolFile *SymbolFileLaneDWARF::CreateInstance(ObjectFileSP objfile_sp) {
  return new SymbolFileLaneDWARF(std::move(objfile_sp));
}

SymbolFileLaneDWARF::SymbolFileLaneDWARF(ObjectFileSP objfile_sp)
    : SymbolFileDWARF(objfile_sp, /*dwo_section_list=*/nullptr),
      m_is_gpu(objfile_sp->GetModule()->GetArchitecture().GetMachine() ==
               llvm::Triple::amdgcn),
      m_builtins(*this) {}

size_t SymbolFileLaneDWARF::ParseVariablesForContext(const SymbolContext &sc) {
  if (!m_is_gpu || !sc.comp_unit)
    return SymbolFileDWARF::ParseVariablesForContext(sc);
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  const bool is_new =
      sc.function || !sc.comp_unit->GetVariableList(/*can_create=*/false);
  size_t count = SymbolFileDWARF::ParseVariablesForContext(sc);
  if (sc.function) {
    MakeSharedVariablesLocal(sc.function->GetBlock(/*can_create=*/true));
    return count;
  }
  VariableListSP list_sp = sc.comp_unit->GetVariableList(/*can_create=*/false);
  const DWARFUnit *unit = GetDWARFCompileUnit(sc.comp_unit);
  if (is_new && list_sp && unit) {
    m_builtins.Replace(*list_sp, 0, /*only=*/nullptr, *sc.comp_unit, *unit);
    count = list_sp->GetSize();
  }
  return count;
}

/// Whether the variable's one location gives an address space: local memory.
static bool IsShared(Variable &variable) {
  lldb_private::DataExtractor location;
  const ValueType scope = variable.GetScope();
  // Those of templates are global.
  return (scope == eValueTypeVariableStatic ||
          scope == eValueTypeVariableGlobal) &&
         variable.LocationExpressionList().IsAlwaysValidSingleExpr() &&
         variable.LocationExpressionList().GetExpressionData(location) &&
         GivesAddressSpace(location);
}

VariableSP SymbolFileLaneDWARF::MakeLocal(Variable &shared) {
  Declaration declaration = shared.GetDeclaration();
  return std::make_shared<Variable>(
      shared.GetID(), shared.GetUnqualifiedName().AsCString(), nullptr,
      std::make_shared<SymbolFileType>(*this, shared.GetType()
                                                  ? shared.GetType()->GetID()
                                                  : LLDB_INVALID_UID),
      eValueTypeVariableLocal, shared.GetSymbolContextScope(),
      shared.GetScopeRange(), &declaration, shared.LocationExpressionList(),
      shared.IsExternal(), shared.IsArtificial(),
      shared.GetLocationIsConstantValueData());
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
          value.BlockData(), value.Unsigned(), eByteOrderLittle, 8)),
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

/// Memory of a workgroup goes with the function that declares it.
void SymbolFileLaneDWARF::MakeSharedVariablesLocal(Block &block) {
  VariableListSP list_sp = block.GetBlockVariableList(/*can_create=*/false);
  auto changed_sp = std::make_shared<VariableList>();
  bool changed = false;
  for (size_t i = 0; list_sp && i < list_sp->GetSize(); ++i) {
    VariableSP variable_sp = list_sp->GetVariableAtIndex(i);
    const bool is_shared = IsShared(*variable_sp);
    changed_sp->AddVariable(is_shared ? MakeLocal(*variable_sp) : variable_sp);
    changed |= is_shared;
  }
  // Where it is inlined, and where the code of a function that is inlined
  // elsewhere is.
  const bool is_function = !block.GetParent();
  DWARFDIE die = is_function || block.GetInlinedFunctionInfo()
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
  if (changed)
    block.SetVariableList(changed_sp);
  for (Block *child = block.GetFirstChild(); child; child = child->GetSibling())
    MakeSharedVariablesLocal(*child);
}

void SymbolFileLaneDWARF::FindGlobalVariables(
    ConstString name, const CompilerDeclContext &parent_decl_ctx,
    uint32_t max_matches, VariableList &variables) {
  std::lock_guard<std::recursive_mutex> guard(GetModuleMutex());
  const size_t first = variables.GetSize();
  SymbolFileDWARF::FindGlobalVariables(name, parent_decl_ctx, max_matches,
                                       variables);
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
  // Made without the lock, as it takes the module's.
  auto memory = std::make_unique<LocalMemory>(unit);
  std::lock_guard<std::mutex> guard(m_local_memory_mutex);
  return *m_local_memory.emplace(&unit, std::move(memory)).first->second;
}

LanguageType SymbolFileLaneDWARF::ParseLanguage(CompileUnit &comp_unit) {
  return GetExtendedLanguage(SymbolFileDWARF::ParseLanguage(comp_unit));
}

llvm::Expected<TypeSystemSP>
SymbolFileLaneDWARF::GetTypeSystemForLanguage(LanguageType language) {
  return SymbolFileDWARF::GetTypeSystemForLanguage(
      GetExtendedLanguage(language));
}

TypeSP SymbolFileLaneDWARF::ParseType(const SymbolContext &sc,
                                      const DWARFDIE &die, bool *type_is_new) {
  const bool is_known = die && GetDIEToType().count(die.GetDIE());
  TypeSP plain_sp = SymbolFileDWARF::ParseType(sc, die, type_is_new);
  if (!m_is_gpu || is_known || !plain_sp)
    return plain_sp;
  CompilerType type;
  if (die.Tag() == llvm::dwarf::DW_TAG_pointer_type) {
    type = GetSpacePointer(die);
  } else if (die.Tag() == llvm::dwarf::DW_TAG_base_type) {
    const unsigned count = GetVectorSize(die);
    const CompilerType element = plain_sp->GetFullCompilerType();
    if (auto ast = element.GetTypeSystem<TypeSystemClang>(); ast && count)
      type = ast->CreateArrayType(element, count, /*is_vector=*/true);
  }
  if (!type)
    return plain_sp;
  Declaration declaration = plain_sp->GetDeclaration();
  TypeSP type_sp = MakeType(die.GetID(), plain_sp->GetName(),
                            llvm::expectedToOptional(type.GetByteSize(nullptr)),
                            plain_sp->GetSymbolContextScope(), LLDB_INVALID_UID,
                            Type::eEncodingIsUID, declaration, type,
                            Type::ResolveState::Full);
  GetDIEToType()[die.GetDIE()] = type_sp.get();
  return type_sp;
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

/// \return 0 for a type that is no vector.
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
  // LLDB asks for every operation that it doesn't know, DW_OP_constx among
  // them.
  return GetOperandSize(data, data_offset).value_or(LLDB_INVALID_OFFSET);
}

std::optional<llvm::Expected<Value>> SymbolFileLaneDWARF::EvaluateExpression(
    ExecutionContext *exe_ctx, RegisterContext *reg_ctx,
    const ModuleSP &module_sp, const DataExtractor &opcodes,
    const DWARFUnit &dwarf_cu, RegisterKind, const Value *initial_value_ptr,
    const Value *object_address_ptr) const {
  if (!m_is_gpu && !NeedsEngine(opcodes))
    return std::nullopt;
  // Types are laid out, and static variables found, without a process; stock
  // evaluation does that.
  Process *process = exe_ctx ? exe_ctx->GetProcessPtr() : nullptr;
  if (!process || !process->IsAlive())
    return std::nullopt;
  if (opcodes.GetByteSize() == 0)
    return llvm::Expected<Value>(llvm::createStringError(
        "no location, value may have been optimized out"));

  StackFrame *frame = exe_ctx->GetFramePtr();
  ThreadSP thread_sp = exe_ctx->GetThreadSP();
  // Register contexts come with frames; a bare one belongs to its thread's.
  StackFrameSP frame_sp;
  if (!frame && reg_ctx) {
    thread_sp = reg_ctx->CalculateThread();
    frame_sp = reg_ctx->CalculateStackFrame();
    frame = frame_sp.get();
  }
  const uint32_t lane = frame       ? GetFocusLane(*frame)
                        : thread_sp ? GetFocusLane(*thread_sp)
                                    : 0;
  auto context = std::make_shared<FrameContext>(
      FrameFacts(*process, thread_sp.get(), frame, lane), module_sp, &dwarf_cu,
      uint8_t(opcodes.GetAddressByteSize()));
  if (object_address_ptr)
    context->SetObject(location::Location::memory(
        eSpaceGlobal, object_address_ptr->GetScalar().ULongLong()));
  return EvaluateToValue(context, opcodes.GetData(), initial_value_ptr);
}
