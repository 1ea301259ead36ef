//===-- CaseEntries.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CaseEntries.h"
#include "CaseJSON.h"

using namespace llvm;
using namespace wavelane::location;

// Where the unit has its entries.
static constexpr uint64_t First = 0x1000;
static constexpr uint64_t Distance = 4;

Error CaseEntries::name(const json::Object &Dies) {
  for (const auto &[Key, V] : Dies)
    All.emplace_back().Name = StringRef(Key).str();
  llvm::sort(All, [](const CaseEntry &A, const CaseEntry &B) {
    return A.Name < B.Name;
  });
  if (First + Distance * All.size() > UINT16_MAX)
    return illFormed("too many entries");
  return Error::success();
}

std::optional<uint64_t> CaseEntries::find(StringRef Name) const {
  for (size_t I = 0; I < All.size(); ++I)
    if (All[I].Name == Name)
      return First + Distance * I;
  return std::nullopt;
}

const CaseEntry *CaseEntries::get(uint64_t Offset) const {
  const uint64_t Index = (Offset - First) / Distance;
  if (Offset < First || (Offset - First) % Distance || Index >= All.size())
    return nullptr;
  return &All[Index];
}

//===-- Reading and using them --------------------------------------------===//

/// \return {lo, hi, expression} of a location list.
Error CaseContext::readListEntry(const json::Object &Item, CaseEntry &Into) {
  const json::Array *Operations = Item.getArray("expression");
  if (!Operations)
    return illFormed("a loclist is a list of {lo, hi, expression}");
  Expected<std::vector<uint8_t>> Bytes = assembleOperations(*Operations);
  if (!Bytes)
    return Bytes.takeError();
  const std::optional<uint64_t> Low = getNumber(Item, "lo");
  const std::optional<uint64_t> High = getNumber(Item, "hi");
  Into.Bytes.push_back(std::move(*Bytes));
  Into.List->push_back({!Low && !High, Low.value_or(0),
                        High.value_or(UINT64_MAX), Into.Bytes.back()});
  return Error::success();
}

Error CaseContext::readEntry(const json::Object &O, CaseEntry &Into) {
  Into.Map = O.getObject("object_map");
  if (const json::Array *Location = O.getArray("location")) {
    Expected<std::vector<uint8_t>> Bytes = assembleOperations(*Location);
    if (!Bytes)
      return Bytes.takeError();
    Into.Expression = std::move(*Bytes);
  }
  if (std::optional<StringRef> Text = O.getString("const_value")) {
    Expected<std::vector<uint8_t>> Bytes = getHex(*Text, "const_value");
    if (!Bytes)
      return Bytes.takeError();
    Into.ConstValue = std::move(*Bytes);
  }
  if (const json::Array *List = O.getArray("loclist")) {
    Into.List.emplace();
    for (const json::Value &V : *List) {
      const json::Object *Item = V.getAsObject();
      if (Error E = readListEntry(Item ? *Item : json::Object(), Into))
        return E;
    }
  }
  return Error::success();
}

Error CaseContext::readEntries(const json::Object &Dies) {
  if (Error E = Entries->name(Dies))
    return E;
  for (CaseEntry &Entry : Entries->All) {
    const json::Object *O = Dies.getObject(Entry.Name);
    if (!O)
      return illFormed("entry " + Entry.Name + " is not an object");
    if (Error E = readEntry(*O, Entry))
      return E;
  }
  return Error::success();
}

Expected<DieLocation> CaseContext::getDie(DieReference Reference) {
  const CaseEntry *Entry = Entries->get(Reference.Offset);
  if (!Entry)
    return missing("entry at " + Twine(Reference.Offset));
  DieLocation Result;
  if (Entry->Expression)
    Result.Expression = ArrayRef<uint8_t>(*Entry->Expression);
  if (Entry->ConstValue)
    Result.ConstValue = ArrayRef<uint8_t>(*Entry->ConstValue);
  Result.List = Entry->List;
  return Result;
}

/// Evaluates an object map's attribute: operations, or a number.
Expected<Entry> CaseContext::evaluateMapAttribute(const json::Object &Map,
                                                  const char *Key,
                                                  ResultKind Kind) {
  if (const json::Array *Operations = Map.getArray(Key)) {
    Expected<std::vector<uint8_t>> Bytes = assembleOperations(*Operations);
    if (!Bytes)
      return Bytes.takeError();
    const std::string Name = "object map's " + std::string(Key);
    if (is_contained(Active, Name))
      return illFormed(Name + " is defined by itself");
    Active.push_back(Name);
    Expected<Entry> E = evaluate(*Bytes, *this, Kind, Options);
    Active.pop_back();
    return E;
  }
  if (std::optional<uint64_t> N = getNumber(Map, Key))
    return Entry(Value({Type::Generic, uint8_t(AddressSize)}, *N));
  return missing(Twine(Key) + " of the object map");
}

Expected<ObjectMap> CaseContext::getObjectMap(DieReference Reference) {
  const CaseEntry *Found = Entries->get(Reference.Offset);
  if (!Found || !Found->Map)
    return missing("object map at " + Twine(Reference.Offset));
  const json::Object &O = *Found->Map;
  ObjectMap Map;
  auto Place = [&](const char *Key, Location &Into) -> Error {
    Expected<Entry> E = evaluateMapAttribute(O, Key, ResultKind::Location);
    if (!E)
      return E.takeError();
    Into = E->Location;
    return Error::success();
  };
  auto Number = [&](const char *Key, uint64_t &Into) -> Error {
    Expected<Entry> E = evaluateMapAttribute(O, Key, ResultKind::Value);
    if (!E)
      return E.takeError();
    Into = E->Value.getUnsigned();
    return Error::success();
  };
  if (Error E = Place("mem_location", Map.Memory))
    return std::move(E);
  if (Error E = Place("vec_location", Map.Vector))
    return std::move(E);
  if (Error E = Number("cntl_ordinal", Map.First))
    return std::move(E);
  if (Error E = Number("element_size", Map.ElementSize))
    return std::move(E);
  if (Error E = Number("element_count", Map.ElementCount))
    return std::move(E);
  const json::Value *Low = O.get("low_pc"), *High = O.get("high_pc");
  Map.IsActive = !Low || !High ||
                 (PC && *PC >= getNumber(*Low).value_or(0) &&
                  *PC < getNumber(*High).value_or(0));
  return Map;
}
