//===-- Initialisers.cpp ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Initialisers.h"
#include "Builtins.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/Lane/LaneSource.h"
#include "Core/Support/CodeObjectModule.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
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
#include "wavelane/Formats/Files/RegularFile.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/SaveAndRestore.h"

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
  auto buffer = ::wavelane::files::readRegular(file.GetPath());
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

const SourceTokens *Initialisers::GetTokens(CompileUnit &unit,
                                            const FileSpec &file) {
  if (!file)
    return nullptr;
  std::lock_guard<std::mutex> guard(m_mutex);
  auto [it, is_new] = m_files.try_emplace(file);
  if (is_new)
    if (std::optional<std::string> text = ReadSource(unit, file))
      it->second = std::make_unique<SourceTokens>(std::move(*text));
  return it->second.get();
}

const SourceTokens *Initialisers::GetTokens(Variable &variable) {
  SymbolContext sc;
  variable.CalculateSymbolContext(&sc);
  const Declaration &declaration = variable.GetDeclaration();
  return sc.comp_unit && declaration.GetLine()
             ? GetTokens(*sc.comp_unit, declaration.GetFile())
             : nullptr;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A function's name without template arguments.
static llvm::StringRef GetBaseName(const DWARFDIE &function) {
  const char *name = function.GetName();
  return llvm::StringRef(name ? name : "").split('<').first;
}

/// The definition of a function, or of a parameter, that a DIE is a copy of.
static DWARFDIE GetOrigin(DWARFDIE die) {
  if (DWARFDIE origin =
          die.GetReferencedDIE(llvm::dwarf::DW_AT_abstract_origin))
    return origin;
  return die;
}

/// The parameters that a call passes.
static std::vector<DWARFDIE> GetParameters(const DWARFDIE &function) {
  std::vector<DWARFDIE> parameters;
  for (DWARFDIE child : function.children())
    if (child.Tag() == llvm::dwarf::DW_TAG_formal_parameter &&
        !child.GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_artificial, 0))
      parameters.push_back(child);
  return parameters;
}

/// Whether the argument can be changed by the function that it is passed to.
static bool IsReference(const DWARFDIE &parameter) {
  DWARFDIE type = parameter.GetReferencedDIE(llvm::dwarf::DW_AT_type);
  for (unsigned depth = 0;
       type && type.Tag() == llvm::dwarf::DW_TAG_typedef && depth < 100;
       ++depth)
    type = type.GetReferencedDIE(llvm::dwarf::DW_AT_type);
  if (!type)
    return true;
  if (type.Tag() != llvm::dwarf::DW_TAG_reference_type &&
      type.Tag() != llvm::dwarf::DW_TAG_rvalue_reference_type)
    return type.Tag() == llvm::dwarf::DW_TAG_typedef;
  DWARFDIE referred = type.GetReferencedDIE(llvm::dwarf::DW_AT_type);
  return !referred || referred.Tag() != llvm::dwarf::DW_TAG_const_type;
}

namespace {
/// The functions that a unit's debug information describes.
class UnitFunctions : public SourceFunctions {
public:
  explicit UnitFunctions(DWARFUnit &unit) { Add(unit.DIE(), 0); }

  bool TakeValue(llvm::StringRef name, size_t index) override {
    auto found = m_references.find(name);
    return found != m_references.end() && index < 64 &&
           !(found->second >> index & 1);
  }

private:
  void Add(const DWARFDIE &parent, unsigned depth) {
    if (!parent || depth > 100)
      return;
    for (DWARFDIE child : parent.children())
      switch (child.Tag()) {
      case llvm::dwarf::DW_TAG_subprogram:
        AddFunction(child);
        break;
      case llvm::dwarf::DW_TAG_namespace:
      case llvm::dwarf::DW_TAG_class_type:
      case llvm::dwarf::DW_TAG_structure_type:
      case llvm::dwarf::DW_TAG_union_type:
        Add(child, depth + 1);
        break;
      default:
        break;
      }
  }

  void AddFunction(const DWARFDIE &function) {
    uint64_t &references = m_references[GetBaseName(function)];
    unsigned index = 0;
    for (const DWARFDIE &parameter : GetParameters(GetOrigin(function))) {
      if (index < 64 && IsReference(parameter))
        references |= uint64_t(1) << index;
      ++index;
    }
    for (DWARFDIE child : function.children())
      if (child.Tag() == llvm::dwarf::DW_TAG_GNU_formal_parameter_pack)
        references = ~uint64_t(0);
  }

  /// A bit for each argument that some function of the name can change.
  llvm::StringMap<uint64_t> m_references;
};
} // namespace

