//===-- CaseContext.cpp ---------------------------------------------------===//

#include "CaseContext.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace llvm;
using namespace wavelane::location;

// Entries and types have no unit here; they get offsets that nothing else has.
static constexpr uint64_t FirstDie = 0x10000;
static constexpr uint64_t FirstType = 0x100;

static constexpr struct {
  const char *Name;
  Type T;
} Types[] = {
    {"u8", {Type::Unsigned, 1}},  {"s8", {Type::Signed, 1}},
    {"u16", {Type::Unsigned, 2}}, {"s16", {Type::Signed, 2}},
    {"u32", {Type::Unsigned, 4}}, {"s32", {Type::Signed, 4}},
    {"u64", {Type::Unsigned, 8}}, {"s64", {Type::Signed, 8}},
    {"f32", {Type::Float, 4}},    {"f64", {Type::Float, 8}},
};

StringRef CaseContext::getTypeName(const Type &T) {
  for (const auto &Known : Types)
    if (Known.T == T)
      return Known.Name;
  return "generic";
}

/// A number, or a string that is one.
static std::optional<uint64_t> getNumber(const json::Value *V) {
  if (!V)
    return std::nullopt;
  if (std::optional<uint64_t> U = V->getAsUINT64())
    return U;
  if (std::optional<int64_t> I = V->getAsInteger())
    return uint64_t(*I);
  if (std::optional<double> D = V->getAsNumber())
    return *D < 0 ? uint64_t(int64_t(*D)) : uint64_t(*D);
  if (std::optional<StringRef> S = V->getAsString()) {
    uint64_t U;
    if (!S->getAsInteger(0, U))
      return U;
  }
  return std::nullopt;
}

static Expected<std::vector<uint8_t>> getHex(std::optional<StringRef> Text,
                                             const Twine &What) {
  std::string Digits, Bytes;
  if (Text)
    for (char C : *Text)
      if (C != ' ')
        Digits += C;
  if (!Text || !tryGetFromHex(StringRef(Digits), Bytes))
    return createStringError(What + " is not a string of hex digits");
  return std::vector<uint8_t>(Bytes.begin(), Bytes.end());
}

Expected<std::unique_ptr<CaseContext>>
CaseContext::create(const json::Object &Case, const EvaluationOptions &O) {
  auto C = std::make_unique<CaseContext>();
  C->Options = O;
  if (const json::Object *Dwarf = Case.getObject("dwarf"))
    if (std::optional<int64_t> Size = Dwarf->getInteger("address_size")) {
      if (*Size != 4 && *Size != 8)
        return createStringError("address_size is neither 4 nor 8");
      C->AddressSize = unsigned(*Size);
    }
  if (const json::Object *Json = Case.getObject("context"))
    if (Error E = C->read(*Json))
      return std::move(E);
  return std::move(C);
}

Error CaseContext::readRegisters(const json::Object &List) {
  for (const auto &Item : List) {
    uint64_t Number;
    if (StringRef(Item.first.str()).getAsInteger(0, Number))
      return createStringError("register '" + Item.first.str() +
                               "' is not a number");
    Expected<std::vector<uint8_t>> Bytes =
        getHex(Item.second.getAsString(), "register " + Twine(Number));
    if (!Bytes)
      return Bytes.takeError();
    Registers[Number] = std::move(*Bytes);
  }
  return Error::success();
}

