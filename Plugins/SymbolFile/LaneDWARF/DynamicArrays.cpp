//===-- DynamicArrays.cpp ---------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DynamicArrays.h"
#include "Core/Lane/Wave.h"
#include "EntryAttributes.h"
#include "LaneSymbols.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "SharedVariables.h"
#include "lldb/Core/Module.h"
#include "lldb/Expression/DWARFExpressionList.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace source = ::wavelane::source;

/// Beyond any index of .debug_addr.
static constexpr uint64_t kFirstIndex = uint64_t(1) << 40;
/// A variable's identifier is an offset within its function's entry, where no
/// other entry begins; entries have at least this many bytes.
static constexpr uint64_t kMostArrays = 8;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

CompilerType DynamicArrays::FindType(llvm::StringRef name) {
  unsigned pointers = 0;
  while (name.consume_back("*")) {
    ++pointers;
    name = name.rtrim();
  }
  auto types = m_symbols.GetTypeSystemForLanguage(eLanguageTypeC_plus_plus_14);
  auto *ast =
      types ? llvm::dyn_cast_or_null<TypeSystemClang>(types->get()) : nullptr;
  if (!types)
    llvm::consumeError(types.takeError());
  if (!ast)
    return CompilerType();
  const BasicType basic = name == "_Float16"
                              ? eBasicTypeHalf
                              : TypeSystemClang::GetBasicTypeEnumeration(name);
  CompilerType type;
  if (basic != eBasicTypeInvalid) {
    type = ast->GetBasicType(basic);
  } else {
    TypeQuery query(name, TypeQueryOptions::e_find_one);
    TypeResults results;
    m_symbols.FindTypes(query, results);
    if (TypeSP found_sp = results.GetFirstType())
      type = found_sp->GetForwardCompilerType();
  }
  for (; type && pointers > 0; --pointers)
    type = type.GetPointerType();
  return type;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool DynamicArrays::MayHave(CompileUnit &unit) {
  auto [it, is_new] = m_may_have.try_emplace(&unit);
  if (is_new)
    it->second = SourceValues::Mentions(
        unit, "extern[^;]*__shared__|__shared__[^;]*extern|DYNAMIC_SHARED");
  return it->second;
}

VariableSP DynamicArrays::Make(const DWARFDIE &die,
                               const source::DynamicArray &found, user_id_t uid,
                               Block &block) {
  Array &array = m_arrays[uid];
  array.name = found.Name;
  array.scope = die.GetID();
  CompilerType element = FindType(found.Type);
  auto ast = element.GetTypeSystem<TypeSystemClang>();
  if (ast)
    TypeSystemClang::RequireCompleteType(element);
  else
    array.problem = llvm::formatv(
        "the debug information doesn't describe {0}, the type of the elements "
        "of {1}",
        found.Type, found.Name);
  TypeSP type_sp;
  if (ast) {
    for (size_t i = found.Counts.size(); i-- > 0;)
      element = ast->CreateArrayType(element, size_t(found.Counts[i]),
                                     /*is_vector=*/false);
    array.element_size =
        llvm::expectedToOptional(element.GetByteSize(nullptr)).value_or(0);
    array.type = m_symbols.MakeDynamicArrayType(*ast, element, uid);
    type_sp =
        m_symbols.MakeType(uid, ConstString(), std::nullopt, nullptr,
                           LLDB_INVALID_UID, Type::eEncodingIsUID,
                           Declaration(), array.type, Type::ResolveState::Full);
  } else {
    type_sp = m_symbols.MakeUnknownType(uid);
  }
  if (!type_sp) {
    m_arrays.erase(uid);
    return nullptr;
  }
  const uint64_t index = kFirstIndex + m_uids.size();
  m_uids.push_back(uid);
  Declaration declaration(FileSpec(), found.Line);
  return std::make_shared<Variable>(
      uid, found.Name.c_str(), nullptr,
      std::make_shared<SymbolFileType>(m_symbols, type_sp),
      eValueTypeVariableLocal, &block, Variable::RangeList(), &declaration,
      LocalMemory::MakeLocation(*die.GetCU(),
                                m_symbols.GetObjectFile()->GetModule(), index),
      /*external=*/false, /*artificial=*/false,
      /*location_is_constant_data=*/false);
}

bool DynamicArrays::Add(const DWARFDIE &die, Block &block,
                        VariableList &variables) {
  SymbolContext sc;
  block.CalculateSymbolContext(&sc);
  if (!sc.comp_unit || !MayHave(*sc.comp_unit))
    return false;
  const source::Function *function =
      m_symbols.GetSourceValues().FindFunction(die);
  if (!function)
    return false;
  bool has_added = false;
  user_id_t uid = die.GetID();
  for (const source::DynamicArray &found : function->Arrays) {
    if (++uid - die.GetID() > kMostArrays)
      break;
    // Some compilers describe them.
    if (variables.FindVariable(ConstString(found.Name)) || Has(uid))
      continue;
    if (VariableSP variable_sp = Make(die, found, uid, block)) {
      variables.AddVariable(variable_sp);
      has_added = true;
    }
  }
  return has_added;
}

CompilerDecl DynamicArrays::GetDecl(user_id_t uid) {
  auto found = m_arrays.find(uid);
  if (found == m_arrays.end() || !found->second.type)
    return CompilerDecl();
  Array &array = found->second;
  auto ast = array.type.GetTypeSystem<TypeSystemClang>();
  CompilerDeclContext scope = m_symbols.GetDeclContextForUID(array.scope);
  if (!array.decl && ast && scope)
    array.decl = ast->GetCompilerDecl(ast->CreateVariableDeclaration(
        TypeSystemClang::DeclContextGetAsDeclContext(scope),
        OptionalClangModuleID(), array.name.c_str(),
        ClangUtil::GetQualType(array.type)));
  return array.decl;
}

//===----------------------------------------------------------------------===//
// Waves
//===----------------------------------------------------------------------===//

static std::optional<Wave::LocalRange> GetRange(Thread *thread) {
  auto *wave = dynamic_cast<Wave *>(thread);
  return wave ? wave->GetDynamicLocalMemory() : std::nullopt;
}

uint64_t DynamicArrays::CountElements(user_id_t uid, StackFrame *frame) const {
  auto found = m_arrays.find(uid);
  std::optional<Wave::LocalRange> range =
      GetRange(frame ? frame->GetThread().get() : nullptr);
  return found != m_arrays.end() && range && found->second.element_size
             ? (range->end - range->begin) / found->second.element_size
             : 0;
}

std::string DynamicArrays::Describe(StackFrame &frame) const {
  std::optional<Wave::LocalRange> range = GetRange(frame.GetThread().get());
  return range ? llvm::formatv("dynamic local memory, {0} bytes",
                               range->end - range->begin)
                     .str()
               : "dynamic local memory";
}

std::optional<llvm::Expected<uint64_t>>
DynamicArrays::GetAddress(uint64_t index, Thread *thread) const {
  if (index < kFirstIndex || index - kFirstIndex >= m_uids.size())
    return std::nullopt;
  const Array &array = m_arrays.at(m_uids[index - kFirstIndex]);
  auto fail = [](const std::string &why) {
    return llvm::Expected<uint64_t>(llvm::createStringError(why));
  };
  if (!array.problem.empty())
    return fail(array.problem);
  std::optional<Wave::LocalRange> range = GetRange(thread);
  if (!range)
    return fail(array.name + " is in dynamic local memory, whose place isn't "
                             "known, because the wave's dispatch isn't known");
  if (range->begin == range->end)
    return fail("the launch gave the kernel no dynamic local memory for " +
                array.name);
  return llvm::Expected<uint64_t>(range->begin);
}
