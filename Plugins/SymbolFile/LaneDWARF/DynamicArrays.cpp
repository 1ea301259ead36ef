//===-- DynamicArrays.cpp ---------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DynamicArrays.h"
#include "Core/Lane/Wave.h"
#include "EntryAttributes.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "SharedVariables.h"
#include "SymbolFileLaneDWARF.h"
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
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

/// Beyond any index of .debug_addr.
static constexpr uint64_t kFirstIndex = uint64_t(1) << 40;
/// A variable's identifier is an offset within its function's entry, where no
/// other entry begins; entries have at least this many bytes.
static constexpr uint64_t kMostArrays = 8;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A type that C++ has by itself, or that its library always defines.
static BasicType GetBasicType(llvm::ArrayRef<std::string> tokens) {
  if (tokens.size() == 1)
    if (BasicType type =
            llvm::StringSwitch<BasicType>(tokens.front())
                .Cases({"uint", "uint32_t"}, eBasicTypeUnsignedInt)
                .Case("int32_t", eBasicTypeInt)
                .Cases({"ushort", "uint16_t"}, eBasicTypeUnsignedShort)
                .Case("int16_t", eBasicTypeShort)
                .Cases({"uchar", "uint8_t"}, eBasicTypeUnsignedChar)
                .Case("int8_t", eBasicTypeSignedChar)
                .Cases({"ulong", "size_t", "uint64_t"}, eBasicTypeUnsignedLong)
                .Case("int64_t", eBasicTypeLong)
                .Case("_Float16", eBasicTypeHalf)
                .Default(eBasicTypeInvalid);
        type != eBasicTypeInvalid)
      return type;
  // "long unsigned" is "unsigned long".
  std::vector<llvm::StringRef> words;
  for (llvm::StringRef word : {"unsigned", "signed", "char", "short", "long",
                               "int", "float", "double", "bool"})
    for (const std::string &token : tokens)
      if (token == word)
        words.push_back(word);
  if (words.size() != tokens.size())
    return eBasicTypeInvalid;
  if (words.size() > 1)
    llvm::erase_if(words, [&](llvm::StringRef word) {
      return word == "int" || (word == "signed" && words[1] != "char");
    });
  if (words.empty() || words == std::vector<llvm::StringRef>{"unsigned"})
    words.push_back("int");
  return TypeSystemClang::GetBasicTypeEnumeration(llvm::join(words, " "));
}

static DWARFDIE GetDefinition(DWARFDIE function) {
  for (dw::Attribute attribute :
       {dw::DW_AT_abstract_origin, dw::DW_AT_specification})
    if (DWARFDIE other = function.GetReferencedDIE(attribute))
      function = other;
  return function;
}

/// The type that the function's template, or its class's, calls \a name.
static DWARFDIE FindTemplateType(const DWARFDIE &function,
                                 llvm::StringRef name) {
  constexpr unsigned most = 16; // classes inside each other
  DWARFDIE scope = GetDefinition(function);
  for (unsigned depth = 0; scope && depth < most; ++depth) {
    for (DWARFDIE child : scope.children())
      if (child.Tag() == dw::DW_TAG_template_type_parameter &&
          child.GetName() && name == child.GetName())
        return child.GetReferencedDIE(dw::DW_AT_type);
    scope = scope.GetParent();
  }
  return DWARFDIE();
}

