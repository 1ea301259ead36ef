//===-- CaseEntries.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CaseEntries.h"
#include "CaseJSON.h"
#include "wavelane/Location/Attributes.h"

using namespace llvm;
using namespace wavelane::location;

// The offset of the unit's first entry.
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

/// An attribute of an object map: operations, a location list, or a number.
Error CaseContext::readMapAttribute(const json::Object &Map, const char *Key,
                                    AttributeValue &Into) {
  const json::Array *Items = Map.getArray(Key);
  if (!Items) {
    Into.Constant = getNumber(Map, Key);
    return Error::success();
  }
  if (Items->empty() || !Items->front().getAsObject()) {
    Expected<std::vector<uint8_t>> Bytes = assembleOperations(*Items);
    if (!Bytes)
      return Bytes.takeError();
    Into.Expression = ArrayRef<uint8_t>(keep(std::move(*Bytes)));
    return Error::success();
  }
  CaseEntry List;
  List.List.emplace();
  for (const json::Value &V : *Items) {
    const json::Object *Item = V.getAsObject();
    if (Error E = readListEntry(Item ? *Item : json::Object(), List))
      return E;
    List.List->back().Expression = keep(std::move(List.Bytes.back()));
  }
  Into.List = std::move(List.List);
  return Error::success();
}

Expected<ObjectMap> CaseContext::getObjectMap(DieReference Reference,
                                              const EvaluationOptions &O) {
  const CaseEntry *Found = Entries->get(Reference.Offset);
  if (!Found || !Found->Map)
    return missing("object map at " + Twine(Reference.Offset));
  const json::Object &From = *Found->Map;
  ObjectMapAttributes Map;
  for (auto [Key, Into] : {std::pair("mem_location", &Map.Memory),
                           std::pair("vec_location", &Map.Vector),
                           std::pair("cntl_ordinal", &Map.ControlOrdinal),
                           std::pair("map_chunk", &Map.Chunk),
                           std::pair("element_size", &Map.ElementSize),
                           std::pair("element_count", &Map.ElementCount)})
    if (Error E = readMapAttribute(From, Key, *Into))
      return std::move(E);
  if (std::optional<uint64_t> Low = getNumber(From, "low_pc"))
    Map.Ranges.push_back({*Low, getNumber(From, "high_pc").value_or(*Low)});
  if (const json::Array *Ranges = From.getArray("ranges"))
    for (const json::Value &V : *Ranges)
      if (const json::Object *Range = V.getAsObject())
        Map.Ranges.push_back({getNumber(*Range, "lo").value_or(0),
                              getNumber(*Range, "hi").value_or(0)});
  return evaluateObjectMap(Map, *this, O);
}
