//===-- CaseJSON.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CaseJSON.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace wavelane::location;

std::optional<uint64_t> wavelane::location::getNumber(const json::Value &V) {
  if (std::optional<uint64_t> U = V.getAsUINT64())
    return U;
  if (std::optional<int64_t> I = V.getAsInteger())
    return uint64_t(*I);
  if (std::optional<StringRef> S = V.getAsString()) {
    uint64_t U;
    if (!S->getAsInteger(0, U))
      return U;
    int64_t I;
    if (!S->getAsInteger(0, I))
      return uint64_t(I);
  }
  return std::nullopt;
}

std::optional<uint64_t> wavelane::location::getNumber(const json::Object &O,
                                                      StringRef Key) {
  const json::Value *V = O.get(Key);
  return V ? getNumber(*V) : std::nullopt;
}

std::optional<std::string> wavelane::location::getText(const json::Object &O,
                                                       StringRef Key) {
  if (std::optional<StringRef> Text = O.getString(Key))
    return Text->str();
  const json::Array *Parts = O.getArray(Key);
  if (!Parts)
    return std::nullopt;
  std::string Text;
  for (const json::Value &Part : *Parts)
    Text += Part.getAsString().value_or("?");
  return Text;
}

Expected<std::vector<uint8_t>> wavelane::location::getHex(StringRef Text,
                                                          const Twine &What) {
  std::string Clean;
  for (char C : Text)
    if (!isSpace(C))
      Clean.push_back(C);
  std::string Bytes;
  if (Clean.size() % 2 || !tryGetFromHex(Clean, Bytes))
    return illFormed(What + ": '" + Text + "' is not bytes in hex");
  return std::vector<uint8_t>(Bytes.begin(), Bytes.end());
}

Expected<std::vector<uint8_t>>
wavelane::location::getRegister(const json::Value &V, const Twine &What) {
  if (std::optional<StringRef> Text = V.getAsString())
    return getHex(*Text, What);
  const json::Object *O = V.getAsObject();
  const std::optional<uint64_t> First =
      O ? getNumber(*O, "first") : std::nullopt;
  const std::optional<uint64_t> Count =
      O ? getNumber(*O, "count") : std::nullopt;
  constexpr uint64_t MaxCount = 1 << 16;
  if (!First || !Count || *Count > MaxCount)
    return illFormed(What +
                     ": a register is \"hex\" or {\"first\", \"count\"}");
  std::vector<uint8_t> Bytes(*Count * 4);
  for (uint64_t I = 0; I < *Count; ++I)
    support::endian::write32le(&Bytes[I * 4], uint32_t(*First + I));
  return Bytes;
}

//===-- Types by name -----------------------------------------------------===//

// The offset of the unit's first base type.
static constexpr uint64_t FirstType = 0x10;

static constexpr struct {
  const char *Name;
  Type BaseType;
} BaseTypes[] = {
    {"u8", {Type::Unsigned, 1}},  {"s8", {Type::Signed, 1}},
    {"u16", {Type::Unsigned, 2}}, {"s16", {Type::Signed, 2}},
    {"u32", {Type::Unsigned, 4}}, {"s32", {Type::Signed, 4}},
    {"u64", {Type::Unsigned, 8}}, {"s64", {Type::Signed, 8}},
    {"f32", {Type::Float, 4}},    {"f64", {Type::Float, 8}},
};

std::optional<uint64_t> wavelane::location::findType(StringRef Name) {
  if (Name == "generic")
    return 0;
  for (size_t I = 0; I < std::size(BaseTypes); ++I)
    if (Name == BaseTypes[I].Name)
      return FirstType + I;
  return std::nullopt;
}

std::optional<Type> wavelane::location::getType(uint64_t Offset) {
  if (Offset < FirstType || Offset - FirstType >= std::size(BaseTypes))
    return std::nullopt;
  return BaseTypes[Offset - FirstType].BaseType;
}

const char *wavelane::location::getTypeName(Type T) {
  for (const auto &Base : BaseTypes)
    if (Base.BaseType == T)
      return Base.Name;
  return "generic";
}
