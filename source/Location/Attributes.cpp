//===-- Attributes.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Attributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

// More lanes than any machine has, but few enough to be safe for hostile files.
static constexpr uint64_t MaxLanes = 4096;

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

unsigned wavelane::location::getClangVersion(StringRef Producer) {
  const StringRef Before = "clang version ";
  const size_t At = Producer.find(Before);
  unsigned Major = 0;
  if (At == StringRef::npos || Producer.substr(At + Before.size())
                                   .take_while(isDigit)
                                   .getAsInteger(10, Major))
    return 0;
  return Major;
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

/// The entry of \a List that holds at the program location; null if none does.
/// Numbers and masks have a single value, so different entries may not overlap.
static Expected<const LocationListEntry *>
findEntry(ArrayRef<LocationListEntry> List, Context &C) {
  const std::optional<uint64_t> PC = C.getProgramLocation();
  const LocationListEntry *Found = nullptr, *Default = nullptr;
  for (const LocationListEntry &Item : List) {
    if (Item.IsDefault) {
      Default = &Item;
      continue;
    }
    if (!PC || *PC < Item.Low || *PC >= Item.High)
      continue;
    if (Found && Found->Expression != Item.Expression)
      return illFormed("entries of its list overlap at this place");
    Found = &Item;
  }
  if (!Found)
    Found = Default;
  if (!Found && !PC)
    return missing("program location");
  return Found;
}

/// The attribute's unconverted value at the program location; nullopt if its
/// list has no entry there, or it is undefined.
static Expected<std::optional<Entry>>
evaluateAttribute(const AttributeValue &V, Context &C,
                  const EvaluationOptions &O) {
  if (V.Constant)
    return Entry(Value({Type::Generic, 8}, *V.Constant));
  std::optional<ArrayRef<uint8_t>> Expression = V.Expression;
  if (V.List) {
    Expected<const LocationListEntry *> Item = findEntry(*V.List, C);
    if (!Item)
      return Item.takeError();
    if (*Item)
      Expression = (*Item)->Expression;
  }
  if (!Expression)
    return std::nullopt;
  Expected<Entry> E = evaluate(*Expression, C, ResultKind::Any, O);
  if (!E)
    return E.takeError();
  if (!E->IsValue && E->Location.Kind == StorageKind::Undefined)
    return std::nullopt;
  return std::move(*E);
}

//===-- Counts, masks and program locations -------------------------------===//

Expected<std::optional<uint64_t>>
wavelane::location::evaluateCount(const AttributeValue &V, Context &C,
                                  const EvaluationOptions &O) {
  Expected<std::optional<Entry>> E = evaluateAttribute(V, C, O);
  if (!E)
    return E.takeError();
  if (!*E)
    return std::nullopt;
  // A value is wanted (2.19), so `breg8 0` is the number in the register.
  const Location &L = (*E)->Location;
  if ((*E)->IsValue || L.Kind == StorageKind::Memory) {
    Expected<Value> N = toValue(**E, C);
    if (!N)
      return N.takeError();
    if (!N->Type.isIntegral())
      return illFormed("a count that is not integral");
    return std::optional<uint64_t>(N->getUnsigned());
  }
  Expected<uint64_t> N = readGeneric(L, C);
  if (!N)
    return N.takeError();
  return std::optional<uint64_t>(*N);
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
  if (int64_t(**N) <= 0)
    return illFormed("a lane count of " + Twine(int64_t(**N)) +
                     ", which must be above zero");
  if (**N > MaxLanes)
    return illFormed("a lane count of " + Twine(**N) +
                     ", more than any machine has");
  return uint32_t(**N);
}

/// Reads the bytes at the attribute's location, or of its value.
/// \return False if it has none.
static Expected<bool> readAttribute(const AttributeValue &V, Context &C,
                                    const EvaluationOptions &O, BitCount Bits,
                                    MutableArrayRef<uint8_t> Into,
                                    MutableArrayRef<uint8_t> UndefinedMask) {
  Expected<std::optional<Entry>> E = evaluateAttribute(V, C, O);
  if (!E)
    return E.takeError();
  if (!*E)
    return false;
  Location L = (*E)->Location;
  if ((*E)->IsValue)
    L = Location::implicit(ArrayRef<uint8_t>((*E)->Value.getBytes())
                               .take_front((*E)->Value.Type.Size));
  if (Error Bad = L.read(C, Bits, Into, UndefinedMask))
    return std::move(Bad);
  return true;
}

Expected<std::vector<std::optional<uint64_t>>>
wavelane::location::evaluateLanePC(const AttributeValue &V, uint32_t Lanes,
                                   Context &C, const EvaluationOptions &O) {
  if (Lanes > MaxLanes)
    return illFormed("a lane count of " + Twine(Lanes));
  const unsigned Size = C.getAddressSize();
  std::vector<uint8_t> Bytes(size_t(Lanes) * Size), Undefined(Bytes.size());
  Expected<bool> IsPresent =
      readAttribute(V, C, O, BitCount(Bytes.size()) * 8, Bytes, Undefined);
  if (!IsPresent)
    return IsPresent.takeError();
  std::vector<std::optional<uint64_t>> PCs;
  if (!*IsPresent)
    return PCs;
  PCs.resize(Lanes);
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

Expected<std::optional<BitVector>>
wavelane::location::evaluateActiveLanes(const AttributeValue &V, uint32_t Lanes,
                                        Context &C,
                                        const EvaluationOptions &O) {
  if (Lanes > MaxLanes)
    return illFormed("a lane count of " + Twine(Lanes));
  std::vector<uint8_t> Bytes((Lanes + 7) / 8);
  Expected<bool> IsPresent = readAttribute(V, C, O, Lanes, Bytes, {});
  if (!IsPresent)
    return IsPresent.takeError();
  if (!*IsPresent)
    return std::nullopt;
  BitVector Active(Lanes);
  for (uint32_t Lane = 0; Lane < Lanes; ++Lane)
    if (Bytes[Lane / 8] >> (Lane % 8) & 1)
      Active.set(Lane);
  return std::optional<BitVector>(std::move(Active));
}

//===-- Object maps -------------------------------------------------------===//

AttributeValue *ObjectMapAttributes::find(LaneAttribute Meaning) {
  switch (Meaning) {
  case LaneAttribute::MemLocation:
    return &Memory;
  case LaneAttribute::VecLocation:
    return &Vector;
  case LaneAttribute::ElementSize:
    return &ElementSize;
  case LaneAttribute::ElementCount:
    return &ElementCount;
  case LaneAttribute::ControlOrdinal:
    return &ControlOrdinal;
  case LaneAttribute::MapChunk:
    return &Chunk;
  default:
    return nullptr;
  }
}

static Expected<uint64_t> evaluateElements(const AttributeValue &V,
                                           const char *What, Context &C,
                                           const EvaluationOptions &O) {
  Expected<std::optional<uint64_t>> N = evaluateCount(V, C, O);
  if (!N)
    return N.takeError();
  if (!*N)
    return missing(Twine(What) + " of the object map");
  if (**N == 0)
    return illFormed(Twine("the object map's ") + What + " is 0");
  if (**N > UINT32_MAX)
    return illFormed(Twine("the object map's ") + What + " is " + Twine(**N));
  return **N;
}

/// The registers that a chunk of \a Bytes fills, from \a First on.
static Expected<Location> getChunk(const Location &First, uint64_t Bytes,
                                   Context &C) {
  if (First.Kind != StorageKind::Register || First.Offset != 0)
    return First;
  Expected<uint64_t> Size = C.getUsedRegisterSize(First.Number);
  if (!Size)
    return Size.takeError();
  if (Bytes <= *Size)
    return First;
  if (*Size == 0 || Bytes % *Size != 0 || Bytes / *Size > 32)
    return illFormed("the object map's chunk of " + Twine(Bytes) +
                     " bytes doesn't fill registers of " + Twine(*Size) +
                     " bytes");
  auto Storage = std::make_shared<CompositeStorage>();
  for (uint64_t At = 0; At < Bytes; At += *Size) {
    Location Register = First;
    Register.Number += At / *Size;
    Storage->add(BitCount(At) * 8, BitCount(At + *Size) * 8,
                 std::move(Register));
  }
  return Location::composite(std::move(Storage));
}

/// Steps 1 and 2 of the issue: which chunk is in registers, if any.
static Error findChunk(const ObjectMapAttributes &From, Context &C,
                       const EvaluationOptions &O, ObjectMap &Map) {
  const bool HasNumber = bool(From.Chunk);
  Expected<std::optional<uint64_t>> N =
      evaluateCount(HasNumber ? From.Chunk : From.ControlOrdinal, C, O);
  if (!N)
    return N.takeError();
  if (!*N && !HasNumber)
    return missing("control ordinal of the object map");
  if (!*N || (HasNumber && **N == 0)) {
    Map.IsActive = false;
    return Error::success();
  }
  Map.First = **N;
  if (HasNumber && __builtin_mul_overflow(**N, Map.ElementCount, &Map.First))
    return illFormed("the object map's chunk is number " + Twine(**N));
  return Error::success();
}

Expected<ObjectMap>
wavelane::location::evaluateObjectMap(const ObjectMapAttributes &From,
                                      Context &C, const EvaluationOptions &O) {
  for (auto [V, Name] : {std::pair(&From.Memory, "mem_location"),
                         std::pair(&From.Vector, "vec_location"),
                         std::pair(&From.ElementSize, "element_size"),
                         std::pair(&From.ElementCount, "element_count")})
    if (!*V)
      return illFormed(Twine("the object map lacks ") + Name);
  if (!From.ControlOrdinal && !From.Chunk)
    return illFormed("the object map lacks cntl_ordinal and map_chunk");
  ObjectMap Map;
  if (Error E = evaluateLocation(From.Memory, C, O).moveInto(Map.Memory))
    return std::move(E);
  if (Error E = evaluateElements(From.ElementSize, "element size", C, O)
                    .moveInto(Map.ElementSize))
    return std::move(E);
  if (Error E = evaluateElements(From.ElementCount, "element count", C, O)
                    .moveInto(Map.ElementCount))
    return std::move(E);
  const std::optional<uint64_t> PC = C.getProgramLocation();
  Map.IsActive =
      From.Ranges.empty() || (PC && any_of(From.Ranges, [&](auto R) {
                                return *PC >= R.first && *PC < R.second;
                              }));
  // The registers only belong to this array while the map is active.
  if (Map.IsActive)
    if (Error E = findChunk(From, C, O, Map))
      return std::move(E);
  if (!Map.IsActive)
    return Map;
  Expected<Location> First = evaluateLocation(From.Vector, C, O);
  if (!First)
    return First.takeError();
  if (Error E = getChunk(*First, Map.ElementSize * Map.ElementCount, C)
                    .moveInto(Map.Vector))
    return std::move(E);
  return Map;
}
