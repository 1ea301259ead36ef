//===-- FrameTypes.cpp ------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FrameTypes.h"
#include "Core/Lane/Provenance.h"
#include "Core/Lane/WindowAddress.h"
#include "GPUExpression.h"
#include "LaneSymbols.h"
#include "Plugins/ExpressionParser/Clang/ClangASTSource.h"
#include "Plugins/ExpressionParser/Clang/ClangPersistentVariables.h"
#include "Plugins/ExpressionParser/Clang/ClangUserExpression.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Expression/DiagnosticManager.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Language.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <atomic>
#include <mutex>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
/// The bits of a member, from the beginning of the object that holds it.
struct FieldBits {
  uint64_t begin, size;

  uint64_t FirstByte() const { return begin / 8; }
  uint64_t CountBytes() const { return (begin % 8 + size + 7) / 8; }
};

/// What GetChildCompilerTypeAtIndex says of a child beside its type.
struct Child {
  std::string &name;
  uint32_t &size;
  int32_t &offset;
  uint32_t &bit_size;
  uint32_t &bit_offset;
};

/// The languages that LLDB reads by clang's types, and those that extend them.
bool IsKnown(LanguageType language) {
  static constexpr LanguageType g_others[] = {
      eLanguageTypeUnknown,   eLanguageTypeRust,      eLanguageTypeD,
      eLanguageTypeDylan,     eLanguageTypeOpenCL,    eLanguageTypeFortran77,
      eLanguageTypeFortran90, eLanguageTypeFortran95, eLanguageTypeFortran03,
      eLanguageTypeFortran08, eLanguageTypeFortran18};
  return llvm::is_contained(g_others, language) ||
         Language::LanguageIsC(language) ||
         Language::LanguageIsCPlusPlus(language) ||
         Language::LanguageIsObjC(language) ||
         Language::LanguageIsPascal(language);
}

