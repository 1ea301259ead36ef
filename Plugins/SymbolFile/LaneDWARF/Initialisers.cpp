//===-- Initialisers.cpp ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Initialisers.h"
#include "Builtins.h"
#include "Lane/LaneFocus.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "Support/CodeObjectModule.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/ValueObject/ValueObjectVariable.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

/// The file's text, if it is what was compiled: it has the checksum in the line
/// table, or, since clang writes none for HIP, isn't newer than the code.
static std::optional<std::string> ReadSource(CompileUnit &unit,
                                             const FileSpec &file) {
  const SupportFileList &files = unit.GetSupportFiles();
  Checksum checksum;
  for (size_t i = 0; i < files.GetSize(); ++i)
    if (files.GetFileSpecAtIndex(i) == file)
      checksum = files.GetSupportFileAtIndex(i)->GetChecksum();
  auto buffer = llvm::MemoryBuffer::getFile(file.GetPath());
  if (!buffer)
    return std::nullopt;
  std::string text = (*buffer)->getBuffer().str();
  if (checksum)
    return Checksum(llvm::MD5::hash(llvm::arrayRefFromStringRef(text))) ==
                   checksum
               ? std::optional(std::move(text))
               : std::nullopt;
  auto *module = dynamic_cast<CodeObjectModule *>(unit.GetModule().get());
  const llvm::sys::TimePoint<> compiled =
      module ? module->GetTime() : llvm::sys::TimePoint<>();
  const llvm::sys::TimePoint<> written =
      FileSystem::Instance().GetModificationTime(file);
  if (compiled == llvm::sys::TimePoint<>() ||
      written == llvm::sys::TimePoint<>() || written > compiled)
    return std::nullopt;
  return text;
}

