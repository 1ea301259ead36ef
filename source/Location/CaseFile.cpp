//===-- CaseFile.cpp ------------------------------------------------------===//

#include "wavelane/Location/CaseFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstring>
#include <deque>

using namespace llvm;
using namespace wavelane::location;

// Bytes that one result shows at most.
static constexpr uint64_t MaxShown = 1 << 16;

//===-- Reading JSON ------------------------------------------------------===//

static std::optional<uint64_t> getNumber(const json::Value &V) {
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

static Expected<std::vector<uint8_t>> getHex(StringRef Text, const Twine &What) {
  std::string Clean;
  for (char C : Text)
    if (!isSpace(C))
      Clean.push_back(C);
  std::string Bytes;
  if (Clean.size() % 2 || !tryGetFromHex(Clean, Bytes))
    return illFormed(What + ": '" + Text + "' is not bytes in hex");
  return std::vector<uint8_t>(Bytes.begin(), Bytes.end());
}

//===-- Types and entries by name -----------------------------------------===//

// Where the unit that a case would have has its base types and its entries.
static constexpr uint64_t FirstType = 0x10;
static constexpr uint64_t FirstDie = 0x1000;
static constexpr uint64_t DieDistance = 4;

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

static std::optional<uint64_t> findType(StringRef Name) {
  if (Name == "generic")
    return 0;
  for (size_t I = 0; I < std::size(BaseTypes); ++I)
    if (Name == BaseTypes[I].Name)
      return FirstType + I;
  return std::nullopt;
}

static const char *getTypeName(Type T) {
  for (const auto &Base : BaseTypes)
    if (Base.BaseType == T)
      return Base.Name;
  return "generic";
}

struct CaseContext::Die {
  std::optional<std::vector<uint8_t>> Expression;
  std::optional<std::vector<uint8_t>> ConstValue;
  std::deque<std::vector<uint8_t>> Bytes;
  std::optional<std::vector<LocationListEntry>> List;
  const json::Object *Map = nullptr;
};

CaseContext::~CaseContext() = default;

//===-- Expressions -------------------------------------------------------===//

Expected<std::vector<SourceOperation>>
CaseContext::parse(const json::Array &Operations, unsigned Depth) {
  if (Depth > Options.MaxDepth)
    return makeError(ErrorKind::Limit, "expressions are nested too deeply");
  std::vector<SourceOperation> Parsed;
  for (const json::Value &Item : Operations) {
    const json::Array *Words = Item.getAsArray();
    if (!Words || Words->empty() || !Words->front().getAsString())
      return illFormed("an operation is a list that begins with its name");
    SourceOperation Op;
    Op.Name = Words->front().getAsString()->str();
    const OperationInfo *Info = findOperation(StringRef(Op.Name));
    if (!Info)
      return illFormed("unknown operation " + Op.Name);
    size_t Next = 1;
    Type Constant;
    for (OperandKind Kind : Info->Operands) {
      if (Kind == OperandKind::None)
        break;
      if (Next >= Words->size())
        return illFormed(Op.Name + " lacks an operand");
      const json::Value &Word = (*Words)[Next++];
      if (Kind == OperandKind::Expression) {
        const json::Array *Nested = Word.getAsArray();
        if (!Nested)
          return illFormed(Op.Name + " wants a list of operations");
        Expected<std::vector<SourceOperation>> Inner =
            parse(*Nested, Depth + 1);
        if (!Inner)
          return Inner.takeError();
        Expected<std::vector<uint8_t>> Bytes =
            assemble(*Inner, Options.Decode);
        if (!Bytes)
          return Bytes.takeError();
        Op.Block = std::move(*Bytes);
        continue;
      }
      if (Kind == OperandKind::Block) {
        if (!Word.getAsString())
          return illFormed(Op.Name + " wants bytes in hex");
        Expected<std::vector<uint8_t>> Bytes =
            getHex(*Word.getAsString(), Op.Name);
        if (!Bytes)
          return Bytes.takeError();
        Op.Block = std::move(*Bytes);
        continue;
      }
      if (Kind == OperandKind::TypedConst) {
        uint64_t Bits;
        std::optional<double> Number = Word.getAsNumber();
        if (Constant.Kind == Type::Float && Number)
          Bits = Value::fromFloat(Constant, *Number).Bits;
        else if (std::optional<uint64_t> N = getNumber(Word))
          Bits = *N;
        else
          return illFormed(Op.Name + " wants a number");
        for (unsigned I = 0; I < Constant.Size; ++I)
          Op.Block.push_back(uint8_t(Bits >> (8 * I)));
        continue;
      }
      if (Kind == OperandKind::TypeULEB && Word.getAsString()) {
        std::optional<uint64_t> Offset = findType(*Word.getAsString());
        if (!Offset)
          return illFormed("unknown type " + *Word.getAsString());
        Op.Operands.push_back(int64_t(*Offset));
        Constant = *Offset ? BaseTypes[*Offset - FirstType].BaseType
                           : Type{Type::Generic, uint8_t(AddressSize)};
        continue;
      }
      if (std::optional<uint64_t> N = getNumber(Word)) {
        Op.Operands.push_back(int64_t(*N));
        continue;
      }
      // An entry's name.
      std::optional<StringRef> Name = Word.getAsString();
      auto It = Name ? find_if(Dies, [&](auto &D) { return D.first == *Name; })
                     : Dies.end();
      if (It == Dies.end())
        return illFormed(Op.Name + ": the context has no entry of that name");
      Op.Operands.push_back(
          int64_t(FirstDie + DieDistance * uint64_t(It - Dies.begin())));
    }
    if (Next != Words->size())
      return illFormed(Op.Name + " has too many operands");
    Parsed.push_back(std::move(Op));
  }
  return Parsed;
}

Expected<std::vector<uint8_t>>
CaseContext::assembleOperations(const json::Array &Operations) {
  Expected<std::vector<SourceOperation>> Parsed = parse(Operations);
  if (!Parsed)
    return Parsed.takeError();
  return assemble(*Parsed, Options.Decode);
}

Expected<std::vector<uint8_t>> CaseContext::assembleExpression() {
  if (const json::Array *Operations = Case->getArray("expression"))
    return assembleOperations(*Operations);
  if (std::optional<StringRef> Encoded = Case->getString("encoded"))
    return getHex(*Encoded, "encoded");
  return illFormed("the case has no expression");
}

//===-- The context -------------------------------------------------------===//

Expected<std::unique_ptr<CaseContext>>
CaseContext::create(const json::Object &Case, EvaluationOptions Options) {
  std::unique_ptr<CaseContext> C(new CaseContext());
  C->Case = &Case;
  C->Options = Options;
  if (const json::Object *Dwarf = Case.getObject("dwarf"))
    if (std::optional<int64_t> Size = Dwarf->getInteger("address_size"))
      C->AddressSize = unsigned(*Size);
  if (C->AddressSize != 4 && C->AddressSize != 8)
    return illFormed("address_size is 4 or 8");
  C->Options.Decode.AddressSize = uint8_t(C->AddressSize);
  const StringRef Semantics = Case.getString("semantics").value_or("any");
  if (Semantics == "amd")
    C->Options.Dialect = Dialect::AMD;
  else if (Semantics == "dwarf6-strict")
    C->Options.Dialect = Dialect::Strict;
  if (const json::Object *Facts = Case.getObject("context")) {
    C->Facts = Facts;
    if (Error E = C->readContext(*Facts))
      return std::move(E);
  }
  C->Arch = Architecture::find(C->WaveLanes == 32 ? "amdgpu-wave32"
                                                  : "amdgpu-wave64");
  return C;
}

Error CaseContext::readRegisters(const json::Object &From) {
  for (const auto &[Key, V] : From) {
    uint64_t Number;
    if (StringRef(Key).getAsInteger(0, Number) || !V.getAsString())
      return illFormed("registers are \"number\": \"hex\"");
    Expected<std::vector<uint8_t>> Bytes =
        getHex(*V.getAsString(), "register " + Twine(Number));
    if (!Bytes)
      return Bytes.takeError();
    erase_if(Registers, [&](auto &R) { return R.first == Number; });
    Registers.emplace_back(Number, std::move(*Bytes));
  }
  return Error::success();
}

Error CaseContext::readContext(const json::Object &From) {
  auto Number = [&](const char *Key) -> std::optional<uint64_t> {
    const json::Value *V = From.get(Key);
    return V ? getNumber(*V) : std::nullopt;
  };
  if (std::optional<uint64_t> N = Number("lane"))
    Lane = uint32_t(*N);
  if (std::optional<uint64_t> N = Number("lanes"))
    Lanes = uint32_t(*N);
  if (std::optional<uint64_t> N = Number("wave_lanes"))
    WaveLanes = unsigned(*N);
  if (std::optional<uint64_t> N = Number("iteration"))
    Iteration = uint32_t(*N);
  if (std::optional<uint64_t> N = Number("iterations"))
    Iterations = uint32_t(*N);
  PC = Number("pc");
  if (WaveLanes != 32 && WaveLanes != 64)
    return illFormed("wave_lanes is 32 or 64");
  if (const json::Object *R = From.getObject("registers"))
    if (Error E = readRegisters(*R))
      return E;
  if (const json::Array *M = From.getArray("memory"))
    for (const json::Value &V : *M) {
      const json::Object *O = V.getAsObject();
      const json::Value *Address = O ? O->get("address") : nullptr;
      std::optional<StringRef> Text =
          O ? O->getString("bytes") : std::nullopt;
      std::optional<uint64_t> At =
          Address ? getNumber(*Address) : std::nullopt;
      if (!At || !Text)
        return illFormed("memory is a list of {aspace, address, bytes}");
      Expected<std::vector<uint8_t>> Bytes = getHex(*Text, "memory");
      if (!Bytes)
        return Bytes.takeError();
      Block B;
      const json::Value *Space = O->get("aspace");
      B.Space = Space ? getNumber(*Space).value_or(0) : 0;
      if (const json::Value *L = O->get("lane"))
        if (std::optional<uint64_t> N = getNumber(*L))
          B.Lane = uint32_t(*N);
      B.Address = *At;
      B.Bytes = std::move(*Bytes);
      HasPrivateLane |= B.Space == 5;
      Memory.push_back(std::move(B));
    }
  if (const json::Object *Entries = From.getObject("entry_values")) {
    Caller.reset(new CaseContext());
    Caller->Case = Case;
    Caller->Options = Options;
    Caller->AddressSize = AddressSize;
    Caller->WaveLanes = WaveLanes;
    Caller->Lane = Lane;
    Caller->Lanes = Lanes;
    Caller->Memory = Memory;
    Caller->HasPrivateLane = HasPrivateLane;
    Caller->Arch = Architecture::find("amdgpu-wave64");
    if (const json::Object *R = Entries->getObject("registers"))
      if (Error E = Caller->readRegisters(*R))
        return E;
  }

  const json::Object *Entries = From.getObject("dies");
  if (!Entries)
    return Error::success();
  // All names first: entries refer to each other.
  for (const auto &[Key, V] : *Entries)
    Dies.emplace_back(StringRef(Key).str(), std::make_unique<Die>());
  llvm::sort(Dies, [](auto &A, auto &B) { return A.first < B.first; });
  if (FirstDie + DieDistance * Dies.size() > UINT16_MAX)
    return illFormed("too many entries");
  for (auto &[Name, D] : Dies) {
    const json::Object *O = Entries->getObject(Name);
    if (!O)
      return illFormed("entry " + Name + " is not an object");
    D->Map = O->getObject("object_map");
    if (const json::Array *Location = O->getArray("location")) {
      Expected<std::vector<uint8_t>> Bytes = assembleOperations(*Location);
      if (!Bytes)
        return Bytes.takeError();
      D->Expression = std::move(*Bytes);
    }
    if (std::optional<StringRef> Text = O->getString("const_value")) {
      Expected<std::vector<uint8_t>> Bytes = getHex(*Text, "const_value");
      if (!Bytes)
        return Bytes.takeError();
      D->ConstValue = std::move(*Bytes);
    }
    if (const json::Array *List = O->getArray("loclist")) {
      D->List.emplace();
      for (const json::Value &V : *List) {
        const json::Object *Item = V.getAsObject();
        const json::Array *Operations =
            Item ? Item->getArray("expression") : nullptr;
        if (!Operations)
          return illFormed("a loclist is a list of {lo, hi, expression}");
        Expected<std::vector<uint8_t>> Bytes = assembleOperations(*Operations);
        if (!Bytes)
          return Bytes.takeError();
        LocationListEntry E;
        const json::Value *Low = Item->get("lo"), *High = Item->get("hi");
        std::optional<uint64_t> L = Low ? getNumber(*Low) : std::nullopt;
        std::optional<uint64_t> H = High ? getNumber(*High) : std::nullopt;
        E.IsDefault = !L && !H;
        E.Low = L.value_or(0);
        E.High = H.value_or(UINT64_MAX);
        D->Bytes.push_back(std::move(*Bytes));
        E.Expression = D->Bytes.back();
        D->List->push_back(E);
      }
    }
  }
  return Error::success();
}

std::optional<AddressSpace> CaseContext::getAddressSpace(uint64_t Number) {
  std::optional<AddressSpace> Space = Arch->getAddressSpace(Number);
  if (Space && Number == 0)
    Space->AddressBits = 8 * AddressSize;
  return Space;
}

std::optional<std::string> CaseContext::getRegisterName(uint64_t) {
  // Cases number their registers as they like.
  return std::nullopt;
}

Expected<uint64_t> CaseContext::getRegisterSize(uint64_t Number) {
  for (const auto &[N, Bytes] : Registers)
    if (N == Number)
      return Bytes.size();
  return missing("register " + Twine(Number));
}

Error CaseContext::readRegister(uint64_t Number, uint64_t, uint64_t Offset,
                                MutableArrayRef<uint8_t> Into) {
  for (const auto &[N, Bytes] : Registers) {
    if (N != Number)
      continue;
    if (Offset > Bytes.size() || Into.size() > Bytes.size() - Offset)
      return failed("register " + Twine(Number) + " has " +
                    Twine(Bytes.size()) + " bytes");
    std::copy_n(Bytes.begin() + Offset, Into.size(), Into.begin());
    return Error::success();
  }
  return missing("register " + Twine(Number));
}

Error CaseContext::writeRegister(uint64_t Number, uint64_t, uint64_t Offset,
                                 ArrayRef<uint8_t> From) {
  for (auto &[N, Bytes] : Registers) {
    if (N != Number)
      continue;
    if (Offset > Bytes.size() || From.size() > Bytes.size() - Offset)
      return failed("register " + Twine(Number) + " has " +
                    Twine(Bytes.size()) + " bytes");
    std::copy(From.begin(), From.end(), Bytes.begin() + Offset);
    return Error::success();
  }
  return missing("register " + Twine(Number));
}

uint8_t *CaseContext::findByte(uint64_t Space, std::optional<uint32_t> OfLane,
                               uint64_t Address) {
  for (Block &B : Memory)
    if (B.Space == Space && (!B.Lane || B.Lane == OfLane) &&
        Address >= B.Address && Address - B.Address < B.Bytes.size())
      return &B.Bytes[Address - B.Address];
  // private_lane is a view of private_wave, unless the case tells it itself.
  if (Space == 5 && !HasPrivateLane)
    return findByte(
        6, OfLane,
        getPrivateWaveAddress(Address, OfLane.value_or(0), WaveLanes));
  // A generic address outside the apertures is global.
  if (Space == 1)
    return findByte(0, OfLane, Address);
  return nullptr;
}

Error CaseContext::readMemory(uint64_t Space, std::optional<uint32_t> OfLane,
                              uint64_t, uint64_t Address,
                              MutableArrayRef<uint8_t> Into) {
  for (size_t I = 0; I < Into.size(); ++I) {
    const uint8_t *Byte = findByte(Space, OfLane, Address + I);
    if (!Byte)
      return failed(formatv("memory of space {0} at {1:x} cannot be read",
                            Space, Address + I)
                        .str());
    Into[I] = *Byte;
  }
  return Error::success();
}

Error CaseContext::writeMemory(uint64_t Space, std::optional<uint32_t> OfLane,
                               uint64_t, uint64_t Address,
                               ArrayRef<uint8_t> From) {
  for (size_t I = 0; I < From.size(); ++I)
    if (!findByte(Space, OfLane, Address + I))
      return failed(formatv("memory of space {0} at {1:x} cannot be written",
                            Space, Address + I)
                        .str());
  for (size_t I = 0; I < From.size(); ++I)
    *findByte(Space, OfLane, Address + I) = From[I];
  return Error::success();
}

Expected<Location> CaseContext::evaluateFact(const char *Key,
                                             bool IsFrameBase) {
  const json::Object *Fact = Facts ? Facts->getObject(Key) : nullptr;
  const json::Array *Operations =
      Fact ? Fact->getArray("expression") : nullptr;
  if (!Operations)
    return missing(StringRef(Key) == "cfa" ? "canonical frame address"
                   : StringRef(Key) == "frame_base" ? "frame base"
                                                    : Key);
  if (is_contained(Active, Key))
    return illFormed(Twine(Key) + " is defined by itself");
  Expected<std::vector<uint8_t>> Bytes = assembleOperations(*Operations);
  if (!Bytes)
    return Bytes.takeError();
  Active.push_back(Key);
  Expected<Location> Result = Location::undefined();
  if (IsFrameBase) {
    Result = evaluateFrameBase(*Bytes, *this, Options);
  } else {
    Expected<Entry> E =
        evaluate(*Bytes, *this, ResultKind::Location, Options);
    if (E)
      Result = E->Location;
    else
      Result = E.takeError();
  }
  Active.pop_back();
  return Result;
}

Expected<Location> CaseContext::getFrameBase() {
  return evaluateFact("frame_base", true);
}
Expected<Location> CaseContext::getCallFrameAddress() {
  return evaluateFact("cfa", false);
}
Expected<Location> CaseContext::getObject() {
  return evaluateFact("object", false);
}

Expected<Location> CaseContext::getEntryRegister(uint64_t Number) {
  const json::Object *Rules = Facts ? Facts->getObject("cfi") : nullptr;
  if (!Rules)
    return missing("call frame information");
  const std::string Name = "the rule of register " + utostr(Number);
  if (is_contained(Active, Name))
    return illFormed(Name + " is defined by itself");
  if (const json::Object *Inner = Rules->getObject("registers"))
    Rules = Inner;
  auto Itself = [&] {
    Location L = Location::reg(Number);
    L.Lane = Lane;
    return L;
  };
  const json::Value *Rule = Rules->get(utostr(Number));
  // AMDGPU's default rule is "same value".
  if (!Rule)
    return Itself();
  StringRef Kind;
  const json::Value *Operand = nullptr;
  if (std::optional<StringRef> Text = Rule->getAsString()) {
    Kind = *Text;
  } else if (const json::Array *List = Rule->getAsArray()) {
    if (!List->empty())
      Kind = List->front().getAsString().value_or("");
    if (List->size() > 1)
      Operand = &(*List)[1];
  } else if (const json::Object *O = Rule->getAsObject()) {
    Kind = O->getString("rule").value_or(O->getString("kind").value_or(""));
    for (const char *Key : {"register", "expression", "undefined", "same_value"})
      if (const json::Value *V = O->get(Key)) {
        Kind = Key;
        Operand = V;
      }
  }
  if (Kind == "same_value")
    return Itself();
  if (Kind == "undefined")
    return Location::undefined();
  if (Kind == "register" && Operand && getNumber(*Operand)) {
    Location L = Location::reg(*getNumber(*Operand));
    L.Lane = Lane;
    return L;
  }
  if (Kind == "expression" && Operand && Operand->getAsArray()) {
    Expected<std::vector<uint8_t>> Bytes =
        assembleOperations(*Operand->getAsArray());
    if (!Bytes)
      return Bytes.takeError();
    // The CFA is on the stack first, for the rules that use it.
    SmallVector<Entry, 1> Initial;
    if (Facts->getObject("cfa")) {
      Expected<Location> CFA = getCallFrameAddress();
      if (!CFA)
        return CFA.takeError();
      Initial.push_back(*CFA);
    }
    Active.push_back(Name);
    Expected<Entry> E =
        evaluate(*Bytes, *this, ResultKind::Location, Options, Initial);
    Active.pop_back();
    if (!E)
      return E.takeError();
    return E->Location;
  }
  return illFormed(Name + " is not same_value, undefined, register or expression");
}

Expected<Location> CaseContext::getThreadLocal(uint64_t Offset) {
  const json::Object *Fact = Facts ? Facts->getObject("tls") : nullptr;
  const json::Value *V = Facts ? Facts->get("tls") : nullptr;
  if (!V)
    return missing("thread-local storage");
  Location Base;
  if (Fact) {
    Expected<Location> L = evaluateFact("tls", false);
    if (!L)
      return L.takeError();
    Base = *L;
  } else if (std::optional<uint64_t> N = getNumber(*V)) {
    Base = Location::memory(0, *N);
  }
  if (Error E = Base.move(*this, BitCount(Offset) * 8))
    return std::move(E);
  return Base;
}

Expected<Context *> CaseContext::getCallerContext() {
  if (!Caller)
    return missing("entry values");
  return Caller.get();
}

Expected<Type> CaseContext::getBaseType(uint64_t Offset) {
  if (Offset < FirstType || Offset - FirstType >= std::size(BaseTypes))
    return illFormed("there is no base type at " + Twine(Offset));
  return BaseTypes[Offset - FirstType].BaseType;
}

Expected<uint64_t> CaseContext::getIndexedAddress(uint64_t Index) {
  const json::Array *Table = Facts ? Facts->getArray("addrx") : nullptr;
  if (!Table)
    return missing("table of addresses (.debug_addr)");
  std::optional<uint64_t> N =
      Index < Table->size() ? getNumber((*Table)[Index]) : std::nullopt;
  if (!N)
    return failed("the table of addresses has no entry " + Twine(Index));
  return *N;
}

Expected<DieLocation> CaseContext::getDie(DieReference Reference) {
  const uint64_t Index = (Reference.Offset - FirstDie) / DieDistance;
  if (Reference.Offset < FirstDie || Index >= Dies.size() ||
      (Reference.Offset - FirstDie) % DieDistance)
    return missing("entry at " + Twine(Reference.Offset));
  const Die &D = *Dies[Index].second;
  DieLocation Result;
  if (D.Expression)
    Result.Expression = ArrayRef<uint8_t>(*D.Expression);
  if (D.ConstValue)
    Result.ConstValue = ArrayRef<uint8_t>(*D.ConstValue);
  Result.List = D.List;
  return Result;
}

Expected<ObjectMap> CaseContext::getObjectMap(DieReference Reference) {
  const uint64_t Index = (Reference.Offset - FirstDie) / DieDistance;
  if (Reference.Offset < FirstDie || Index >= Dies.size() ||
      !Dies[Index].second->Map)
    return missing("object map at " + Twine(Reference.Offset));
  const json::Object &O = *Dies[Index].second->Map;
  auto Run = [&](const char *Key, ResultKind Kind) -> Expected<Entry> {
    if (const json::Array *Operations = O.getArray(Key)) {
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
    if (const json::Value *V = O.get(Key))
      if (std::optional<uint64_t> N = getNumber(*V))
        return Entry(Value({Type::Generic, uint8_t(AddressSize)}, *N));
    return missing(Twine(Key) + " of the object map");
  };
  ObjectMap Map;
  Expected<Entry> Memory = Run("mem_location", ResultKind::Location);
  if (!Memory)
    return Memory.takeError();
  Expected<Entry> Vector = Run("vec_location", ResultKind::Location);
  if (!Vector)
    return Vector.takeError();
  Expected<Entry> First = Run("cntl_ordinal", ResultKind::Value);
  if (!First)
    return First.takeError();
  Expected<Entry> Size = Run("element_size", ResultKind::Value);
  if (!Size)
    return Size.takeError();
  Expected<Entry> Count = Run("element_count", ResultKind::Value);
  if (!Count)
    return Count.takeError();
  Map.Memory = Memory->Location;
  Map.Vector = Vector->Location;
  Map.First = First->Value.getUnsigned();
  Map.ElementSize = Size->Value.getUnsigned();
  Map.ElementCount = Count->Value.getUnsigned();
  const json::Value *Low = O.get("low_pc"), *High = O.get("high_pc");
  Map.IsActive = !Low || !High ||
                 (PC && *PC >= getNumber(*Low).value_or(0) &&
                  *PC < getNumber(*High).value_or(0));
  return Map;
}

bool CaseContext::isVectorRegister(uint64_t Number, unsigned &ElementSize) {
  const RegisterRange *Range = Arch->findRegister(Number);
  if (!Range || !Range->ElementSize)
    return false;
  ElementSize = Range->ElementSize;
  return true;
}

//===-- Evaluating --------------------------------------------------------===//

Expected<Entry> CaseContext::evaluateExpression(TraceFunction *Trace) {
  Expected<std::vector<uint8_t>> Bytes = assembleExpression();
  if (!Bytes)
    return Bytes.takeError();
  SmallVector<Entry, 4> Initial;
  const json::Array *Entries = Facts ? Facts->getArray("initial_stack") : nullptr;
  if (Entries)
    for (const json::Value &V : *Entries) {
      const json::Object *O = V.getAsObject();
      const json::Value *Number = O ? O->get("value") : nullptr;
      const json::Array *Operations = O ? O->getArray("expression") : nullptr;
      if (Number && getNumber(*Number)) {
        Initial.push_back(
            Value({Type::Generic, uint8_t(AddressSize)}, *getNumber(*Number)));
      } else if (Operations) {
        Expected<std::vector<uint8_t>> Inner = assembleOperations(*Operations);
        if (!Inner)
          return Inner.takeError();
        Expected<Entry> E =
            evaluate(*Inner, *this, ResultKind::Location, Options);
        if (!E)
          return E.takeError();
        Initial.push_back(std::move(*E));
      } else {
        return illFormed("the initial stack is of {value} and {expression}");
      }
    }
  ResultKind Kind = ResultKind::Any;
  if (std::optional<StringRef> Text = Case->getString("result_kind"))
    Kind = *Text == "value"      ? ResultKind::Value
           : *Text == "location" ? ResultKind::Location
                                 : ResultKind::Any;
  return evaluate(*Bytes, *this, Kind, Options, Initial, Trace);
}

//===-- Results -----------------------------------------------------------===//

namespace {
/// A range of a location's storage, in bits, with where it is.
struct Range {
  BitCount Begin;
  BitCount End; ///< Unbounded where the storage has no end that matters.
  Location Place;
};
} // namespace

/// A composite as the single places that it is made of, from its first bit.
static void flatten(const Location &L, BitCount Size, BitCount Begin,
                    std::vector<Range> &Ranges, unsigned &Left) {
  if (Left == 0)
    return;
  --Left;
  if (L.Kind != StorageKind::Composite) {
    Ranges.push_back({Begin, std::min(Begin + Size, CompositeStorage::Unbounded), L});
    return;
  }
  for (const CompositeStorage::Part &Part : L.getComposite()->Parts) {
    const BitCount From = std::max(Part.Begin, L.Offset);
    const BitCount To = std::min(Part.End, L.Offset + Size);
    if (From >= To)
      continue;
    Location Place = Part.Place;
    Place.Offset += From - Part.Begin;
    flatten(Place, To - From, Begin + From - L.Offset, Ranges, Left);
  }
}

static std::vector<Range> getRanges(const Location &L) {
  std::vector<Range> Ranges;
  unsigned Left = 1 << 16;
  Location Whole = L;
  // A composite's parts from its byte 0; another location from where it is.
  if (L.Kind == StorageKind::Composite)
    Whole.Offset = 0;
  flatten(Whole, CompositeStorage::Unbounded, 0, Ranges, Left);
  return Ranges;
}

static const char *getStorageName(const Location &L) {
  switch (L.Kind) {
  case StorageKind::Undefined: return "undefined";
  case StorageKind::Memory: return "memory";
  case StorageKind::Register: return "register";
  case StorageKind::Implicit: return "implicit";
  case StorageKind::ImplicitPointer: return "implicit_pointer";
  case StorageKind::Composite: return "composite";
  case StorageKind::Multi: return "multi";
  }
  llvm_unreachable("a kind of storage");
}

/// Bits read one way or another: what can't be read is marked, bit by bit where it
/// is undefined, byte by byte where reading fails.
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

/// How much of \a L a result shows when nobody says.
static BitCount getShownSize(const Location &L, Context &C) {
  Expected<std::optional<BitCount>> Size = L.getStorageSize(C);
  if (!Size) {
    consumeError(Size.takeError());
    return 0;
  }
  if (L.Kind == StorageKind::Undefined || L.Kind == StorageKind::ImplicitPointer)
    return 0;
  if (L.Kind == StorageKind::Memory || !*Size ||
      **Size - L.Offset > BitCount(MaxShown) * 8)
    return BitCount(C.getAddressSize()) * 8;
  return std::max<BitCount>(0, **Size - L.Offset);
}

static json::Object describeResult(const Entry &E, CaseContext &C,
                                   const json::Object *Want) {
  json::Object O;
  if (E.IsValue && !E.IsImplicitPointer) {
    O["kind"] = "value";
    const Value &V = E.Value;
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
  const Location &L = E.Location;
  O["kind"] = E.IsImplicitPointer ? "implicit_pointer_value" : "location";
  BitCount Size = getShownSize(L, C);
  bool AsBits = Size % 8 != 0 || L.Offset % 8 != 0;
  if (Want) {
    if (std::optional<StringRef> Bits = Want->getString("bits")) {
      Size = BitCount(Bits->size());
      AsBits = true;
    } else if (std::optional<int64_t> Bits = Want->getInteger("bit_size")) {
      Size = *Bits;
      AsBits = false;
    } else if (std::optional<int64_t> Bytes = Want->getInteger("size")) {
      Size = BitCount(*Bytes) * 8;
      AsBits = false;
    } else if (std::optional<StringRef> Text = Want->getString("bytes")) {
      Size = BitCount(Text->size() / 2) * 8;
      AsBits = false;
    }
  }
  Size = std::clamp<BitCount>(Size, 0, BitCount(MaxShown) * 8);
  const ReadBits R = readBits(L, C, Size);
  if (AsBits) {
    O["bits"] = printBits(R);
  } else {
    O["bytes"] = printBytes(R);
    if (Size % 8)
      O["bit_size"] = int64_t(Size);
    else
      O["size"] = int64_t(Size / 8);
  }
  O["offset"] = printBitCount(L.Offset);
  Expected<std::optional<BitCount>> Storage = L.getStorageSize(C);
  if (!Storage)
    consumeError(Storage.takeError());
  else if (*Storage)
    O["storage_size"] = printBitCount(**Storage);

  json::Array Parts;
  for (const Range &Part : getRanges(L)) {
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
  O["parts"] = std::move(Parts);

  if (L.Kind == StorageKind::ImplicitPointer) {
    EvaluationOptions Options = C.getOptions();
    Expected<Location> Target = followImplicitPointer(L, C, Options);
    if (!Target) {
      O["pointee_error"] = toString(Target.takeError());
    } else {
      BitCount Shown = getShownSize(*Target, C);
      if (Want)
        if (std::optional<StringRef> Text = Want->getString("pointee"))
          Shown = BitCount(Text->size() / 2) * 8;
      O["pointee"] = printBytes(readBits(
          *Target, C, std::clamp<BitCount>(Shown, 0, BitCount(MaxShown) * 8)));
    }
  }
  return O;
}

static json::Object run(const json::Object &Case, bool &IsRun,
                        std::unique_ptr<CaseContext> &C, Entry &Result) {
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
      O = describeResult(Result, *C, Case.getObject("want"));
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
  return run(Case, IsRun, C, Result);
}

//===-- Comparing ---------------------------------------------------------===//

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

/// Whether each wanted part names what the location has there.
static std::string compareParts(const json::Array &Want, const Location &L) {
  const std::vector<Range> Ranges = getRanges(L);
  for (const json::Value &Item : Want) {
    const json::Object *P = Item.getAsObject();
    if (!P)
      return "a wanted part is not an object";
    const json::Value *Start = P->get("start"), *EndValue = P->get("end");
    const BitCount Begin =
        BitCount(Start ? getNumber(*Start).value_or(0) : 0) * 8;
    std::optional<uint64_t> EndBytes =
        EndValue ? getNumber(*EndValue) : std::nullopt;
    const BitCount End =
        EndBytes ? BitCount(*EndBytes) * 8 : CompositeStorage::Unbounded;
    const StringRef Storage = P->getString("storage").value_or("");
    std::optional<uint64_t> Number;
    for (const char *Key : {"number", "register", "reg", "aspace",
                            "address_space", "space"})
      if (const json::Value *V = P->get(Key))
        if (std::optional<uint64_t> N = getNumber(*V))
          Number = N;
    std::optional<uint64_t> Offset;
    if (const json::Value *V = P->get("offset"))
      Offset = getNumber(*V);
    BitCount At = Begin;
    for (const Range &R : Ranges) {
      if (R.End <= At || R.Begin >= End || At >= End)
        continue;
      if (R.Begin > At)
        break;
      const std::string Where = formatv("part at byte {0}: ", uint64_t(At / 8));
      if (Storage != getStorageName(R.Place))
        return Where + "storage is " + getStorageName(R.Place);
      const bool HasNumber = R.Place.Kind == StorageKind::Memory ||
                             R.Place.Kind == StorageKind::Register;
      if (Number && HasNumber && *Number != R.Place.Number)
        return Where + "number is " + utostr(R.Place.Number);
      if (Offset && R.Place.Kind != StorageKind::Undefined &&
          R.Place.Offset + (At - R.Begin) !=
              BitCount(*Offset) * 8 + (At - Begin))
        return Where + "its offset there is " +
               utostr(uint64_t((R.Place.Offset + (At - R.Begin)) / 8));
      At = std::min(R.End, End);
    }
    // No storage goes on without end: null stands for the end of a space.
    if (At < End && !(At > Begin && End == CompositeStorage::Unbounded) &&
        Begin != End)
      return formatv("nothing is at byte {0}", uint64_t(At / 8));
  }
  if (L.Kind != StorageKind::Composite || Want.empty() || Ranges.empty())
    return "";
  const json::Object *Last = Want.back().getAsObject();
  const json::Value *End = Last ? Last->get("end") : nullptr;
  if (End && getNumber(*End) &&
      BitCount(*getNumber(*End)) * 8 < Ranges.back().End)
    return "the storage goes on after the last part";
  return "";
}

std::string wavelane::location::checkCase(const json::Object &Case,
                                          json::Object &Result) {
  std::unique_ptr<CaseContext> C;
  Entry E;
  bool IsRun;
  Result = run(Case, IsRun, C, E);
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

  if (const json::Value *V = Want->get("value")) {
    const Value &Have = E.Value;
    if (Have.Type.Kind == Type::Float) {
      std::optional<double> D = V->getAsNumber();
      const double Wanted =
          D ? (Have.Type.Size == 4 ? double(float(*D)) : *D) : 0;
      if (!D || (Wanted != Have.getFloat() &&
                 !(std::isnan(Wanted) && std::isnan(Have.getFloat()))))
        return "the value differs";
    } else {
      std::optional<uint64_t> N = getNumber(*V);
      if (!N || Value(Have.Type, *N).Bits != Have.Bits)
        return "the value differs";
    }
  }
  if (std::optional<StringRef> Type = Want->getString("type"))
    if (*Type != getTypeName(E.Value.Type))
      return "the type differs";
  for (const char *Key : {"bytes", "bits", "pointee"})
    if (std::optional<StringRef> Text = Want->getString(Key)) {
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