CompilerType DynamicArrays::FindType(const DWARFDIE &function,
                                     llvm::ArrayRef<std::string> tokens) {
  unsigned pointers = 0;
  while (!tokens.empty() && tokens.back() == "*") {
    ++pointers;
    tokens = tokens.drop_back();
  }
  auto types = m_symbols.GetTypeSystemForLanguage(eLanguageTypeC_plus_plus_14);
  auto *ast =
      types ? llvm::dyn_cast_or_null<TypeSystemClang>(types->get()) : nullptr;
  if (!types)
    llvm::consumeError(types.takeError());
  if (!ast || tokens.empty())
    return CompilerType();
  CompilerType type;
  if (DWARFDIE die = tokens.size() == 1
                         ? FindTemplateType(function, tokens.front())
                         : DWARFDIE()) {
    if (Type *found = m_symbols.ResolveTypeUID(die.GetID()))
      type = found->GetForwardCompilerType();
  } else if (BasicType basic = GetBasicType(tokens);
             basic != eBasicTypeInvalid) {
    type = ast->GetBasicType(basic);
  } else {
    TypeQuery query(llvm::join(tokens, ""), TypeQueryOptions::e_find_one);
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

std::vector<SourceTokens::DynamicArray>
DynamicArrays::Find(const DWARFDIE &function, CompileUnit &unit) {
  const DWARFDIE definition = GetDefinition(function);
  // A method's declaration has its own line; the body is the definition's.
  DWARFDIE described = function;
  if (DWARFDIE origin = function.GetReferencedDIE(dw::DW_AT_abstract_origin))
    described = origin;
  auto get_number = [&](dw::Attribute attribute) {
    const uint64_t own = described.GetAttributeValueAsUnsigned(attribute, 0);
    return own ? own : definition.GetAttributeValueAsUnsigned(attribute, 0);
  };
  const unsigned line = unsigned(get_number(dw::DW_AT_decl_line));
  const char *name = definition.GetName();
  if (!line || !name)
    return {};
  const llvm::StringRef base = llvm::StringRef(name).split('<').first;
  const FileSpec file =
      function.GetCU()->GetFile(size_t(get_number(dw::DW_AT_decl_file)));
  Initialisers &source = m_symbols.GetInitialisers();
  const SourceTokens *tokens = source.GetTokens(unit, file);
  if (!tokens)
    return {};
  std::vector<SourceTokens::DynamicArray> arrays =
      tokens->FindDynamicArrays(base, line);
  auto add_used = [&](const SourceTokens &other) {
    for (SourceTokens::DynamicArray &array : other.FindDynamicArrays("", 0))
      if (tokens->Uses(base, line, array.name) &&
          llvm::none_of(arrays, [&](const SourceTokens::DynamicArray &known) {
            return known.name == array.name;
          }))
        arrays.push_back(std::move(array));
  };
  add_used(*tokens);
  // The program's headers, which the debug information needn't name.
  constexpr size_t most = 100;
  std::vector<FileSpec> files{file};
  if (unit.GetPrimaryFile() != file)
    files.push_back(unit.GetPrimaryFile());
  for (size_t i = 0; i < files.size() && files.size() < most; ++i) {
    const SourceTokens *includer = source.GetTokens(unit, files[i]);
    if (!includer)
      continue;
    if (files[i] != file)
      add_used(*includer);
    for (const std::string &name : includer->GetIncludes()) {
      FileSpec included = files[i].CopyByRemovingLastPathComponent();
      included.AppendPathComponent(name);
      if (!llvm::is_contained(files, included))
        files.push_back(included);
    }
  }
  return arrays;
}

VariableSP DynamicArrays::Make(const DWARFDIE &die,
                               const SourceTokens::DynamicArray &found,
                               user_id_t uid, Block &block) {
  Array &array = m_arrays[uid];
  array.name = found.name;
  array.scope = die.GetID();
  CompilerType element = FindType(die, found.type);
  auto ast = element.GetTypeSystem<TypeSystemClang>();
  if (ast)
    TypeSystemClang::RequireCompleteType(element);
  else
    array.problem = llvm::formatv(
        "the debug information doesn't describe {0}, the type of the elements "
        "of {1}",
        llvm::join(found.type, " "), found.name);
  TypeSP type_sp;
  if (ast) {
    for (size_t i = found.counts.size(); i-- > 0;)
      element = ast->CreateArrayType(element, size_t(found.counts[i]),
                                     /*is_vector=*/false);
    array.element_size =
        llvm::expectedToOptional(element.GetByteSize(nullptr)).value_or(0);
    array.type = SymbolFileLaneDWARF::MakeDynamicArrayType(*ast, element, uid);
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
  Declaration declaration(FileSpec(), found.line);
  return std::make_shared<Variable>(
      uid, found.name.c_str(), nullptr,
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
  if (!sc.comp_unit)
    return false;
  bool has_added = false;
  user_id_t uid = die.GetID();
  for (const SourceTokens::DynamicArray &found : Find(die, *sc.comp_unit)) {
    if (++uid - die.GetID() > kMostArrays)
      break;
    // Some compilers describe them.
    if (variables.FindVariable(ConstString(found.name)) || Has(uid))
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