SourceFunctions &Initialisers::GetFunctions(DWARFUnit &unit) {
  std::lock_guard<std::mutex> guard(m_mutex);
  std::unique_ptr<SourceFunctions> &functions = m_functions[&unit];
  if (!functions)
    functions = std::make_unique<UnitFunctions>(unit);
  return *functions;
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

static bool IsVolatile(const CompilerType &type) {
  return ClangUtil::GetQualType(type).isVolatileQualified();
}

static std::optional<IntegerType> GetIntegerType(const CompilerType &type) {
  bool is_signed = false;
  std::optional<uint64_t> size =
      llvm::expectedToOptional(type.GetByteSize(nullptr));
  if (!type || !type.IsIntegerType(is_signed) || IsVolatile(type) || !size ||
      !llvm::is_contained({1u, 2u, 4u, 8u}, *size))
    return std::nullopt;
  return IntegerType{unsigned(*size), is_signed, type.IsBoolean()};
}

/// A type of numbers in float's or double's format.
static const llvm::fltSemantics *GetFloatFormat(const CompilerType &type) {
  if (!type || ClangUtil::GetQualType(type).isNull())
    return nullptr;
  const clang::QualType canonical =
      ClangUtil::GetQualType(type).getCanonicalType();
  if (canonical->isSpecificBuiltinType(clang::BuiltinType::Float))
    return &llvm::APFloat::IEEEsingle();
  if (canonical->isSpecificBuiltinType(clang::BuiltinType::Double))
    return &llvm::APFloat::IEEEdouble();
  return nullptr;
}

static CompilerType GetType(Variable &variable) {
  Type *type = variable.GetType();
  return type ? type->GetForwardCompilerType() : CompilerType();
}

static bool AreSame(const CompilerType &a, const CompilerType &b) {
  return a && b &&
         a.GetCanonicalType().GetFullyUnqualifiedType() ==
             b.GetCanonicalType().GetFullyUnqualifiedType();
}

bool Initialisers::IsConstant(Variable &variable) {
  const CompilerType type = GetType(variable);
  if (!type || IsVolatile(type))
    return false;
  if (type.IsConst())
    return true;
  const SourceTokens *tokens = GetTokens(variable);
  DWARFUnit *unit = m_symbols.GetDIE(variable.GetID()).GetCU();
  return tokens && unit &&
         !tokens->MayChange(variable.GetName().GetStringRef(),
                            variable.GetDeclaration().GetLine(),
                            type.IsPointerType(), GetFunctions(*unit));
}

bool Initialisers::Has(Variable &variable) {
  if (variable.GetScope() != eValueTypeVariableLocal)
    return false;
  const SourceTokens *tokens = GetTokens(variable);
  std::optional<SourceTokens::Range> initialiser;
  if (tokens)
    initialiser = tokens->FindInitialiser(variable.GetName().GetStringRef(),
                                          variable.GetDeclaration().GetLine());
  if (!initialiser)
    return false;
  const CompilerType type = GetType(variable);
  return (GetIntegerType(type) ||
          (type.IsPointerType() && tokens->GetElement(*initialiser)) ||
          (GetFloatFormat(type) && tokens->GetFloat(*initialiser)) ||
          tokens->GetName(*initialiser)) &&
         IsConstant(variable);
}

/// The block of the function, or of the inlined call, that  block is in.
static Block *GetFunctionBlock(Block *block) {
  while (block && !block->GetInlinedFunctionInfo() && block->GetParent())
    block = block->GetParent();
  return block;
}

/// What  name means in a block, before the end of a line.
static VariableSP FindVariable(Block *block, const Variable *declared,
                               unsigned line, llvm::StringRef name) {
  const Block *last = GetFunctionBlock(block);
  for (; block; block = block == last ? nullptr : block->GetParent()) {
    VariableSP found_sp;
    VariableListSP list_sp = block->GetBlockVariableList(/*can_create=*/true);
    for (size_t i = 0; list_sp && i < list_sp->GetSize(); ++i) {
      VariableSP other_sp = list_sp->GetVariableAtIndex(i);
      const uint32_t other = other_sp->GetDeclaration().GetLine();
      if (other_sp.get() != declared && other_sp->GetName() == name &&
          other <= line &&
          (!found_sp || other > found_sp->GetDeclaration().GetLine()))
        found_sp = other_sp;
    }
    if (found_sp)
      return found_sp;
  }
  return nullptr;
}

/// A parameter of the template that a function is made from.
static std::optional<SourceInteger>
FindTemplateParameter(SymbolFileDWARF &symbols, Block *block,
                      llvm::StringRef name) {
  Block *outermost = GetFunctionBlock(block);
  DWARFDIE function =
      outermost ? GetOrigin(symbols.GetDIE(outermost->GetID())) : DWARFDIE();
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

Initialisers::Bytes Initialisers::Read(const Scope &scope, llvm::StringRef name,
                                       CompilerType &type) {
  const auto [object, member] = name.split('.');
  VariableSP found_sp =
      FindVariable(scope.block, scope.declared, scope.line, object);
  if (!found_sp || !IsConstant(*found_sp))
    return std::nullopt;
  ValueObjectSP value_sp = ValueObjectVariable::Create(&scope.frame, found_sp);
  if (value_sp && !member.empty())
    value_sp = value_sp->GetChildMemberWithName(member);
  if (!value_sp)
    return std::nullopt;
  type = value_sp->GetCompilerType();
  lldb_private::DataExtractor data;
  Status error;
  value_sp->GetData(data, error);
  if (error.Fail() || value_sp->GetError().Fail() || data.GetByteSize() == 0 ||
      data.GetByteSize() !=
          llvm::expectedToOptional(value_sp->GetByteSize()).value_or(0))
    return std::nullopt;
  return data.GetData().vec();
}

static uint64_t GetBits(llvm::ArrayRef<uint8_t> bytes) {
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes.size() && i < 8; ++i)
    bits |= uint64_t(bytes[i]) << (8 * i);
  return bits;
}

static std::vector<uint8_t> GetBytes(uint64_t bits, size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = uint8_t(bits >> (8 * i));
  return bytes;
}

std::optional<SourceInteger> Initialisers::Find(const Scope &scope,
                                                llvm::StringRef name) {
  if (!FindVariable(scope.block, scope.declared, scope.line,
                    name.split('.').first)) {
    if (std::optional<SourceInteger> number =
            FindTemplateParameter(m_symbols, scope.block, name))
      return number;
    return FindBuiltinNumber(scope.frame, name);
  }
  CompilerType type;
  const Bytes bytes = Read(scope, name, type);
  std::optional<IntegerType> integer =
      bytes ? GetIntegerType(type) : std::nullopt;
  if (!integer || integer->size != bytes->size())
    return std::nullopt;
  return SourceInteger::Make(GetBits(*bytes), integer->size,
                             integer->is_signed);
}

Initialisers::Bytes
Initialisers::ComputePointer(const SourceTokens &tokens,
                             SourceTokens::Range initialiser,
                             const CompilerType &type, const Scope &scope) {
  auto element = tokens.GetElement(initialiser);
  CompilerType base_type;
  Bytes base = element ? Read(scope, element->first, base_type) : std::nullopt;
  if (!base || base->size() != 8 || !base_type.IsPointerType() ||
      !AreSame(type.GetPointeeType(), base_type.GetPointeeType()))
    return std::nullopt;
  const SourceTokens::Range added = element->second;
  if (added.first == added.second)
    return base;
  std::optional<uint64_t> size =
      llvm::expectedToOptional(type.GetPointeeType().GetByteSize(nullptr));
  std::optional<SourceInteger> number = tokens.Evaluate(
      added, [&](llvm::StringRef name) { return Find(scope, name); });
  if (!size || *size == 0 || !number)
    return std::nullopt;
  return GetBytes(GetBits(*base) + number->bits * *size, 8);
}

Initialisers::Bytes Initialisers::ComputeValue(const SourceTokens &tokens,
                                               SourceTokens::Range initialiser,
                                               const CompilerType &type,
                                               const Scope &scope) {
  if (std::optional<IntegerType> integer = GetIntegerType(type)) {
    std::optional<SourceInteger> value = tokens.Evaluate(
        initialiser, [&](llvm::StringRef name) { return Find(scope, name); });
    if (!value)
      return std::nullopt;
    return GetBytes(integer->is_boolean ? value->bits != 0 : value->bits,
                    integer->size);
  }
  if (!type || IsVolatile(type))
    return std::nullopt;
  if (type.IsPointerType())
    return ComputePointer(tokens, initialiser, type, scope);
  const llvm::fltSemantics *format = GetFloatFormat(type);
  std::optional<llvm::APFloat> number =
      format ? tokens.GetFloat(initialiser) : std::nullopt;
  if (number) {
    bool is_inexact = false;
    number->convert(*format, llvm::APFloat::rmNearestTiesToEven, &is_inexact);
    const llvm::APInt bits = number->bitcastToAPInt();
    return GetBytes(bits.getZExtValue(), bits.getBitWidth() / 8);
  }
  std::optional<llvm::StringRef> name = tokens.GetName(initialiser);
  CompilerType from;
  Bytes bytes = name ? Read(scope, *name, from) : std::nullopt;
  return AreSame(type, from) ? bytes : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// Whether \a frame hasn't got behind the line of the declaration.
static bool IsBefore(StackFrame &frame, const Declaration &declaration) {
  const LineEntry &at =
      frame.GetSymbolContext(eSymbolContextLineEntry).line_entry;
  return at.IsValid() && at.GetFile() == declaration.GetFile() &&
         at.line <= declaration.GetLine();
}

llvm::Expected<std::vector<uint8_t>>
Initialisers::Compute(Variable &variable, Block &block, StackFrame &frame) {
  const Declaration &declaration = variable.GetDeclaration();
  if (IsBefore(frame, declaration))
    return llvm::createStringError("it gets its value at line %u",
                                   unsigned(declaration.GetLine()));
  const SourceTokens *tokens = GetTokens(variable);
  std::optional<SourceTokens::Range> initialiser;
  if (tokens)
    initialiser = tokens->FindInitialiser(variable.GetName().GetStringRef(),
                                          declaration.GetLine());
  Bytes bytes;
  if (initialiser)
    bytes = ComputeValue(*tokens, *initialiser, GetType(variable),
                         {&block, declaration.GetLine(), &variable, frame});
  if (!bytes)
    return llvm::createStringError("its initialiser can't be computed");
  return std::move(*bytes);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
struct CallPlace {
  StackFrameSP caller_sp;
  Block *block = nullptr;
  FileSpec file;
  unsigned line = 0, column = 0;
};
} // namespace

/// Where the function of \a frame was called.
static std::optional<CallPlace> FindCall(StackFrame &frame) {
  ThreadSP thread_sp = frame.GetThread();
  const uint32_t index = frame.GetFrameIndex() + 1;
  CallPlace call;
  call.caller_sp = thread_sp ? thread_sp->GetStackFrameAtIndex(index) : nullptr;
  auto *lanes = dynamic_cast<LaneSource *>(thread_sp.get());
  if (!call.caller_sp || call.caller_sp->IsArtificial() ||
      (lanes && lanes->IsGuess(*call.caller_sp)))
    return std::nullopt;
  Block *block = frame.GetFrameBlock();
  const InlineFunctionInfo *inlined =
      block ? block->GetInlinedFunctionInfo() : nullptr;
  if (inlined) {
    const Declaration &place = inlined->GetCallSite();
    call.block = block->GetParent();
    call.file = place.GetFile();
    call.line = place.GetLine();
    call.column = place.GetColumn();
  } else {
    const SymbolContext sc = call.caller_sp->GetSymbolContext(
        eSymbolContextBlock | eSymbolContextLineEntry);
    call.block = sc.block;
    call.file = sc.line_entry.GetFile();
    call.line = sc.line_entry.line;
    call.column = sc.line_entry.column;
  }
  if (!call.block || !call.line || !call.column)
    return std::nullopt;
  return call;
}

llvm::Expected<std::vector<uint8_t>>
Initialisers::ComputeArgument(Variable &parameter, StackFrame &frame) {
  auto fail = [](const char *why) { return llvm::createStringError(why); };
  // How many callers an argument may come from; recursion may not end.
  constexpr unsigned max_depth = 32;
  static thread_local unsigned depth = 0;
  if (depth >= max_depth)
    return fail("it is handed down by too many callers");
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);

  std::optional<CallPlace> call = FindCall(frame);
  const DWARFDIE die = GetOrigin(m_symbols.GetDIE(parameter.GetID()));
  const DWARFDIE function = die.GetParent();
  const std::vector<DWARFDIE> parameters = GetParameters(function);
  auto found = llvm::find(parameters, die);
  if (!call || found == parameters.end() || !IsConstant(parameter))
    return fail("it may have been changed");
  const SymbolContext caller = call->caller_sp->GetSymbolContext(
      eSymbolContextModule | eSymbolContextCompUnit);
  SymbolContext callee;
  parameter.CalculateSymbolContext(&callee);
  const SourceTokens *own = GetTokens(parameter);
  const SourceTokens *tokens =
      caller.comp_unit && caller.module_sp == callee.module_sp
          ? GetTokens(*caller.comp_unit, call->file)
          : nullptr;
  const llvm::StringRef name = GetBaseName(function);
  if (!own || !tokens || own->MayCallItself(name))
    return fail("its call can't be seen");
  std::optional<SourceTokens::Range> argument = tokens->FindArgument(
      call->line, call->column, name, size_t(found - parameters.begin()),
      parameters.size());
  Bytes bytes;
  if (argument)
    bytes = ComputeValue(
        *tokens, *argument, GetType(parameter),
        {call->block, call->line, /*declared=*/nullptr, *call->caller_sp});
  if (!bytes)
    return fail("the caller's argument can't be computed");
  return std::move(*bytes);
}