Error CaseContext::read(const json::Object &Object) {
  Json = &Object;
  if (const json::Object *List = Object.getObject("registers"))
    if (Error E = readRegisters(*List))
      return E;
  if (const json::Array *List = Object.getArray("memory"))
    for (const json::Value &Item : *List) {
      const json::Object *Entry = Item.getAsObject();
      if (!Entry)
        return createStringError("an item of memory is no object");
      Block B;
      B.Space = getNumber(Entry->get("aspace")).value_or(0);
      std::optional<uint64_t> Address = getNumber(Entry->get("address"));
      if (!Address)
        return createStringError("an item of memory has no address");
      B.Address = *Address;
      if (std::optional<uint64_t> L = getNumber(Entry->get("lane")))
        B.Lane = uint32_t(*L);
      Expected<std::vector<uint8_t>> Bytes =
          getHex(Entry->getString("bytes"), "memory");
      if (!Bytes)
        return Bytes.takeError();
      B.Bytes = std::move(*Bytes);
      HasSpace5 |= B.Space == 5;
      HasSpace6 |= B.Space == 6;
      Memory.push_back(std::move(B));
    }
  auto Get = [&](StringRef Key) { return getNumber(Object.get(Key)); };
  if (auto V = Get("lane"))
    Lane = uint32_t(*V);
  if (auto V = Get("lanes"))
    LaneCount = uint32_t(*V);
  if (auto V = Get("wave_lanes"))
    WaveLanes = uint32_t(*V);
  if (WaveLanes == 0)
    return createStringError("wave_lanes is zero");
  if (auto V = Get("iteration"))
    Iteration = uint32_t(*V);
  if (auto V = Get("iterations"))
    IterationCount = uint32_t(*V);
  PC = Get("pc");
  if (const json::Object *Dies = Object.getObject("dies"))
    for (const auto &Die : *Dies)
      DieNames.push_back(Die.first.str());
  if (const json::Object *Entry = Object.getObject("entry_values")) {
    Caller = std::make_unique<CaseContext>();
    Caller->Options = Options;
    Caller->AddressSize = AddressSize;
    Caller->Memory = Memory;
    Caller->HasSpace5 = HasSpace5;
    Caller->HasSpace6 = HasSpace6;
    Caller->WaveLanes = WaveLanes;
    Caller->Lane = Lane;
    Caller->LaneCount = LaneCount;
    if (const json::Object *List = Entry->getObject("registers"))
      return Caller->readRegisters(*List);
  }
  return Error::success();
}

//===-- Expressions -------------------------------------------------------===//

Expected<std::vector<uint8_t>>
CaseContext::encode(const json::Array &Expression) {
  std::vector<SourceOperation> Operations;
  for (const json::Value &Item : Expression) {
    const json::Array *Parts = Item.getAsArray();
    std::optional<StringRef> Name =
        Parts && !Parts->empty() ? (*Parts)[0].getAsString() : std::nullopt;
    if (!Name)
      return createStringError("an operation is not [name, operands...]");
    SourceOperation Op;
    Op.Name = Name->str();
    const OperationInfo *Info = findOperation(*Name);
    if (!Info)
      return createStringError("unknown operation " + *Name);
    size_t At = 1;
    for (OperandKind Kind : Info->Operands) {
      if (Kind == OperandKind::None)
        break;
      // A sole zero operand may be left out by nobody; be exact.
      if (At >= Parts->size())
        return createStringError(*Name + " lacks an operand");
      const json::Value &Operand = (*Parts)[At++];
      if (Kind == OperandKind::Expression) {
        const json::Array *Inner = Operand.getAsArray();
        if (!Inner)
          return createStringError(*Name + " wants a list of operations");
        Expected<std::vector<uint8_t>> Bytes = encode(*Inner);
        if (!Bytes)
          return Bytes.takeError();
        Op.Block = std::move(*Bytes);
      } else if (Kind == OperandKind::Block) {
        Expected<std::vector<uint8_t>> Bytes =
            getHex(Operand.getAsString(), *Name);
        if (!Bytes)
          return Bytes.takeError();
        Op.Block = std::move(*Bytes);
      } else if (Kind == OperandKind::TypedConst) {
        // The type came before: its size and kind say how to encode the value.
        Expected<Type> T = Op.Operands.back() == 0
                               ? Expected<Type>(Type{Type::Generic, uint8_t(AddressSize)})
                               : getBaseType(uint64_t(Op.Operands.back()));
        if (!T)
          return T.takeError();
        uint64_t Bits = 0;
        if (T->Kind == Type::Float)
          Bits = Value::fromFloat(*T, Operand.getAsNumber().value_or(0)).Bits;
        else if (std::optional<uint64_t> N = getNumber(&Operand))
          Bits = *N;
        else
          return createStringError(*Name + " wants a number");
        for (unsigned I = 0; I < T->Size; ++I)
          Op.Block.push_back(uint8_t(Bits >> (8 * I)));
      } else if (Kind == OperandKind::TypeULEB) {
        std::optional<StringRef> TypeName = Operand.getAsString();
        std::optional<int64_t> Offset;
        if (TypeName && *TypeName == "generic")
          Offset = 0;
        for (size_t I = 0; I < std::size(Types); ++I)
          if (TypeName && *TypeName == Types[I].Name)
            Offset = int64_t(FirstType + I);
        if (!Offset)
          return createStringError(*Name + " names an unknown type");
        Op.Operands.push_back(*Offset);
      } else if (std::optional<StringRef> DieName = Operand.getAsString();
                 DieName && is_contained(DieNames, *DieName)) {
        Op.Operands.push_back(
            int64_t(FirstDie + (find(DieNames, *DieName) - DieNames.begin())));
      } else if (std::optional<uint64_t> N = getNumber(&Operand)) {
        Op.Operands.push_back(int64_t(*N));
      } else {
        return createStringError(*Name + " has an operand that is no number");
      }
    }
    if (At != Parts->size())
      return createStringError(*Name + " has too many operands");
    Operations.push_back(std::move(Op));
  }
  DecodeOptions Encoding;
  Encoding.AddressSize = uint8_t(AddressSize);
  return assemble(Operations, Encoding);
}

