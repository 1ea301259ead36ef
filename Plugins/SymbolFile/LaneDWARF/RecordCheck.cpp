//===-- RecordCheck.cpp -----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordCheck.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

// Deeper than any program nests structures, or types of types.
static constexpr unsigned g_max_depth = 256;

static bool IsRecord(const DWARFDIE &die) {
  return die.Tag() == dw::DW_TAG_structure_type ||
         die.Tag() == dw::DW_TAG_class_type ||
         die.Tag() == dw::DW_TAG_union_type;
}

/// The structure that an object of \a die's type holds; none for other types.
static DWARFDIE FindHeldRecord(const DWARFDIE &die) {
  DWARFDIE type = die.GetReferencedDIE(dw::DW_AT_type);
  for (unsigned depth = 0; type && depth < g_max_depth; ++depth) {
    switch (type.Tag()) {
    case dw::DW_TAG_typedef:
    case dw::DW_TAG_const_type:
    case dw::DW_TAG_volatile_type:
    case dw::DW_TAG_atomic_type:
    case dw::DW_TAG_array_type:
      type = type.GetReferencedDIE(dw::DW_AT_type);
      continue;
    default:
      return IsRecord(type) ? type : DWARFDIE();
    }
  }
  return {};
}

bool RecordCheck::HasCircle(const DWARFDIE &record, unsigned depth) {
  if (m_good.contains(record.GetID()))
    return false;
  if (depth > g_max_depth || !m_open.insert(record.GetID()).second)
    return true;
  bool has_circle = false;
  for (DWARFDIE child : record.children()) {
    if (child.Tag() != dw::DW_TAG_member &&
        child.Tag() != dw::DW_TAG_inheritance)
      continue;
    // Static members aren't in the structure.
    if (child.GetAttributeValueAsUnsigned(dw::DW_AT_external, 0) ||
        child.GetAttributeValueAsUnsigned(dw::DW_AT_declaration, 0))
      continue;
    DWARFDIE held = FindHeldRecord(child);
    if (held && HasCircle(held, depth + 1)) {
      has_circle = true;
      break;
    }
  }
  m_open.erase(record.GetID());
  if (!has_circle)
    m_good.insert(record.GetID());
  return has_circle;
}
