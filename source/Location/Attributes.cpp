//===-- Attributes.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Attributes.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

// More than any machine has, fewer than a hostile file may ask for.
static constexpr uint64_t MaxLanes = 1 << 16;

FormClass wavelane::location::getFormClass(uint16_t Form) {
  switch (Form) {
  case DW_FORM_data1:
  case DW_FORM_data2:
  case DW_FORM_data4:
  case DW_FORM_data8:
  case DW_FORM_sdata:
  case DW_FORM_udata:
  case DW_FORM_implicit_const:
    return FormClass::Constant;
  case DW_FORM_exprloc:
    return FormClass::Expression;
  case DW_FORM_sec_offset:
  case DW_FORM_loclistx:
    return FormClass::List;
  case DW_FORM_string:
  case DW_FORM_strp:
  case DW_FORM_line_strp:
  case DW_FORM_strx:
  case DW_FORM_strx1:
  case DW_FORM_strx2:
  case DW_FORM_strx3:
  case DW_FORM_strx4:
    return FormClass::String;
  default:
    return FormClass::Other;
  }
}

namespace {
enum class Forms { Any, Constant, Place, Count, String };
enum class Units { All, AMD };
struct Row {
  uint16_t Code;
  LaneAttribute Meaning;
  Forms Allowed;
  Units In;
};
} // namespace

static constexpr Row Table[] = {
#define ATTRIBUTE(Code, Name, Meaning, Allowed, In)                            \
  {Code, LaneAttribute::Meaning, Forms::Allowed, Units::In},
#include "wavelane/Location/Attributes.def"
};

static bool isAllowed(Forms Allowed, FormClass Class) {
  const bool IsPlace =
      Class == FormClass::Expression || Class == FormClass::List;
  switch (Allowed) {
  case Forms::Any:
    return true;
  case Forms::Constant:
    return Class == FormClass::Constant;
  case Forms::Place:
    return IsPlace;
  case Forms::Count:
    return IsPlace || Class == FormClass::Constant;
  case Forms::String:
    return Class == FormClass::String;
  }
  llvm_unreachable("classes of forms");
}

LaneAttribute wavelane::location::getAttribute(uint16_t Code, FormClass Class,
                                               bool IsAMDUnit) {
  for (const Row &R : Table)
    if (R.Code == Code && (R.In == Units::All || IsAMDUnit) &&
        isAllowed(R.Allowed, Class))
      return R.Meaning;
  return LaneAttribute::None;
}

SmallVector<uint16_t, 4>
wavelane::location::getAttributeCodes(LaneAttribute Meaning) {
  SmallVector<uint16_t, 4> Codes;
  for (const Row &R : Table)
    if (R.Meaning == Meaning)
      Codes.push_back(R.Code);
  llvm::sort(Codes);
  return Codes;
}

bool wavelane::location::isAMDAugmentation(StringRef Augmentation) {
  // "[vendor:vX.Y:options]...".
  while (Augmentation.consume_front("[")) {
    auto [Item, Rest] = Augmentation.split(']');
    StringRef Vendor = Item.take_until([](char C) { return C == ':'; });
    if (Vendor == "amdgpu" || Vendor == "amd")
      return true;
    Augmentation = Rest;
  }
  return false;
}

Expected<Location>
wavelane::location::evaluateLocation(const AttributeValue &V, Context &C,
                                     const EvaluationOptions &O) {
  if (V.Expression) {
    Expected<Entry> E = evaluate(*V.Expression, C, ResultKind::Location, O);
    if (!E)
      return E.takeError();
    return E->Location;
  }
  if (V.List)
    return evaluateLocationList(*V.List, C, O);
  return illFormed("the attribute is not a location");
}

static Expected<uint64_t> readGeneric(const Location &L, Context &C) {
  // A typed implicit value may be narrower than an address.
  unsigned Size = C.getAddressSize();
  Expected<std::optional<BitCount>> Whole = L.getStorageSize(C);
  if (!Whole)
    return Whole.takeError();
  if (L.Kind == StorageKind::Implicit && *Whole)
    Size = unsigned(std::min<BitCount>(Size, (**Whole - L.Offset) / 8));
  uint8_t Buffer[8] = {};
  if (Error E = L.read(C, Size * 8, MutableArrayRef<uint8_t>(Buffer, Size)))
    return std::move(E);
  uint64_t N = 0;
  for (unsigned I = 0; I < Size; ++I)
    N |= uint64_t(Buffer[I]) << (8 * I);
  return N;
}

Expected<std::optional<uint64_t>>
wavelane::location::evaluateCount(const AttributeValue &V, Context &C,
                                  const EvaluationOptions &O) {
  if (V.Constant)
    return V.Constant;
  if (V.Expression) {
    Expected<Entry> E = evaluate(*V.Expression, C, ResultKind::Any, O);
    if (!E)
      return E.takeError();
    if (E->IsValue) {
      Expected<Value> N = toValue(*E, C);
      if (!N)
        return N.takeError();
      if (!N->Type.isIntegral())
        return illFormed("a count that is not integral");
      return std::optional<uint64_t>(N->getUnsigned());
    }
    if (E->Location.Kind == StorageKind::Undefined)
      return std::nullopt;
    Expected<uint64_t> N = readGeneric(E->Location, C);
    if (!N)
      return N.takeError();
    return std::optional<uint64_t>(*N);
  }
  if (!V.List)
    return std::nullopt;
  // An entry's expression gives a value or a location, as one alone does: the
  // first that holds counts, the default entry last.
  const std::optional<uint64_t> PC = C.getProgramLocation();
  const LocationListEntry *Found = nullptr;
  for (const LocationListEntry &Item : *V.List) {
    if (Item.IsDefault ? !Found : PC && *PC >= Item.Low && *PC < Item.High) {
      Found = &Item;
      if (!Item.IsDefault)
        break;
    }
  }
  if (!Found) {
    if (!PC)
      return missing("program location");
    return std::nullopt;
  }
  AttributeValue One;
  One.Expression = Found->Expression;
  return evaluateCount(One, C, O);
}