Expected<std::vector<Entry>> CaseContext::getInitialStack() {
  std::vector<Entry> Stack;
  const json::Array *List = Json ? Json->getArray("initial_stack") : nullptr;
  if (!List)
    return Stack;
  for (const json::Value &Item : *List) {
    const json::Object *Object = Item.getAsObject();
    if (!Object)
      return createStringError("an item of initial_stack is no object");
    if (std::optional<uint64_t> N = getNumber(Object->get("value"))) {
      Stack.push_back(Value({Type::Generic, uint8_t(AddressSize)}, *N));
      continue;
    }
    Expected<Location> L = evaluateItem(Object, "entry of initial_stack");
    if (!L)
      return L.takeError();
    Stack.push_back(std::move(*L));
  }
  return Stack;
}

//===-- Facts -------------------------------------------------------------===//

std::optional<AddressSpace> CaseContext::getAddressSpace(uint64_t Number) {
  AddressSpace Space;
  switch (Number) {
  case 0:
    Space.Name = "global";
    Space.AddressBits = 8 * AddressSize;
    return Space;
  case 1:
    Space.Name = "generic";
    Space.AddressBits = 64;
    Space.IsPerLane = true;
    return Space;
  case 2:
    Space.Name = "region";
    Space.AddressBits = 32;
    return Space;
  case 3:
    Space.Name = "local";
    Space.AddressBits = 32;
    Space.Null = 0xffffffff;
    Space.IsPerThread = true;
    return Space;
  case 5:
    Space.Name = "private_lane";
    Space.AddressBits = 32;
    Space.Null = 0xffffffff;
    Space.IsPerLane = Space.IsPerThread = true;
    return Space;
  case 6:
    Space.Name = "private_wave";
    Space.AddressBits = 32;
    Space.Null = 0xffffffff;
    Space.IsPerThread = true;
    return Space;
  default:
    return std::nullopt;
  }
}

Expected<uint64_t> CaseContext::getRegisterSize(uint64_t Number) {
  auto It = Registers.find(Number);
  if (It == Registers.end())
    return Context::getRegisterSize(Number);
  return It->second.size();
}

Error CaseContext::readRegister(uint64_t Number, uint64_t, uint64_t Offset,
                                MutableArrayRef<uint8_t> Into) {
  auto It = Registers.find(Number);
  if (It == Registers.end())
    return missing("register " + Twine(Number));
  if (Offset > It->second.size() || Into.size() > It->second.size() - Offset)
    return failed("register " + Twine(Number) + " has only " +
                  Twine(It->second.size()) + " bytes");
  memcpy(Into.data(), It->second.data() + Offset, Into.size());
  return Error::success();
}

Error CaseContext::writeRegister(uint64_t Number, uint64_t, uint64_t Offset,
                                 ArrayRef<uint8_t> From) {
  auto It = Registers.find(Number);
  if (It == Registers.end() || Offset > It->second.size() ||
      From.size() > It->second.size() - Offset)
    return missing("register " + Twine(Number));
  memcpy(It->second.data() + Offset, From.data(), From.size());
  return Error::success();
}

