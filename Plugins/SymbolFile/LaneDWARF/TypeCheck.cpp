//===-- TypeCheck.cpp -------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TypeCheck.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/SymbolFile/DWARF/DWARFDebugInfoEntry.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "lldb/Symbol/Type.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

/// Deeper than any typedef chain in a real program.
static constexpr unsigned g_max_depth = 256;

/// Whether \a die's type refers back to itself, which no language allows: LLDB
/// would search for its end forever.
static bool IsTypeInCircle(const DWARFDIE &die) {
  DWARFDIE type = die;
  for (unsigned depth = 0; depth < g_max_depth; ++depth) {
    type = type.GetReferencedDIE(llvm::dwarf::DW_AT_type);
    if (!type)
      return false;
    if (type == die)
      return true;
  }
  return true;
}

/// Whether \a die is in a namespace inside of a type or a function, which no
/// language has: clang doesn't survive it.
static bool IsNamespaceMisplaced(const DWARFDIE &die) {
  bool is_in_namespace = false;
  for (DWARFDIE at = die.GetParent(); at; at = at.GetParent()) {
    switch (at.Tag()) {
    case llvm::dwarf::DW_TAG_namespace:
      is_in_namespace = true;
      break;
    case llvm::dwarf::DW_TAG_structure_type:
    case llvm::dwarf::DW_TAG_class_type:
    case llvm::dwarf::DW_TAG_union_type:
    case llvm::dwarf::DW_TAG_enumeration_type:
    case llvm::dwarf::DW_TAG_subprogram:
      if (is_in_namespace)
        return true;
      break;
    default:
      break;
    }
  }
  return false;
}

/// Whether \a die, if it points to members, does so to those of a class.
static bool IsMemberPointerReadable(const DWARFDIE &die) {
  const DWARFDIE record =
      die.Tag() == llvm::dwarf::DW_TAG_ptr_to_member_type
          ? die.GetReferencedDIE(llvm::dwarf::DW_AT_containing_type)
          : DWARFDIE();
  Type *type = record ? die.GetDWARF()->ResolveType(record) : nullptr;
  return !type || llvm::isa_and_nonnull<clang::CXXRecordDecl>(
                      ClangUtil::GetAsTagDecl(type->GetForwardCompilerType()));
}

bool lldb_private::wavelane::IsNumberReadable(Type &type) {
  const CompilerType number = type.GetForwardCompilerType();
  if (!number || number.IsVoidType())
    return false;
  const auto *enumeration =
      llvm::dyn_cast_or_null<clang::EnumDecl>(ClangUtil::GetAsTagDecl(number));
  return !enumeration || !enumeration->getIntegerType().isNull();
}

/// Whether the halves of a complex number, which LLDB takes for granted, have a
/// size that numbers can have.
static bool IsComplexReadable(const DWARFDIE &die) {
  if (die.Tag() != llvm::dwarf::DW_TAG_base_type &&
      die.Tag() != llvm::dwarf::DW_TAG_unspecified_type)
    return true;
  const uint64_t encoding =
      die.GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_encoding, 0);
  const bool is_float = encoding == llvm::dwarf::DW_ATE_complex_float;
  // Integers have this encoding, and a name that says so.
  if (!is_float && encoding != llvm::dwarf::DW_ATE_lo_user)
    return true;
  auto type_system = die.GetDWARF()->GetTypeSystemForLanguage(
      SymbolFileDWARF::GetLanguage(*die.GetCU()));
  if (!type_system) {
    llvm::consumeError(type_system.takeError());
    return true;
  }
  auto *ast = llvm::dyn_cast_or_null<TypeSystemClang>(type_system->get());
  const uint64_t size =
      die.GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_byte_size, 0) * 8;
  const uint64_t bits =
      die.GetAttributeValueAsUnsigned(llvm::dwarf::DW_AT_bit_size, size);
  for (uint64_t whole : {size, bits})
    if (ast &&
        !ast->GetBuiltinTypeForDWARFEncodingAndBitSize(
            is_float ? "float" : "int",
            is_float ? llvm::dwarf::DW_ATE_float : llvm::dwarf::DW_ATE_signed,
            uint32_t(whole / 2)))
      return false;
  return true;
}

/// Whether \a die takes attributes from an entry of another kind, such as a
/// function: LLDB would take that one's type for its own.
static bool IsSpecifiedByAnother(const DWARFDIE &die) {
  switch (die.Tag()) {
  case llvm::dwarf::DW_TAG_typedef:
  case llvm::dwarf::DW_TAG_const_type:
  case llvm::dwarf::DW_TAG_volatile_type:
  case llvm::dwarf::DW_TAG_restrict_type:
  case llvm::dwarf::DW_TAG_atomic_type:
  case llvm::dwarf::DW_TAG_pointer_type:
  case llvm::dwarf::DW_TAG_reference_type:
  case llvm::dwarf::DW_TAG_rvalue_reference_type:
  case llvm::dwarf::DW_TAG_unspecified_type:
  case llvm::dwarf::DW_TAG_base_type:
    break;
  default:
    return false;
  }
  for (auto attribute :
       {llvm::dwarf::DW_AT_specification, llvm::dwarf::DW_AT_abstract_origin})
    if (DWARFDIE other = die.GetReferencedDIE(attribute))
      if (other.Tag() != die.Tag())
        return true;
  return false;
}

/// Whether \a die, if it is an enumeration with a type, has a number's.
static bool IsEnumerationReadable(const DWARFDIE &die) {
  if (die.Tag() != llvm::dwarf::DW_TAG_enumeration_type)
    return true;
  DWARFDIE type = die.GetReferencedDIE(llvm::dwarf::DW_AT_type);
  for (unsigned depth = 0; type && depth < g_max_depth; ++depth) {
    if (type.Tag() == llvm::dwarf::DW_TAG_base_type)
      return true;
    if (type.Tag() != llvm::dwarf::DW_TAG_typedef &&
        type.Tag() != llvm::dwarf::DW_TAG_const_type &&
        type.Tag() != llvm::dwarf::DW_TAG_volatile_type)
      return false;
    type = type.GetReferencedDIE(llvm::dwarf::DW_AT_type);
  }
  return !type;
}

/// Whether \a die has two types, of which LLDB would take the last, and these
/// checks the first.
static bool HasTwoTypes(const DWARFDIE &die) {
  const DWARFAttributes attributes =
      die.GetAttributes(DWARFDebugInfoEntry::Recurse::no);
  unsigned types = 0;
  for (size_t i = 0; i < attributes.Size(); ++i)
    types += attributes.AttributeAtIndex(i) == llvm::dwarf::DW_AT_type;
  return types > 1;
}

const char *lldb_private::wavelane::FindTypeProblem(const DWARFDIE &die) {
  if (HasTwoTypes(die))
    return "has two types";
  if (IsTypeInCircle(die))
    return "refers to itself";
  if (!IsMemberPointerReadable(die))
    return "points to members of no class";
  if (IsNamespaceMisplaced(die))
    return "is in a namespace inside of another type or function";
  if (IsSpecifiedByAnother(die))
    return "takes attributes from an entry that isn't such a type";
  if (!IsEnumerationReadable(die))
    return "is an enumeration of a type that isn't a number";
  if (!IsComplexReadable(die))
    return "has an encoding or a size that no machine has";
  return nullptr;
}
