//===-- UsedBits.cpp --------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UsedBits.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "clang/AST/RecordLayout.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
class Marker {
public:
  Marker(TypeSystemClang &types, uint64_t begin, llvm::BitVector &bits)
      : m_types(types), m_context(types.getASTContext()), m_begin(begin),
        m_end(begin + bits.size()), m_bits(bits) {}

  /// Marks the bits of an object of \a type at bit \a at.
  void Mark(clang::QualType type, uint64_t at) {
    // An incomplete type would be laid out as an empty one.
    m_types.GetCompleteType(type.getAsOpaquePtr());
    if (const clang::RecordDecl *record = type->getAsRecordDecl()) {
      if (const clang::RecordDecl *full = record->getDefinition())
        return MarkMembers(*full, at);
      return MarkAll(at, m_end > at ? m_end - at : 0);
    }
    const uint64_t size = m_context.getTypeSize(type);
    if (const auto *array = m_context.getAsConstantArrayType(type)) {
      const uint64_t step = m_context.getTypeSize(array->getElementType());
      const uint64_t from = step && m_begin > at ? (m_begin - at) / step : 0;
      for (uint64_t i = from; step && i * step < size && at + i * step < m_end;
           ++i)
        Mark(array->getElementType(), at + i * step);
      return;
    }
    // x86's long double has 80 bits.
    if (const auto *builtin = type->getAs<clang::BuiltinType>();
        builtin && builtin->isFloatingPoint())
      return MarkAll(at, llvm::APFloat::semanticsSizeInBits(
                             m_context.getFloatTypeSemantics(type)));
    MarkAll(at, size ? size : m_end > at ? m_end - at : 0);
  }

private:
  void MarkAll(uint64_t at, uint64_t size) {
    const uint64_t from = std::max(at, m_begin);
    const uint64_t to = std::min(at + size, m_end);
    if (from < to)
      m_bits.set(unsigned(from - m_begin), unsigned(to - m_begin));
  }

  void MarkMembers(const clang::RecordDecl &record, uint64_t at) {
    const clang::ASTRecordLayout &layout =
        m_context.getASTRecordLayout(&record);
    if (at >= m_end || at + m_context.toBits(layout.getSize()) <= m_begin)
      return;
    if (const auto *cxx = llvm::dyn_cast<clang::CXXRecordDecl>(&record)) {
      if (layout.hasOwnVFPtr() || layout.hasOwnVBPtr())
        MarkAll(at, m_context.getTypeSize(m_context.VoidPtrTy));
      for (const clang::CXXBaseSpecifier &base : cxx->bases())
        if (const auto *of = base.getType()->getAsCXXRecordDecl())
          MarkMembers(
              *of, at + m_context.toBits(base.isVirtual()
                                             ? layout.getVBaseClassOffset(of)
                                             : layout.getBaseClassOffset(of)));
    }
    for (const clang::FieldDecl *field : record.fields()) {
      const uint64_t place = at + layout.getFieldOffset(field->getFieldIndex());
      if (field->isUnnamedBitField())
        continue;
      if (field->isBitField())
        MarkAll(place, field->getBitWidthValue());
      else
        Mark(field->getType(), place);
    }
  }

  TypeSystemClang &m_types;
  const clang::ASTContext &m_context;
  const uint64_t m_begin, m_end;
  llvm::BitVector &m_bits;
};
} // namespace

llvm::BitVector lldb_private::wavelane::FindUsedBits(const CompilerType &type,
                                                     uint64_t begin,
                                                     uint64_t size) {
  llvm::BitVector bits{unsigned(size)};
  auto types = type.GetTypeSystem<TypeSystemClang>();
  if (types)
    Marker(*types, begin, bits).Mark(ClangUtil::GetQualType(type), 0);
  else
    bits.set();
  return bits;
}