template <typename Base> class FrameTypes : public Base {
public:
  using Base::Base;

  /// One object serves all of them, so that a type is found once.
  bool SupportsLanguage(LanguageType language) override {
    return IsKnown(language);
  }

  llvm::Expected<uint64_t> GetBitSize(opaque_compiler_type_t type,
                                      ExecutionContextScope *scope) override;
  llvm::Expected<uint32_t>
  GetNumChildren(opaque_compiler_type_t type, bool omit_empty_base_classes,
                 const ExecutionContext *exe_ctx) override;
  llvm::Expected<CompilerType> GetChildCompilerTypeAtIndex(
      opaque_compiler_type_t type, ExecutionContext *exe_ctx, size_t idx,
      bool transparent_pointers, bool omit_empty_base_classes,
      bool ignore_array_bounds, std::string &child_name,
      uint32_t &child_byte_size, int32_t &child_byte_offset,
      uint32_t &child_bitfield_bit_size, uint32_t &child_bitfield_bit_offset,
      bool &child_is_base_class, bool &child_is_deref_of_parent,
      ValueObject *valobj, uint64_t &language_flags) override;
  bool DumpTypeValue(opaque_compiler_type_t type, Stream &stream, Format format,
                     const DataExtractor &data, offset_t data_offset,
                     size_t data_byte_size, uint32_t bitfield_bit_size,
                     uint32_t bitfield_bit_offset,
                     ExecutionContextScope *scope) override;

  std::vector<CompilerDecl>
  DeclContextFindDeclByName(void *opaque_decl_ctx, ConstString name,
                            const bool ignore_using_decls) override;

private:
  /// The array type behind \a type's names if a frame completes it.
  const clang::IncompleteArrayType *FindFrameArray(opaque_compiler_type_t type);
  llvm::Expected<ArrayExtent> Measure(const clang::IncompleteArrayType &array,
                                      const ExecutionContext *exe_ctx);
  llvm::Expected<CompilerType>
  GetElement(const clang::IncompleteArrayType &array,
             const ExecutionContext *exe_ctx, size_t idx,
             bool ignore_array_bounds, Child child);
  CompilerType GetView(const CompilerType &type, uint64_t size);
  /// The bytes of a view; nullopt for other types.
  std::optional<uint64_t> FindViewSize(opaque_compiler_type_t type);

  // LLDB asks types in several threads.
  std::mutex m_views_mutex;
  std::atomic<bool> m_has_views = false;
  /// The types of bit fields that LLDB can't read in their own type's size: the
  /// same type, in another number of bytes.
  llvm::DenseMap<std::pair<opaque_compiler_type_t, uint64_t>, CompilerType>
      m_views;
  llvm::DenseMap<const clang::Type *, uint64_t> m_view_sizes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Bit fields
//===----------------------------------------------------------------------===//

template <typename Base>
CompilerType FrameTypes<Base>::GetView(const CompilerType &type,
                                       uint64_t size) {
  std::lock_guard<std::mutex> guard(m_views_mutex);
  CompilerType &view = m_views[{type.GetOpaqueQualType(), size}];
  if (view)
    return view;
  clang::ASTContext &context = this->getASTContext();
  const clang::QualType viewed = ClangUtil::GetQualType(type);
  auto *named = clang::TypedefDecl::Create(
      context, context.getTranslationUnitDecl(), clang::SourceLocation(),
      clang::SourceLocation(),
      &context.Idents.get(type.GetTypeName().GetStringRef()),
      context.getTrivialTypeSourceInfo(viewed));
  view = this->GetType(context.getTypedefType(
      clang::ElaboratedTypeKeyword::None, std::nullopt, named));
  m_view_sizes[ClangUtil::GetQualType(view).getTypePtr()] = size;
  m_has_views = true;
  return view;
}

template <typename Base>
std::optional<uint64_t>
FrameTypes<Base>::FindViewSize(opaque_compiler_type_t type) {
  if (!type || !m_has_views)
    return std::nullopt;
  std::lock_guard<std::mutex> guard(m_views_mutex);
  auto found = m_view_sizes.find(this->GetQualType(type).getTypePtr());
  return found == m_view_sizes.end() ? std::nullopt
                                     : std::optional(found->second);
}

/// Whether the children of \a parent are at addresses of the window, where bits
/// beside a field may have no value.
static bool IsInWindow(ValueObject *parent) {
  if (!parent)
    return false;
  const addr_t address = parent->IsPointerOrReferenceType()
                             ? parent->GetPointerValue().address
                             : parent->GetAddressOf(false).address;
  return address != LLDB_INVALID_ADDRESS && IsWindowAddress(address);
}

template <typename Base>
bool FrameTypes<Base>::DumpTypeValue(
    opaque_compiler_type_t type, Stream &stream, Format format,
    const DataExtractor &data, offset_t data_offset, size_t data_byte_size,
    uint32_t bitfield_bit_size, uint32_t bitfield_bit_offset,
    ExecutionContextScope *scope) {
  auto dump = [&](const DataExtractor &bytes, offset_t offset, size_t size,
                  uint32_t bit_size, uint32_t bit_offset) {
    return Base::DumpTypeValue(type, stream, format, bytes, offset, size,
                               bit_size, bit_offset, scope);
  };
  const uint64_t size = bitfield_bit_size && bitfield_bit_size <= 64 && type
                            ? this->getASTContext()
                                  .getTypeSizeInChars(this->GetQualType(type))
                                  .getQuantity()
                            : 0;
  const FieldBits field{bitfield_bit_offset, bitfield_bit_size};
  const uint64_t first = data_offset + field.FirstByte();
  if (size == 0 || size > 8 || data.GetByteOrder() != eByteOrderLittle ||
      !data.ValidOffsetForDataOfSize(first, field.CountBytes()))
    return dump(data, data_offset, data_byte_size, bitfield_bit_size,
                bitfield_bit_offset);
  // The field alone, at the beginning of an object of its type.
  const uint8_t *bytes = data.GetDataStart() + first;
  uint64_t bits = 0;
  for (uint64_t byte = 0; byte < field.CountBytes(); ++byte) {
    const int shift = int(8 * byte) - int(field.begin % 8);
    bits |= shift < 0 ? uint64_t(bytes[byte]) >> -shift
                      : uint64_t(bytes[byte]) << shift;
  }
  bits &= llvm::maskTrailingOnes<uint64_t>(unsigned(field.size));
  const CompilerType compiler_type(this->weak_from_this(), type);
  if (format == eFormatDefault)
    format = compiler_type.GetFormat();
  // LLDB would show the character of the bits alone, and take any bits for a
  // signed decimal.
  const bool is_extended = format == eFormatChar || format == eFormatDecimal;
  if (is_extended && compiler_type.IsSigned())
    bits = uint64_t(llvm::SignExtend64(bits, unsigned(field.size)));
  uint8_t object[8];
  llvm::support::endian::write64le(object, bits);
  DataExtractor alone(object, sizeof(object), eByteOrderLittle,
                      data.GetAddressByteSize());
  return dump(alone, 0, size, is_extended ? 0 : bitfield_bit_size, 0);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static constexpr char kUnbounded[] =
    "the debug information doesn't say how many elements the array has";

static bool IsUnbounded(clang::QualType type) {
  return !type.isNull() && type->isIncompleteArrayType();
}

template <typename Base>
const clang::IncompleteArrayType *
FrameTypes<Base>::FindFrameArray(opaque_compiler_type_t type) {
  if (!type)
    return nullptr;
  const clang::QualType qual_type = this->GetQualType(type);
  if (!qual_type->isIncompleteArrayType())
    return nullptr;
  auto *symbols = dynamic_cast<LaneSymbols *>(
      this->GetSymbolFile() ? this->GetSymbolFile()->GetBackingSymbolFile()
                            : nullptr);
  const auto *array = llvm::dyn_cast_or_null<clang::IncompleteArrayType>(
      qual_type->getAsArrayTypeUnsafe());
  return symbols && array && symbols->HasFrameArray(array) ? array : nullptr;
}

template <typename Base>
llvm::Expected<ArrayExtent>
FrameTypes<Base>::Measure(const clang::IncompleteArrayType &array,
                          const ExecutionContext *exe_ctx) {
  // FindFrameArray has found it there.
  auto &symbols = static_cast<LaneSymbols &>(
      *this->GetSymbolFile()->GetBackingSymbolFile());
  llvm::Expected<ArrayExtent> extent = symbols.MeasureArray(&array, exe_ctx);
  if (!extent)
    return extent;
  llvm::Expected<uint64_t> size =
      this->GetType(array.getElementType())
          .GetByteSize(exe_ctx ? exe_ctx->GetBestExecutionContextScope()
                               : nullptr);
  if (!size)
    return size.takeError();
  extent->element_size = *size;
  if (extent->stride == 0)
    extent->stride = int64_t(*size);
  return extent;
}

template <typename Base>
llvm::Expected<uint64_t>
FrameTypes<Base>::GetBitSize(opaque_compiler_type_t type,
                             ExecutionContextScope *scope) {
  if (const std::optional<uint64_t> size = FindViewSize(type))
    return *size * 8;
  const clang::IncompleteArrayType *array = FindFrameArray(type);
  if (!array || !scope)
    return Base::GetBitSize(type, scope);
  const ExecutionContext exe_ctx(scope);
  llvm::Expected<ArrayExtent> extent = Measure(*array, &exe_ctx);
  if (!extent)
    return extent.takeError();
  if (extent->count == 0)
    return 0;
  const uint64_t distance = uint64_t(std::abs(extent->stride));
  return 8 * llvm::SaturatingAdd(
                 llvm::SaturatingMultiply(extent->count - 1, distance),
                 extent->element_size);
}

template <typename Base>
llvm::Expected<uint32_t>
FrameTypes<Base>::GetNumChildren(opaque_compiler_type_t type,
                                 bool omit_empty_base_classes,
                                 const ExecutionContext *exe_ctx) {
  const clang::IncompleteArrayType *array = FindFrameArray(type);
  if (!array) {
    llvm::Expected<uint32_t> count =
        Base::GetNumChildren(type, omit_empty_base_classes, exe_ctx);
    // LLDB shows the characters of such an array up to the first zero.
    if (count && *count == 0 && IsUnbounded(this->GetQualType(type)) &&
        !this->GetQualType(type)
             ->getAsArrayTypeUnsafe()
             ->getElementType()
             ->isAnyCharacterType())
      return llvm::createStringError(kUnbounded);
    return count;
  }
  llvm::Expected<ArrayExtent> extent = Measure(*array, exe_ctx);
  if (!extent)
    return extent.takeError();
  return uint32_t(extent->count);
}

template <typename Base>
llvm::Expected<CompilerType>
FrameTypes<Base>::GetElement(const clang::IncompleteArrayType &array,
                             const ExecutionContext *exe_ctx, size_t idx,
                             bool ignore_array_bounds, Child child) {
  llvm::Expected<ArrayExtent> extent = Measure(array, exe_ctx);
  if (!extent)
    return extent.takeError();
  if (!ignore_array_bounds && idx >= extent->count)
    return llvm::createStringError("invalid index");
  // LLDB finds such an element by its size and its number, counted from 0.
  if (ignore_array_bounds &&
      (extent->lower != 0 || extent->stride != int64_t(extent->element_size)))
    return llvm::createStringError("invalid index");
  int64_t offset = 0;
  if (llvm::MulOverflow(int64_t(idx), extent->stride, offset) ||
      !llvm::isInt<32>(offset) || !llvm::isUInt<32>(extent->element_size))
    return llvm::createStringError("the element is too far from the first one");
  child.name = llvm::formatv("[{0}]", idx);
  child.size = uint32_t(extent->element_size);
  child.offset = int32_t(offset);
  child.bit_size = child.bit_offset = 0;
  return this->GetType(array.getElementType());
}

template <typename Base>
llvm::Expected<CompilerType> FrameTypes<Base>::GetChildCompilerTypeAtIndex(
    opaque_compiler_type_t type, ExecutionContext *exe_ctx, size_t idx,
    bool transparent_pointers, bool omit_empty_base_classes,
    bool ignore_array_bounds, std::string &child_name,
    uint32_t &child_byte_size, int32_t &child_byte_offset,
    uint32_t &child_bitfield_bit_size, uint32_t &child_bitfield_bit_offset,
    bool &child_is_base_class, bool &child_is_deref_of_parent,
    ValueObject *valobj, uint64_t &language_flags) {
  if (const clang::IncompleteArrayType *array = FindFrameArray(type)) {
    child_is_base_class = child_is_deref_of_parent = false;
    language_flags = 0;
    return GetElement(*array, exe_ctx, idx, ignore_array_bounds,
                      {child_name, child_byte_size, child_byte_offset,
                       child_bitfield_bit_size, child_bitfield_bit_offset});
  }
  // LLDB would take the rows of an unknown size for as large as an element.
  if (ignore_array_bounds && type) {
    const clang::QualType pointee = this->GetQualType(type)->getPointeeType();
    if (!pointee.isNull() && IsUnbounded(pointee) &&
        !FindFrameArray(pointee.getAsOpaquePtr()))
      return llvm::createStringError(kUnbounded);
  }
  llvm::Expected<CompilerType> child = Base::GetChildCompilerTypeAtIndex(
      type, exe_ctx, idx, transparent_pointers, omit_empty_base_classes,
      ignore_array_bounds, child_name, child_byte_size, child_byte_offset,
      child_bitfield_bit_size, child_bitfield_bit_offset, child_is_base_class,
      child_is_deref_of_parent, valobj, language_flags);
  // Through a pointer, the pointee's type has been here already.
  if (!child || !*child || !child_bitfield_bit_size || child_byte_offset < 0 ||
      !this->GetQualType(type)->isRecordType() ||
      FindViewSize(child->GetOpaqueQualType()))
    return child;
  const FieldBits field{8 * uint64_t(child_byte_offset) +
                            child_bitfield_bit_offset,
                        child_bitfield_bit_size};
  llvm::Expected<uint64_t> parent_size =
      CompilerType(this->weak_from_this(), type).GetByteSize(nullptr);
  if (!parent_size)
    return parent_size.takeError();
  const bool fits =
      child_bitfield_bit_offset + field.size <= 8 * child_byte_size &&
      child_byte_offset + child_byte_size <= *parent_size;
  if (fits && !IsInWindow(valobj))
    return child;
  child_byte_offset = int32_t(field.FirstByte());
  child_byte_size = uint32_t(field.CountBytes());
  child_bitfield_bit_offset = uint32_t(field.begin % 8);
  return GetView(*child, child_byte_size);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// LLDB looks for a name in the innermost block that has it. What it means
/// isn't declared yet before its declaration: the outer blocks' follow.
template <typename Base>
std::vector<CompilerDecl> FrameTypes<Base>::DeclContextFindDeclByName(
    void *opaque_decl_ctx, ConstString name, const bool ignore_using_decls) {
  std::vector<CompilerDecl> found = Base::DeclContextFindDeclByName(
      opaque_decl_ctx, name, ignore_using_decls);
  auto *context = static_cast<clang::DeclContext *>(opaque_decl_ctx);
  if (found.empty() || !context)
    return found;
  while (context->isFunctionOrMethod() && context->getParent() &&
         context->getParent()->isFunctionOrMethod()) {
    context = context->getParent();
    for (const CompilerDecl &outer :
         Base::DeclContextFindDeclByName(context, name, ignore_using_decls))
      if (!llvm::is_contained(found, outer))
        found.push_back(outer);
  }
  return found;
}

//===----------------------------------------------------------------------===//
// The plugin
//===----------------------------------------------------------------------===//

static llvm::SmallVector<ExpressionRewriter, 1> &GetRewriters() {
  static llvm::SmallVector<ExpressionRewriter, 1> g_rewriters;
  return g_rewriters;
}

void lldb_private::wavelane::AddExpressionRewriter(
    ExpressionRewriter rewriter) {
  GetRewriters().push_back(rewriter);
}

/// Clang's importer makes __fp16 of the _Float16 of debug information, so that
/// an expression's own would be another type.
static std::string WriteHalf(llvm::StringRef expression) {
  constexpr llvm::StringLiteral word("_Float16");
  auto is_in_name = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::string text;
  for (size_t at; (at = expression.find(word)) != llvm::StringRef::npos;) {
    const llvm::StringRef before = expression.take_front(at);
    expression = expression.drop_front(at + word.size());
    const bool is_whole =
        (before.empty() || !is_in_name(before.back())) &&
        (expression.empty() || !is_in_name(expression.front()));
    text += before;
    text += is_whole ? llvm::StringRef("__fp16") : llvm::StringRef(word);
  }
  return text + expression.str();
}

static bool IsInFortran(const ExecutionContext &exe_ctx) {
  StackFrame *frame = exe_ctx.GetFramePtr();
  CompileUnit *unit =
      frame ? frame->GetSymbolContext(eSymbolContextCompUnit).comp_unit
            : nullptr;
  SymbolFile *file = unit ? unit->GetModule()->GetSymbolFile() : nullptr;
  auto *symbols = dynamic_cast<LaneSymbols *>(
      file ? file->GetBackingSymbolFile() : nullptr);
  return symbols && symbols->IsFortran(*unit);
}

namespace {
/// An expression whose result says what of it is stale, unless a command does.
/// On a GPU it has more than C++ (GPUExpression.h).
class FrameExpression final : public ClangUserExpression {
public:
  using ClangUserExpression::ClangUserExpression;

  bool Parse(DiagnosticManager &diagnostics, ExecutionContext &exe_ctx,
             ExecutionPolicy policy, bool keep_result_in_memory,
             bool generate_debug_info) override {
    auto parse = [&](DiagnosticManager &own, GPUExpression written) {
      m_expr_text = std::move(written.text);
      m_expr_prefix = m_given_prefix + written.prefix;
      return ClangUserExpression::Parse(
          own, exe_ctx, policy, keep_result_in_memory, generate_debug_info);
    };
    GPUExpression written = GPUExpression::Write(m_given_text, exe_ctx);
    if (!written.error.empty()) {
      diagnostics.PutString(eSeverityError, written.error);
      return false;
    }
    if (parse(diagnostics, written))
      return true;
    auto parse_instead = [&](GPUExpression other) {
      DiagnosticManager own;
      other.prefix += written.prefix;
      if (other.text.empty() || !parse(own, std::move(other)))
        return false;
      diagnostics = std::move(own);
      return true;
    };
    // Clang has no conversion from other spaces to the host's only one.
    if (exe_ctx.GetTargetRef().GetArchitecture().GetMachine() ==
            llvm::Triple::amdgcn &&
        parse_instead(GPUExpression::WriteAssignment(written.text)))
      return true;
    if (parse_instead(GPUExpression::WriteOtherSide(written.text, exe_ctx)))
      return true;
    m_expr_text = std::move(written.text);
    if (IsInFortran(exe_ctx))
      diagnostics.PutString(
          eSeverityInfo,
          "expressions are written in C++, also in Fortran's functions: a%b is "
          "a.b, a(3) is a[2], .eq. is ==; 'frame variable' shows variables as "
          "Fortran has them");
    return false;
  }

protected:
  ExpressionResults DoExecute(DiagnosticManager &diagnostic_manager,
                              ExecutionContext &exe_ctx,
                              const EvaluateExpressionOptions &options,
                              UserExpressionSP &shared_ptr_to_me,
                              ExpressionVariableSP &result) override {
    ProvenanceScope scope;
    const ExpressionResults results = ClangUserExpression::DoExecute(
        diagnostic_manager, exe_ctx, options, shared_ptr_to_me, result);
    // Reading memory settles loans (WindowLoans.h), so that registers have what
    // the code has changed.
    if (Process *process = exe_ctx.GetProcessPtr();
        process && !m_can_interpret) {
      uint8_t byte = 0;
      Status unused;
      process->ReadMemory(m_jit_start_addr, &byte, sizeof(byte), unused);
    }
    if (results == eExpressionCompleted && result &&
        !scope.GetStale().empty() && !scope.IsWithinAnother())
      if (ValueObjectSP value_sp = result->GetValueObject())
        SetProvenance(*value_sp,
                      {Provenance::Kind::eStale, "stale: " + scope.Describe()});
    return results;
  }

private:
  const std::string m_given_text = m_expr_text, m_given_prefix = m_expr_prefix;
};

/// The types of a target's expressions.
class ExpressionTypes final : public FrameTypes<ScratchTypeSystemClang> {
public:
  ExpressionTypes(Target &target, llvm::Triple triple)
      : FrameTypes(target, std::move(triple)),
        m_target_wp(target.shared_from_this()) {}

  UserExpression *GetUserExpression(llvm::StringRef expression,
                                    llvm::StringRef prefix,
                                    SourceLanguage language,
                                    Expression::ResultType desired_type,
                                    const EvaluateExpressionOptions &options,
                                    ValueObject *context_object) override {
    std::string text = expression.str();
    TargetSP target_sp = m_target_wp.lock();
    if (target_sp && !context_object)
      for (ExpressionRewriter rewriter : GetRewriters())
        text = rewriter(text, *target_sp);
    if (target_sp &&
        target_sp->GetArchitecture().GetMachine() == llvm::Triple::amdgcn) {
      text = WriteHalf(text);
      // The functions before an expression on a GPU are C++ 11's; LLDB takes C
      // for an older C++, and Objective-C++ for code of an unknown language.
      if (!Language::LanguageIsCPlusPlus(language.AsLanguageType()))
        language = SourceLanguage(eLanguageTypeC_plus_plus_14);
    }
    return target_sp
               ? new FrameExpression(*target_sp, text, prefix, language,
                                     desired_type, options, context_object)
               : nullptr;
  }

private:
  TargetWP m_target_wp;
};
} // namespace

TypeSystemSP lldb_private::wavelane::CreateFrameTypes(LanguageType language,
                                                      Module *module,
                                                      Target *target) {
  if (!IsKnown(language) || (!module && !target))
    return nullptr;
  const ArchSpec arch =
      module ? module->GetArchitecture() : target->GetArchitecture();
  if (!arch.IsValid())
    return nullptr;
  llvm::Triple triple = arch.GetTriple();
  // As TypeSystemClang::CreateInstance() does: clang wants a system.
  if (triple.getVendor() == llvm::Triple::Apple &&
      triple.getOS() == llvm::Triple::UnknownOS)
    triple.setOS(triple.isARM() || triple.isThumb() || triple.isAArch64()
                     ? llvm::Triple::IOS
                     : llvm::Triple::MacOSX);
  if (module)
    return std::make_shared<FrameTypes<TypeSystemClang>>(
        "ASTContext for '" + module->GetFileSpec().GetPath() + "'", triple);
  if (!target->IsValid())
    return nullptr;
  return std::make_shared<ExpressionTypes>(*target, triple);
}

void lldb_private::wavelane::InitializeFrameTypes() {
  PluginManager::UnregisterPlugin(TypeSystemClang::CreateInstance);
  PluginManager::RegisterPlugin(
      "clang", "clang's types, completed in a frame", CreateFrameTypes,
      TypeSystemClang::GetSupportedLanguagesForTypes(),
      TypeSystemClang::GetSupportedLanguagesForExpressions());
}