uint8_t *CaseContext::findByte(uint64_t Space, std::optional<uint32_t> L,
                               uint64_t Address) {
  if (Space == 5 && !HasSpace5 && HasSpace6) {
    if (!L)
      return nullptr;
    return findByte(6, std::nullopt,
                    Address / 4 * WaveLanes * 4 + *L * 4 + Address % 4);
  }
  for (Block &B : Memory)
    if (B.Space == Space && (!B.Lane || B.Lane == L) && Address >= B.Address &&
        Address - B.Address < B.Bytes.size())
      return &B.Bytes[Address - B.Address];
  return nullptr;
}

Error CaseContext::readMemory(uint64_t Space, std::optional<uint32_t> L,
                              uint64_t, uint64_t Address,
                              MutableArrayRef<uint8_t> Into) {
  for (size_t I = 0; I < Into.size(); ++I) {
    const uint8_t *Byte = findByte(Space, L, Address + I);
    if (!Byte)
      return failed("memory at 0x" + utohexstr(Address + I) +
                    " of address space " + Twine(Space) + " cannot be read");
    Into[I] = *Byte;
  }
  return Error::success();
}

Error CaseContext::writeMemory(uint64_t Space, std::optional<uint32_t> L,
                               uint64_t, uint64_t Address,
                               ArrayRef<uint8_t> From) {
  for (size_t I = 0; I < From.size(); ++I)
    if (!findByte(Space, L, Address + I))
      return failed("memory at 0x" + utohexstr(Address + I) +
                    " of address space " + Twine(Space) + " cannot be written");
  for (size_t I = 0; I < From.size(); ++I)
    *findByte(Space, L, Address + I) = From[I];
  return Error::success();
}

Expected<Location> CaseContext::evaluateItem(const json::Object *Item,
                                             const char *Name) {
  const json::Array *Expression = Item ? Item->getArray("expression") : nullptr;
  if (!Expression)
    return missing(Name);
  // A frame base that uses itself and the like.
  if (Nesting > 8)
    return makeError(ErrorKind::Limit, Twine(Name) + " needs itself");
  Expected<std::vector<uint8_t>> Bytes = encode(*Expression);
  if (!Bytes)
    return Bytes.takeError();
  ++Nesting;
  Expected<Entry> Result =
      evaluate(*Bytes, *this, ResultKind::Location, Options);
  --Nesting;
  if (!Result)
    return Result.takeError();
  return std::move(Result->Location);
}

Expected<Location> CaseContext::getFrameBase() {
  const json::Object *Item = Json ? Json->getObject("frame_base") : nullptr;
  const json::Array *Expression = Item ? Item->getArray("expression") : nullptr;
  if (!Expression)
    return missing("frame base");
  if (Nesting > 8)
    return makeError(ErrorKind::Limit, "the frame base needs itself");
  Expected<std::vector<uint8_t>> Bytes = encode(*Expression);
  if (!Bytes)
    return Bytes.takeError();
  ++Nesting;
  Expected<Location> Base = evaluateFrameBase(*Bytes, *this, Options);
  --Nesting;
  return Base;
}

Expected<Location> CaseContext::getCallFrameAddress() {
  return evaluateItem(Json ? Json->getObject("cfa") : nullptr,
                      "canonical frame address");
}

Expected<Location> CaseContext::getObject() {
  return evaluateItem(Json ? Json->getObject("object") : nullptr, "object");
}