Expected<uint32_t>
wavelane::location::evaluateLaneCount(const AttributeValue &V, Context &C,
                                      uint32_t Default,
                                      const EvaluationOptions &O) {
  Expected<std::optional<uint64_t>> N = evaluateCount(V, C, O);
  if (!N)
    return N.takeError();
  if (!*N)
    return Default;
  if (**N == 0 || **N > MaxLanes)
    return illFormed("a lane count of " + Twine(**N));
  return uint32_t(**N);
}

Expected<std::vector<std::optional<uint64_t>>>
wavelane::location::evaluateLanePC(const AttributeValue &V, uint32_t Lanes,
                                   Context &C, const EvaluationOptions &O) {
  if (Lanes > MaxLanes)
    return illFormed("a lane count of " + Twine(Lanes));
  Expected<Location> L = evaluateLocation(V, C, O);
  if (!L)
    return L.takeError();
  const unsigned Size = C.getAddressSize();
  std::vector<uint8_t> Bytes(size_t(Lanes) * Size), Undefined(Bytes.size());
  if (Error E = L->read(C, BitCount(Bytes.size()) * 8, Bytes, Undefined))
    return std::move(E);
  std::vector<std::optional<uint64_t>> PCs(Lanes);
  for (uint32_t Lane = 0; Lane < Lanes; ++Lane) {
    uint64_t PC = 0;
    bool IsDefined = true;
    for (unsigned I = 0; I < Size; ++I) {
      PC |= uint64_t(Bytes[size_t(Lane) * Size + I]) << (8 * I);
      IsDefined &= Undefined[size_t(Lane) * Size + I] == 0;
    }
    if (IsDefined)
      PCs[Lane] = PC;
  }
  return PCs;
}

Expected<BitVector>
wavelane::location::evaluateActiveLanes(const AttributeValue &V, uint32_t Lanes,
                                        Context &C,
                                        const EvaluationOptions &O) {
  if (Lanes > MaxLanes)
    return illFormed("a lane count of " + Twine(Lanes));
  Expected<Location> L = evaluateLocation(V, C, O);
  if (!L)
    return L.takeError();
  std::vector<uint8_t> Bytes((Lanes + 7) / 8);
  if (Error E = L->read(C, Lanes, Bytes))
    return std::move(E);
  BitVector Active(Lanes);
  for (uint32_t Lane = 0; Lane < Lanes; ++Lane)
    if (Bytes[Lane / 8] >> (Lane % 8) & 1)
      Active.set(Lane);
  return Active;
}

Expected<ObjectMap> wavelane::location::evaluateObjectMap(
    const AttributeValue &Memory, const AttributeValue &Vector,
    const AttributeValue &First, const AttributeValue &ElementSize,
    const AttributeValue &ElementCount, std::optional<uint64_t> Low,
    std::optional<uint64_t> High, Context &C, const EvaluationOptions &O) {
  auto Count = [&](const AttributeValue &V,
                   const char *What) -> Expected<uint64_t> {
    // A conversion of the location that breg gives is a value too: the ordinal
    // is DW_OP_bregx r3, 0 in the example.
    if (V.Expression) {
      Expected<Entry> E = evaluate(*V.Expression, C, ResultKind::Any, O);
      if (!E)
        return E.takeError();
      if (E->IsValue || E->Location.Kind == StorageKind::Memory) {
        Expected<Value> N = toValue(*E, C);
        if (!N)
          return N.takeError();
        return N->getUnsigned();
      }
    }
    Expected<std::optional<uint64_t>> N = evaluateCount(V, C, O);
    if (!N)
      return N.takeError();
    if (!*N)
      return missing(Twine(What) + " of the object map");
    return **N;
  };
  ObjectMap Map;
  Expected<Location> L = evaluateLocation(Memory, C, O);
  if (!L)
    return L.takeError();
  Map.Memory = *L;
  Expected<uint64_t> Size = Count(ElementSize, "element size");
  if (!Size)
    return Size.takeError();
  Map.ElementSize = *Size;
  Expected<uint64_t> Number = Count(ElementCount, "element count");
  if (!Number)
    return Number.takeError();
  Map.ElementCount = *Number;
  const std::optional<uint64_t> PC = C.getProgramLocation();
  Map.IsActive = !Low || !High || (PC && *PC >= *Low && *PC < *High);
  if (!Map.IsActive)
    return Map;
  // The registers mean this array only in the range.
  Expected<Location> Registers = evaluateLocation(Vector, C, O);
  if (!Registers)
    return Registers.takeError();
  Map.Vector = *Registers;
  Expected<uint64_t> Ordinal = Count(First, "control ordinal");
  if (!Ordinal)
    return Ordinal.takeError();
  Map.First = *Ordinal;
  return Map;
}
