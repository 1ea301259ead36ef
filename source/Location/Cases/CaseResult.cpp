//===-- CaseResult.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CaseResult.h"
#include "CaseJSON.h"
#include "CaseRanges.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace wavelane::location;

// The maximum number of bytes shown in one result.
static constexpr uint64_t MaxShown = 1 << 16;

/// Bits that were read: those that can't be read are marked, bit by bit if
/// undefined, byte by byte if reading fails.
namespace {
struct ReadBits {
  std::vector<uint8_t> Bytes;
  std::vector<uint8_t> Missing;
  BitCount Size;
  bool isMissing(BitCount I) const { return Missing[I / 8] >> (I % 8) & 1; }
  bool get(BitCount I) const { return Bytes[I / 8] >> (I % 8) & 1; }
};
} // namespace

static ReadBits readBits(const Location &L, Context &C, BitCount Size) {
  ReadBits R;
  R.Size = Size;
  const size_t Count = size_t((Size + 7) / 8);
  R.Bytes.resize(Count);
  R.Missing.resize(Count);
  Error E = L.read(C, Size, R.Bytes, R.Missing);
  if (!E)
    return R;
  consumeError(std::move(E));
  for (size_t I = 0; I < Count; ++I) {
    Location Byte = L;
    Byte.Offset += BitCount(I) * 8;
    const BitCount Here = std::min<BitCount>(8, Size - BitCount(I) * 8);
    R.Bytes[I] = R.Missing[I] = 0;
    if (Error Bad = Byte.read(C, Here, MutableArrayRef<uint8_t>(R.Bytes[I]),
                              MutableArrayRef<uint8_t>(R.Missing[I]))) {
      consumeError(std::move(Bad));
      R.Bytes[I] = 0;
      R.Missing[I] = 0xff;
    }
  }
  return R;
}

static std::string printBytes(const ReadBits &R) {
  std::string Text;
  for (size_t I = 0; I < R.Bytes.size(); ++I)
    Text += R.Missing[I] ? "??" : toHex(R.Bytes[I], /*LowerCase=*/true);
  return Text;
}

static std::string printBits(const ReadBits &R) {
  std::string Text;
  for (BitCount I = 0; I < R.Size; ++I)
    Text += R.isMissing(I) ? '?' : R.get(I) ? '1' : '0';
  return Text;
}

static json::Value printBitCount(BitCount Bits) {
  if (Bits % 8 == 0 && Bits >= 0 && Bits / 8 <= BitCount(UINT64_MAX))
    return json::Value(uint64_t(Bits / 8));
  return json::Value(double(Bits) / 8);
}

/// How much of \a L a result shows by default.
static BitCount getShownSize(const Location &L, Context &C) {
  Expected<std::optional<BitCount>> Size = L.getStorageSize(C);
  if (!Size) {
    consumeError(Size.takeError());
    return 0;
  }
  if (L.Kind == StorageKind::Undefined ||
      L.Kind == StorageKind::ImplicitPointer)
    return 0;
  if (L.Kind == StorageKind::Memory || !*Size ||
      **Size - L.Offset > BitCount(MaxShown) * 8)
    return BitCount(C.getAddressSize()) * 8;
  return std::max<BitCount>(0, **Size - L.Offset);
}

static json::Object describeValue(const Value &V) {
  json::Object O;
  O["kind"] = "value";
  if (V.Type.Kind == Type::Float)
    O["value"] = V.getFloat();
  else if (V.Type.Kind == Type::Signed)
    O["value"] = V.getSigned();
  else
    O["value"] = V.getUnsigned();
  if (V.Type.Kind != Type::Generic)
    O["type"] = getTypeName(V.Type);
  return O;
}