Expected<Location> CaseContext::getEntryRegister(uint64_t Number) {
  const json::Object *Rules = Json ? Json->getObject("cfi") : nullptr;
  if (!Rules)
    return missing("call-frame information");
  const json::Value *Rule = Rules->get(std::to_string(Number));
  std::string Kind;
  const json::Value *Operand = nullptr;
  if (!Rule) {
    // Without a rule the register is as it was.
    Kind = "same_value";
  } else if (std::optional<StringRef> S = Rule->getAsString()) {
    Kind = S->str();
  } else if (const json::Array *A = Rule->getAsArray()) {
    if (!A->empty() && (*A)[0].getAsString())
      Kind = (*A)[0].getAsString()->str();
    if (A->size() > 1)
      Operand = &(*A)[1];
  } else if (const json::Object *O = Rule->getAsObject()) {
    if (std::optional<StringRef> S = O->getString("rule"))
      Kind = S->str();
    for (const char *Key : {"register", "expression", "same_value", "undefined"})
      if (const json::Value *V = O->get(Key)) {
        if (Kind.empty())
          Kind = Key;
        if (Kind == Key)
          Operand = V;
      }
  }
  if (Kind == "same_value") {
    Location L = Location::reg(Number);
    L.Lane = Lane;
    return L;
  }
  if (Kind == "undefined")
    return Location::undefined();
  if (Kind == "register") {
    std::optional<uint64_t> Other = getNumber(Operand);
    if (!Other)
      return createStringError("a register rule names no register");
    Location L = Location::reg(*Other);
    L.Lane = Lane;
    return L;
  }
  if (Kind == "expression" && Operand && Operand->getAsArray()) {
    Expected<std::vector<uint8_t>> Bytes = encode(*Operand->getAsArray());
    if (!Bytes)
      return Bytes.takeError();
    std::vector<Entry> Initial;
    Expected<Location> CFA = getCallFrameAddress();
    if (CFA)
      Initial.push_back(std::move(*CFA));
    else
      consumeError(CFA.takeError());
    if (Nesting > 8)
      return makeError(ErrorKind::Limit, "call-frame information is cyclic");
    ++Nesting;
    Expected<Entry> Result =
        evaluate(*Bytes, *this, ResultKind::Location, Options, Initial);
    --Nesting;
    if (!Result)
      return Result.takeError();
    return std::move(Result->Location);
  }
  return createStringError("unknown register rule '" + Kind + "'");
}

Expected<Context *> CaseContext::getCallerContext() {
  if (!Caller)
    return missing("entry values");
  return Caller.get();
}

Expected<Type> CaseContext::getBaseType(uint64_t Offset) {
  if (Offset < FirstType || Offset - FirstType >= std::size(Types))
    return illFormed("no base type at 0x" + utohexstr(Offset));
  return Types[Offset - FirstType].T;
}

Expected<DieLocation> CaseContext::getDie(DieReference Reference) {
  if (Reference.Offset < FirstDie ||
      Reference.Offset - FirstDie >= DieNames.size())
    return illFormed("no entry at 0x" + utohexstr(Reference.Offset));
  const json::Object *Die = Json->getObject("dies")->getObject(
      DieNames[Reference.Offset - FirstDie]);
  DieLocation Result;
  if (!Die)
    return Result;
  auto Keep = [&](Expected<std::vector<uint8_t>> Bytes)
      -> Expected<ArrayRef<uint8_t>> {
    if (!Bytes)
      return Bytes.takeError();
    Kept.push_back(std::move(*Bytes));
    return ArrayRef<uint8_t>(Kept.back());
  };
  if (const json::Array *Expression = Die->getArray("location")) {
    Expected<ArrayRef<uint8_t>> Bytes = Keep(encode(*Expression));
    if (!Bytes)
      return Bytes.takeError();
    Result.Expression = *Bytes;
  } else if (const json::Array *List = Die->getArray("loclist")) {
    Result.List.emplace();
    for (const json::Value &Item : *List) {
      const json::Object *Object = Item.getAsObject();
      const json::Array *Expression =
          Object ? Object->getArray("expression") : nullptr;
      if (!Expression)
        return createStringError("an entry of a location list has no expression");
      Expected<ArrayRef<uint8_t>> Bytes = Keep(encode(*Expression));
      if (!Bytes)
        return Bytes.takeError();
      LocationListEntry Entry;
      std::optional<uint64_t> Low = getNumber(Object->get("lo"));
      std::optional<uint64_t> High = getNumber(Object->get("hi"));
      Entry.IsDefault = !Low || !High;
      Entry.Low = Low.value_or(0);
      Entry.High = High.value_or(0);
      Entry.Expression = *Bytes;
      Result.List->push_back(Entry);
    }
  } else if (std::optional<StringRef> Const = Die->getString("const_value")) {
    Expected<ArrayRef<uint8_t>> Bytes = Keep(getHex(Const, "const_value"));
    if (!Bytes)
      return Bytes.takeError();
    Result.ConstValue = *Bytes;
  }
  return Result;
}
