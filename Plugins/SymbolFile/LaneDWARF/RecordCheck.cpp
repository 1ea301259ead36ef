//===-- RecordCheck.cpp -----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordCheck.h"
#include "Plugins/ExpressionParser/Clang/ClangUtil.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Symbol/Type.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

// More names and qualifiers of a type than in any program.
static constexpr unsigned g_max_depth = 256;

// Templates nest structures as deep as compilers instantiate them, clang 1024
// levels. LLDB's and clang's recursion over more of them needs more than a
// thread's stack.
static constexpr unsigned g_max_nesting = 1100;

static bool IsRecord(const DWARFDIE &die) {
  return die.Tag() == dw::DW_TAG_structure_type ||
         die.Tag() == dw::DW_TAG_class_type ||
         die.Tag() == dw::DW_TAG_union_type;
}

/// What an object of \a die's type is of, behind names and qualifiers: a
/// number, a pointer, a structure; none for void.
static DWARFDIE FindHeldType(const DWARFDIE &die) {
  DWARFDIE type = die.GetReferencedDIE(dw::DW_AT_type);
  for (unsigned depth = 0; type && depth < g_max_depth; ++depth) {
    switch (type.Tag()) {
    case dw::DW_TAG_typedef:
    case dw::DW_TAG_const_type:
    case dw::DW_TAG_volatile_type:
    case dw::DW_TAG_restrict_type:
    case dw::DW_TAG_atomic_type:
    case dw::DW_TAG_LLVM_ptrauth_type:
    case dw::DW_TAG_array_type:
      type = type.GetReferencedDIE(dw::DW_AT_type);
      continue;
    case dw::DW_TAG_unspecified_type:
      // LLDB takes one with a type for a name of that type.
      if (!type.GetReferencedDIE(dw::DW_AT_type))
        return type;
      type = type.GetReferencedDIE(dw::DW_AT_type);
      continue;
    default:
      return type;
    }
  }
  return {};
}

static const clang::TagDecl *GetDeclaration(const DWARFDIE &record) {
  Type *type = record.GetDWARF()->ResolveType(record);
  return type ? ClangUtil::GetAsTagDecl(type->GetForwardCompilerType())
              : nullptr;
}

RecordCheck::Completion::Completion(RecordCheck &check,
                                    const CompilerType &record)
    : m_check(check), m_declaration(ClangUtil::GetAsTagDecl(record)) {
  m_is_first = m_check.m_being_completed.insert(m_declaration).second;
}

RecordCheck::Completion::~Completion() {
  if (m_is_first)
    m_check.m_being_completed.erase(m_declaration);
}

const char *RecordCheck::FindProblem(const DWARFDIE &record, unsigned depth) {
  if (m_good.contains(record.GetID()))
    return nullptr;
  if (depth > g_max_nesting)
    return "is nested too deeply";
  if (!m_open.insert(record.GetID()).second)
    return "contains itself";
  const char *problem = nullptr;
  for (DWARFDIE child : record.children())
    if ((problem = FindChildProblem(child, depth)))
      break;
  m_open.erase(record.GetID());
  if (!problem)
    m_good.insert(record.GetID());
  return problem;
}

/// Whether \a child is in the object: a base, or a member that isn't static.
static bool IsInObject(const DWARFDIE &child) {
  return child.Tag() == dw::DW_TAG_inheritance ||
         (child.Tag() == dw::DW_TAG_member &&
          !child.GetAttributeValueAsUnsigned(dw::DW_AT_external, 0) &&
          !child.GetAttributeValueAsUnsigned(dw::DW_AT_declaration, 0));
}

/// Whether clang can derive a class from what \a base refers to. What LLDB
/// can't read at all it says itself.
static bool IsClass(const DWARFDIE &base) {
  const DWARFDIE die = base.GetReferencedDIE(dw::DW_AT_type);
  Type *type = die ? die.GetDWARF()->ResolveType(die) : nullptr;
  if (!type)
    return true;
  const CompilerType full = type->GetFullCompilerType();
  return llvm::isa_and_nonnull<clang::CXXRecordDecl>(
             ClangUtil::GetAsTagDecl(full)) &&
         !full.IsBeingDefined();
}

const char *RecordCheck::FindChildProblem(const DWARFDIE &child,
                                          unsigned depth) {
  // LLDB says itself that a type is missing.
  if (!IsInObject(child) || !child.GetReferencedDIE(dw::DW_AT_type))
    return nullptr;
  const DWARFDIE held = FindHeldType(child);
  if (child.Tag() == dw::DW_TAG_inheritance &&
      (!IsRecord(held) || held.Tag() == dw::DW_TAG_union_type))
    return "has a non-class base";
  if (!held || IsRecord(held))
    return held ? FindProblem(held, depth + 1) : "has a member without a type";
  switch (held.Tag()) {
  case dw::DW_TAG_subprogram:
  case dw::DW_TAG_inlined_subroutine:
  case dw::DW_TAG_subroutine_type:
    return "has a member that is a function";
  default:
    return nullptr;
  }
}

const char *RecordCheck::FindProblem(const DWARFDIE &record) {
  if (const char *problem = FindProblem(record, 0))
    return problem;
  // Entries of one name are one type, so that entries without a circle can be a
  // type with one.
  for (DWARFDIE child : record.children()) {
    const DWARFDIE held = IsInObject(child) ? FindHeldType(child) : DWARFDIE();
    if (IsRecord(held) && m_being_completed.contains(GetDeclaration(held)))
      return "contains itself";
    if (child.Tag() == dw::DW_TAG_inheritance && !IsClass(child))
      return "has a non-class base";
  }
  return nullptr;
}
