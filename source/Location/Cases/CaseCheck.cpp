//===-- CaseCheck.cpp - results compared with what is wanted --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CaseJSON.h"
#include "CaseRanges.h"
#include "CaseResult.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace wavelane::location;

static bool isSameText(StringRef A, StringRef B) {
  std::string Clean;
  for (char C : A)
    if (!isSpace(C))
      Clean.push_back(C);
  return B.equals_insensitive(Clean);
}

static bool isSameCount(const json::Value &Want, BitCount Bits) {
  if (std::optional<uint64_t> N = getNumber(Want))
    return BitCount(*N) * 8 == Bits;
  if (std::optional<double> D = Want.getAsNumber())
    return *D * 8 == double(Bits);
  return true;
}

namespace {
/// A part in `want`, in bits.
struct WantedPart {
  BitCount Begin;
  BitCount End; ///< Unbounded for null.
  StringRef Storage;
  std::optional<uint64_t> Number;
  std::optional<uint64_t> Offset; ///< In bytes.
};
} // namespace

static WantedPart readPart(const json::Object &P) {
  WantedPart Part;
  Part.Begin = BitCount(getNumber(P, "start").value_or(0)) * 8;
  const std::optional<uint64_t> End = getNumber(P, "end");
  Part.End = End ? BitCount(*End) * 8 : CompositeStorage::Unbounded;
  Part.Storage = P.getString("storage").value_or("");
  for (const char *Key :
       {"number", "register", "reg", "aspace", "address_space", "space"})
    if (std::optional<uint64_t> N = getNumber(P, Key))
      Part.Number = N;
  Part.Offset = getNumber(P, "offset");
  return Part;
}

/// Compares the location's storage in \a R, from bit \a At on, with what is
/// wanted.
static std::string comparePart(const WantedPart &Want, const StorageRange &R,
                               BitCount At) {
  const std::string Where = formatv("part at byte {0}: ", uint64_t(At / 8));
  if (Want.Storage != getStorageName(R.Place))
    return Where + "storage is " + getStorageName(R.Place);
  const bool HasNumber = R.Place.Kind == StorageKind::Memory ||
                         R.Place.Kind == StorageKind::Register;
  if (Want.Number && HasNumber && *Want.Number != R.Place.Number)
    return Where + "number is " + utostr(R.Place.Number);
  const BitCount Offset = R.Place.Offset + (At - R.Begin);
  if (Want.Offset && R.Place.Kind != StorageKind::Undefined &&
      Offset != BitCount(*Want.Offset) * 8 + (At - Want.Begin))
    return Where + "its offset there is " + utostr(uint64_t(Offset / 8));
  return "";
}

/// Compares each wanted part with the location's storage.
static std::string compareParts(const json::Array &Want, const Location &L) {
  const std::vector<StorageRange> Ranges = getRanges(L);
  for (const json::Value &Item : Want) {
    const json::Object *P = Item.getAsObject();
    if (!P)
      return "a wanted part is not an object";
    const WantedPart Part = readPart(*P);
    BitCount At = Part.Begin;
    for (const StorageRange &R : Ranges) {
      if (R.End <= At || R.Begin >= Part.End || At >= Part.End)
        continue;
      if (R.Begin > At)
        break;
      if (std::string Difference = comparePart(Part, R, At);
          !Difference.empty())
        return Difference;
      At = std::min(R.End, Part.End);
    }
    // No storage is infinite: null means the end of a space.
    if (At < Part.End &&
        !(At > Part.Begin && Part.End == CompositeStorage::Unbounded) &&
        Part.Begin != Part.End)
      return formatv("nothing is at byte {0}", uint64_t(At / 8));
  }
  if (L.Kind != StorageKind::Composite || Want.empty() || Ranges.empty())
    return "";
  const json::Object *Last = Want.back().getAsObject();
  std::optional<uint64_t> End = Last ? getNumber(*Last, "end") : std::nullopt;
  if (End && BitCount(*End) * 8 < Ranges.back().End)
    return "the storage continues after the last part";
  return "";
}

static std::string compareValue(const json::Value &Want, const Value &Have) {
  if (Have.Type.Kind != Type::Float) {
    std::optional<uint64_t> N = getNumber(Want);
    return N && Value(Have.Type, *N).Bits == Have.Bits ? ""
                                                       : "the value differs";
  }
  std::optional<double> D = Want.getAsNumber();
  if (!D)
    return "the value differs";
  const double Wanted = Have.Type.Size == 4 ? double(float(*D)) : *D;
  const bool IsSame = Wanted == Have.getFloat() ||
                      (std::isnan(Wanted) && std::isnan(Have.getFloat()));
  return IsSame ? "" : "the value differs";
}

std::string wavelane::location::checkCase(const json::Object &Case,
                                          json::Object &Result) {
  std::unique_ptr<CaseContext> C;
  Entry E;
  bool IsRun;
  Result = runCase(Case, IsRun, C, E);
  const json::Object *Want = Case.getObject("want");
  if (!IsRun)
    return "the case cannot be read";
  if (!Want)
    return "the case wants nothing";
  const bool HasFailed = Result.get("error") != nullptr;
  if (const json::Value *Error = Want->get("error")) {
    const bool WantsError = Error->getAsBoolean().value_or(true);
    if (WantsError)
      return HasFailed ? "" : "it should fail";
  }
  if (HasFailed)
    return "it fails";
  const StringRef Kind = Want->getString("kind").value_or("");
  if (!Kind.empty() && Kind != *Result.getString("kind"))
    return "it is another kind";

  if (const json::Value *V = Want->get("value"))
    if (std::string Difference = compareValue(*V, E.Value); !Difference.empty())
      return Difference;
  if (std::optional<StringRef> Type = Want->getString("type"))
    if (*Type != getTypeName(E.Value.Type))
      return "the type differs";
  for (const char *Key : {"bytes", "bits", "pointee"})
    if (std::optional<std::string> Text = getText(*Want, Key)) {
      std::optional<StringRef> Have = Result.getString(Key);
      if (!Have || !isSameText(*Text, *Have))
        return std::string(Key) + " differ";
    }
  if (E.IsValue)
    return "";
  if (const json::Value *V = Want->get("offset"))
    if (!isSameCount(*V, E.Location.Offset))
      return "the offset differs";
  if (const json::Value *V = Want->get("storage_size")) {
    Expected<std::optional<BitCount>> Size = E.Location.getStorageSize(*C);
    if (!Size)
      consumeError(Size.takeError());
    else if (*Size && !isSameCount(*V, **Size))
      return "the storage's size differs";
  }
  if (const json::Array *Parts = Want->getArray("parts"))
    return compareParts(*Parts, E.Location);
  return "";
}