const SourceTokens *Initialisers::GetTokens(Variable &variable) {
  const FileSpec &file = variable.GetDeclaration().GetFile();
  SymbolContext sc;
  variable.CalculateSymbolContext(&sc);
  if (!file || !sc.comp_unit || variable.GetDeclaration().GetLine() == 0)
    return nullptr;
  std::lock_guard<std::mutex> guard(m_mutex);
  auto [it, is_new] = m_files.try_emplace(file);
  if (is_new)
    if (std::optional<std::string> text = ReadSource(*sc.comp_unit, file))
      it->second = std::make_unique<SourceTokens>(std::move(*text));
  return it->second.get();
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

namespace {
struct IntegerType {
  unsigned size;
  bool is_signed;
  bool is_boolean;
};
} // namespace

static std::optional<IntegerType> GetIntegerType(const CompilerType &type) {
  bool is_signed = false;
  std::optional<uint64_t> size =
      llvm::expectedToOptional(type.GetByteSize(nullptr));
  if (!type || !type.IsIntegerType(is_signed) ||
      ClangUtil::GetQualType(type).isVolatileQualified() || !size ||
      !llvm::is_contained({1u, 2u, 4u, 8u}, *size))
    return std::nullopt;
  return IntegerType{unsigned(*size), is_signed, type.IsBoolean()};
}

static CompilerType GetType(Variable &variable) {
  Type *type = variable.GetType();
  return type ? type->GetForwardCompilerType() : CompilerType();
}

/// The block of a variable that belongs to its function's own code.
static Block *GetOwnBlock(Variable &variable) {
  SymbolContextScope *scope = variable.GetSymbolContextScope();
  Block *block = scope ? scope->CalculateSymbolContextBlock() : nullptr;
  return block && !block->GetContainingInlinedBlock() ? block : nullptr;
}

bool Initialisers::IsConstant(Variable &variable) {
  const CompilerType type = GetType(variable);
  if (type && type.IsConst())
    return true;
  const SourceTokens *tokens = GetTokens(variable);
  return tokens && !tokens->MayChange(variable.GetName().GetStringRef(),
                                      variable.GetDeclaration().GetLine());
}

bool Initialisers::Has(Variable &variable) {
  if (variable.GetScope() != eValueTypeVariableLocal ||
      !GetOwnBlock(variable) || !GetIntegerType(GetType(variable)))
    return false;
  const SourceTokens *tokens = GetTokens(variable);
  return tokens &&
         tokens->FindInitialiser(variable.GetName().GetStringRef(),
                                 variable.GetDeclaration().GetLine()) &&
         IsConstant(variable);
}

/// What \a name means where \a variable is declared.
static VariableSP FindVariable(Variable &variable, llvm::StringRef name) {
  for (Block *block = GetOwnBlock(variable); block;
       block = block->GetParent()) {
    VariableSP found_sp;
    VariableListSP list_sp = block->GetBlockVariableList(/*can_create=*/false);
    for (size_t i = 0; list_sp && i < list_sp->GetSize(); ++i) {
      VariableSP other_sp = list_sp->GetVariableAtIndex(i);
      const uint32_t line = other_sp->GetDeclaration().GetLine();
      if (other_sp.get() != &variable && other_sp->GetName() == name &&
          line <= variable.GetDeclaration().GetLine() &&
          (!found_sp || line > found_sp->GetDeclaration().GetLine()))
        found_sp = other_sp;
    }
    if (found_sp)
      return found_sp;
  }
  return nullptr;
}

/// A parameter of the template that \a variable's function is made from.
static std::optional<SourceInteger>
FindTemplateParameter(SymbolFileDWARF &symbols, Variable &variable,
                      llvm::StringRef name) {
  SymbolContext sc;
  variable.CalculateSymbolContext(&sc);
  DWARFDIE function =
      sc.function ? symbols.GetDIE(sc.function->GetID()) : DWARFDIE();
  if (DWARFDIE declaration =
          function.GetReferencedDIE(llvm::dwarf::DW_AT_specification))
    function = declaration;
  for (DWARFDIE child : function.children()) {
    if (child.Tag() != llvm::dwarf::DW_TAG_template_value_parameter ||
        !child.GetName() || name != child.GetName())
      continue;
    Type *type = symbols.ResolveTypeUID(
        child.GetReferencedDIE(llvm::dwarf::DW_AT_type), true);
    std::optional<IntegerType> integer =
        type ? GetIntegerType(type->GetForwardCompilerType()) : std::nullopt;
    DWARFFormValue value;
    if (integer &&
        child.GetDIE()->GetAttributeValue(
            child.GetCU(), llvm::dwarf::DW_AT_const_value, value, nullptr))
      return SourceInteger::Make(value.Unsigned(), integer->size,
                                 integer->is_signed);
  }
  return std::nullopt;
}

/// A member of a built-in variable ("blockIdx.x"), or warpSize.
static std::optional<SourceInteger> FindBuiltinNumber(StackFrame &frame,
                                                      llvm::StringRef name) {
  // HIP's macros.
  std::string member = name.str();
  if (name.consume_front("hip") && name.size() > 2 &&
      name[name.size() - 2] == '_')
    member = (llvm::Twine(llvm::toLower(name[0])) +
              name.drop_front().drop_back(2) + "." + name.take_back())
                 .str();
  const auto [object, part] = llvm::StringRef(member).split('.');
  const BuiltinVariable *builtin = FindBuiltin(object);
  if (!builtin)
    return std::nullopt;
  const bool is_number = GetByteSize(*builtin) == 4;
  const size_t index = part.empty() ? 0 : part[0] - 'x';
  if (part.size() != (is_number ? 0 : 1) || index > 2)
    return std::nullopt;
  ProcessSP process_sp = frame.CalculateProcess();
  llvm::Expected<llvm::SmallVector<uint8_t, 64>> bytes =
      ReadBuiltin(*builtin, FrameFacts(*process_sp, frame.GetThread().get(),
                                       &frame, GetFocusLane(frame)));
  if (!bytes) {
    llvm::consumeError(bytes.takeError());
    return std::nullopt;
  }
  uint64_t bits = 0;
  for (size_t i = 0; i < 4; ++i)
    bits |= uint64_t((*bytes)[4 * index + i]) << (8 * i);
  return SourceInteger::Make(bits, 4, /*is_signed=*/is_number);
}

std::optional<SourceInteger> Initialisers::Find(Variable &variable,
                                                StackFrame &frame,
                                                llvm::StringRef name) {
  const auto [object, member] = name.split('.');
  VariableSP found_sp = FindVariable(variable, object);
  if (!found_sp) {
    if (std::optional<SourceInteger> number =
            FindTemplateParameter(m_symbols, variable, name))
      return number;
    return FindBuiltinNumber(frame, name);
  }
  if (!IsConstant(*found_sp))
    return std::nullopt;
  ValueObjectSP value_sp = ValueObjectVariable::Create(&frame, found_sp);
  if (value_sp && !member.empty())
    value_sp = value_sp->GetChildMemberWithName(member);
  std::optional<IntegerType> type =
      value_sp ? GetIntegerType(value_sp->GetCompilerType()) : std::nullopt;
  bool success = false;
  const uint64_t bits = type ? value_sp->GetValueAsUnsigned(0, &success) : 0;
  if (!success || value_sp->GetError().Fail())
    return std::nullopt;
  return SourceInteger::Make(bits, type->size, type->is_signed);
}

/// Whether \a frame hasn't got behind the line of the declaration.
static bool IsBefore(StackFrame &frame, const Declaration &declaration) {
  const LineEntry &at =
      frame.GetSymbolContext(eSymbolContextLineEntry).line_entry;
  return at.IsValid() && at.GetFile() == declaration.GetFile() &&
         at.line <= declaration.GetLine();
}

llvm::Expected<std::vector<uint8_t>> Initialisers::Compute(Variable &variable,
                                                           StackFrame &frame) {
  if (IsBefore(frame, variable.GetDeclaration()))
    return llvm::createStringError(
        "it gets its value at line %u",
        unsigned(variable.GetDeclaration().GetLine()));
  const SourceTokens *tokens = GetTokens(variable);
  std::optional<IntegerType> type = GetIntegerType(GetType(variable));
  std::optional<SourceTokens::Range> initialiser;
  if (tokens && type)
    initialiser = tokens->FindInitialiser(variable.GetName().GetStringRef(),
                                          variable.GetDeclaration().GetLine());
  std::optional<SourceInteger> value;
  if (initialiser)
    value = tokens->Evaluate(*initialiser, [&](llvm::StringRef name) {
      return Find(variable, frame, name);
    });
  if (!value)
    return llvm::createStringError("its initialiser can't be computed");
  if (type->is_boolean)
    value->bits = value->bits != 0;
  std::vector<uint8_t> bytes;
  for (unsigned i = 0; i < type->size; ++i)
    bytes.push_back(uint8_t(value->bits >> (8 * i)));
  return bytes;
}
