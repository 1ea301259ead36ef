//===-- DebugEntries.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DebugEntries.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace wavelane::check;
using namespace llvm;

DWARFDie wavelane::check::plainType(DWARFDie Type) {
  for (unsigned Limit = 32; Limit && Type; --Limit) {
    switch (Type.getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
      Type = Type.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
      break;
    default:
      return Type;
    }
  }
  return Type;
}

uint64_t wavelane::check::sizeOf(DWARFDie Type) {
  const std::optional<uint64_t> Size =
      Type ? Type.getTypeSize(8) : std::optional<uint64_t>();
  return Size.value_or(0);
}

DWARFDie wavelane::check::typeOf(DWARFDie Variable) {
  if (DWARFDie Origin = Variable.getAttributeValueAsReferencedDie(
          dwarf::DW_AT_abstract_origin))
    Variable = Origin;
  return plainType(
      Variable.getAttributeValueAsReferencedDie(dwarf::DW_AT_type));
}

std::optional<ArrayObject> wavelane::check::arrayOf(StringRef Name,
                                                    DWARFDie Type) {
  if (!Type || Type.getTag() != dwarf::DW_TAG_array_type)
    return std::nullopt;
  ArrayObject Out;
  Out.Name = Name.str();
  Out.ElementSize = sizeOf(
      plainType(Type.getAttributeValueAsReferencedDie(dwarf::DW_AT_type)));
  for (DWARFDie Child : Type.children())
    if (Child.getTag() == dwarf::DW_TAG_subrange_type)
      Out.Counts.push_back(
          dwarf::toUnsigned(Child.find(dwarf::DW_AT_count), 0));
  Out.Size = sizeOf(Type);
  return Out;
}

// How deep structures are followed.
static constexpr unsigned MaxDepth = 16;

static bool isStructure(DWARFDie Type) {
  return Type && (Type.getTag() == dwarf::DW_TAG_structure_type ||
                  Type.getTag() == dwarf::DW_TAG_class_type);
}

/// Members and base classes at constant places, but no bit fields.
static std::optional<MemberPlace> placeOf(DWARFDie Child) {
  if ((Child.getTag() != dwarf::DW_TAG_member &&
       Child.getTag() != dwarf::DW_TAG_inheritance) ||
      Child.find(dwarf::DW_AT_bit_size))
    return std::nullopt;
  const std::optional<uint64_t> Offset =
      dwarf::toUnsigned(Child.find(dwarf::DW_AT_data_member_location));
  if (!Offset)
    return std::nullopt;
  return MemberPlace{
      plainType(Child.getAttributeValueAsReferencedDie(dwarf::DW_AT_type)),
      *Offset};
}

static std::optional<MemberPlace> memberOf(DWARFDie Type, StringRef Name,
                                           unsigned Depth) {
  if (!isStructure(Type) || !Depth)
    return std::nullopt;
  for (DWARFDie Child : Type.children()) {
    std::optional<MemberPlace> Place = placeOf(Child);
    if (!Place)
      continue;
    if (Child.getTag() == dwarf::DW_TAG_inheritance) {
      auto Inner = memberOf(Place->Type, Name, Depth - 1);
      if (!Inner)
        continue;
      Inner->Offset += Place->Offset;
      return Inner;
    }
    if (nameOf(Child) != Name)
      continue;
    const auto Array = arrayOf(Name, Place->Type);
    const bool IsOpen = Array && Array->Size <= Array->ElementSize;
    return IsOpen ? std::nullopt : Place;
  }
  return std::nullopt;
}

std::optional<MemberPlace> wavelane::check::findMember(DWARFDie Type,
                                                       StringRef Name) {
  return memberOf(Type, Name, MaxDepth);
}

std::optional<MemberPlace> wavelane::check::findMembers(MemberPlace In,
                                                        StringRef Names) {
  while (!Names.empty()) {
    StringRef Member;
    std::tie(Member, Names) = Names.split('.');
    const std::optional<MemberPlace> Inner = findMember(In.Type, Member);
    if (!Inner)
      return std::nullopt;
    In = {Inner->Type, In.Offset + Inner->Offset};
  }
  return In;
}

std::string wavelane::check::partOf(DWARFDie Type, uint64_t Bytes) {
  std::string Out;
  for (unsigned Limit = MaxDepth; Limit; --Limit) {
    if (const std::optional<ArrayObject> Array = arrayOf("", Type)) {
      if (!Array->ElementSize)
        break;
      const uint64_t Rest = Bytes % Array->ElementSize;
      Out += Array->element(int64_t(Bytes - Rest));
      Bytes = Rest;
      Type =
          plainType(Type.getAttributeValueAsReferencedDie(dwarf::DW_AT_type));
      continue;
    }
    if (!isStructure(Type))
      break;
    DWARFDie Inner;
    for (DWARFDie Child : Type.children()) {
      const std::optional<MemberPlace> Place = placeOf(Child);
      if (!Place || Bytes < Place->Offset ||
          Bytes - Place->Offset >= sizeOf(Place->Type))
        continue;
      if (!nameOf(Child).empty())
        Out += ("." + nameOf(Child)).str();
      Bytes -= Place->Offset;
      Inner = Place->Type;
      break;
    }
    if (!Inner)
      break;
    Type = Inner;
  }
  return Bytes ? Out + " + " + std::to_string(Bytes) + " bytes" : Out;
}

StringRef wavelane::check::nameOf(DWARFDie Variable) {
  const char *Name = Variable.getShortName();
  return Name ? Name : "";
}

std::optional<uint64_t>
wavelane::check::addressOf(const DWARFLocationExpression &Location,
                           DWARFUnit &Unit) {
  DataExtractor Data(toStringRef(Location.Expr), true, 8);
  DWARFExpression Expression(Data, 8, Unit.getFormParams().Format);
  auto First = Expression.begin();
  std::optional<uint64_t> Address;
  if (First == Expression.end())
    return std::nullopt;
  if (First->getCode() == dwarf::DW_OP_addr)
    Address = First->getRawOperand(0);
  else if (First->getCode() == dwarf::DW_OP_addrx)
    if (auto Entry =
            Unit.getAddrOffsetSectionItem(uint32_t(First->getRawOperand(0))))
      Address = Entry->Address;
  return ++First == Expression.end() ? Address : std::nullopt;
}

bool wavelane::check::isLocal(DWARFDie Variable) {
  const auto Location = Variable.find(dwarf::DW_AT_location);
  const auto Block =
      Location ? Location->getAsBlock() : std::optional<ArrayRef<uint8_t>>();
  // An address of another address space.
  return Block && !Block->empty() && Block->back() == dwarf::DW_OP_xderef &&
         (Block->front() == dwarf::DW_OP_addr ||
          Block->front() == dwarf::DW_OP_addrx);
}