/// Reads as much of \a L as \a Want asks for: as bytes, or as bits if it isn't
/// made of whole bytes from the storage's start.
static void addContent(json::Object &O, const Location &L, CaseContext &C,
                       const json::Object &Want) {
  BitCount Size = getShownSize(L, C);
  bool HasBits = L.Offset % 8 != 0;
  if (std::optional<StringRef> Bits = Want.getString("bits")) {
    Size = BitCount(Bits->size());
    HasBits = true;
  } else if (std::optional<int64_t> Bits = Want.getInteger("bit_size")) {
    Size = *Bits;
    O["bit_size"] = int64_t(Size);
  } else if (std::optional<int64_t> Bytes = Want.getInteger("size")) {
    Size = BitCount(*Bytes) * 8;
  } else if (std::optional<std::string> Text = getText(Want, "bytes")) {
    Size = BitCount(Text->size() / 2) * 8;
  } else {
    HasBits |= Size % 8 != 0;
  }
  Size = std::clamp<BitCount>(Size, 0, BitCount(MaxShown) * 8);
  const ReadBits R = readBits(L, C, Size);
  if (HasBits)
    O["bits"] = printBits(R);
  if (Size % 8 == 0)
    O["size"] = int64_t(Size / 8);
  if (Size % 8 == 0 || O.get("bit_size"))
    O["bytes"] = printBytes(R);
}

static json::Array describeParts(const Location &L) {
  json::Array Parts;
  for (const StorageRange &Part : getRanges(L)) {
    json::Object P;
    P["start"] = printBitCount(Part.Begin);
    P["end"] = Part.End >= CompositeStorage::Unbounded
                   ? json::Value(nullptr)
                   : printBitCount(Part.End);
    P["storage"] = getStorageName(Part.Place);
    if (Part.Place.Kind == StorageKind::Register)
      P["register"] = Part.Place.Number;
    else if (Part.Place.Kind == StorageKind::Memory)
      P["aspace"] = Part.Place.Number;
    P["offset"] = printBitCount(Part.Place.Offset);
    Parts.push_back(std::move(P));
    if (Parts.size() == 256)
      break;
  }
  return Parts;
}

/// The pointee of an implicit pointer.
static void addPointee(json::Object &O, const Location &L, CaseContext &C,
                       const json::Object &Want) {
  Expected<Location> Target = followImplicitPointer(L, C, C.getOptions());
  if (!Target) {
    O["pointee_error"] = toString(Target.takeError());
    return;
  }
  BitCount Shown = getShownSize(*Target, C);
  if (std::optional<StringRef> Text = Want.getString("pointee"))
    Shown = BitCount(Text->size() / 2) * 8;
  O["pointee"] = printBytes(readBits(
      *Target, C, std::clamp<BitCount>(Shown, 0, BitCount(MaxShown) * 8)));
}

static json::Object describeResult(const Entry &E, CaseContext &C,
                                   const json::Object &Want) {
  if (E.IsValue && !E.IsImplicitPointer)
    return describeValue(E.Value);
  json::Object O;
  const Location &L = E.Location;
  O["kind"] = E.IsImplicitPointer ? "implicit_pointer_value" : "location";
  addContent(O, L, C, Want);
  O["offset"] = printBitCount(L.Offset);
  Expected<std::optional<BitCount>> Storage = L.getStorageSize(C);
  if (!Storage)
    consumeError(Storage.takeError());
  else if (*Storage)
    O["storage_size"] = printBitCount(**Storage);
  O["parts"] = describeParts(L);
  if (L.Kind == StorageKind::ImplicitPointer)
    addPointee(O, L, C, Want);
  return O;
}

json::Object wavelane::location::runCase(const json::Object &Case, bool &IsRun,
                                         std::unique_ptr<CaseContext> &C,
                                         Entry &Result) {
  json::Object O;
  IsRun = true;
  Expected<std::unique_ptr<CaseContext>> Made = CaseContext::create(Case, {});
  if (!Made) {
    IsRun = false;
    O["error"] = toString(Made.takeError());
  } else {
    C = std::move(*Made);
    Expected<Entry> E = C->evaluateExpression();
    if (E) {
      Result = std::move(*E);
      const json::Object *Want = Case.getObject("want");
      O = describeResult(Result, *C, Want ? *Want : json::Object());
    } else {
      O["error"] = toString(E.takeError());
    }
  }
  O["id"] = Case.getString("id").value_or("");
  return O;
}

json::Object wavelane::location::evaluateCase(const json::Object &Case,
                                              bool &IsRun) {
  std::unique_ptr<CaseContext> C;
  Entry Result;
  return runCase(Case, IsRun, C, Result);
}
