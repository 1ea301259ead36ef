//===-- CaseContext.cpp - the machine that a case is evaluated on ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CaseEntries.h"
#include "CaseJSON.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace wavelane::location;

CaseContext::CaseContext() : Entries(std::make_unique<CaseEntries>()) {}
CaseContext::~CaseContext() = default;

//===-- Reading it --------------------------------------------------------===//

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
    if (StringRef(Key).getAsInteger(0, Number))
      return illFormed("register '" + StringRef(Key) + "' is not a number");
    Expected<std::vector<uint8_t>> Bytes =
        getRegister(V, "register " + Twine(Number));
    if (!Bytes)
      return Bytes.takeError();
    erase_if(Registers, [&](auto &R) { return R.first == Number; });
    Registers.emplace_back(Number, std::move(*Bytes));
  }
  return Error::success();
}

Error CaseContext::readMemoryBlock(const json::Object &From) {
  const std::optional<uint64_t> Address = getNumber(From, "address");
  std::optional<StringRef> Text = From.getString("bytes");
  if (!Address || !Text)
    return illFormed("memory is a list of {aspace, address, bytes}");
  Expected<std::vector<uint8_t>> Bytes = getHex(*Text, "memory");
  if (!Bytes)
    return Bytes.takeError();
  Block B;
  B.Space = getNumber(From, "aspace").value_or(0);
  if (std::optional<uint64_t> N = getNumber(From, "lane"))
    B.Lane = uint32_t(*N);
  B.Address = *Address;
  B.Bytes = std::move(*Bytes);
  HasPrivateLane |= B.Space == 5;
  Memory.push_back(std::move(B));
  return Error::success();
}

/// The context at the call: this one with other registers.
Error CaseContext::readCaller(const json::Object &From) {
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
  if (const json::Object *R = From.getObject("registers"))
    return Caller->readRegisters(*R);
  return Error::success();
}

Error CaseContext::readContext(const json::Object &From) {
  auto Read = [&](const char *Key, auto &Into) {
    if (std::optional<uint64_t> N = getNumber(From, Key))
      Into = uint32_t(*N);
  };
  Read("lane", Lane);
  Read("lanes", Lanes);
  Read("wave_lanes", WaveLanes);
  Read("iteration", Iteration);
  Read("iterations", Iterations);
  PC = getNumber(From, "pc");
  if (WaveLanes != 32 && WaveLanes != 64)
    return illFormed("wave_lanes is 32 or 64");
  if (const json::Object *R = From.getObject("registers"))
    if (Error E = readRegisters(*R))
      return E;
  if (const json::Array *M = From.getArray("memory"))
    for (const json::Value &V : *M) {
      const json::Object *O = V.getAsObject();
      if (Error E = readMemoryBlock(O ? *O : json::Object()))
        return E;
    }
  if (const json::Object *Values = From.getObject("entry_values"))
    if (Error E = readCaller(*Values))
      return E;
  if (const json::Object *Dies = From.getObject("dies"))
    return readEntries(*Dies);
  return Error::success();
}

//===-- The machine -------------------------------------------------------===//

std::optional<wavelane::location::AddressSpace>
CaseContext::getAddressSpace(uint64_t Number) {
  std::optional<AddressSpace> Space = Arch->getAddressSpace(Number);
  if (Space && Number == 0)
    Space->AddressBits = 8 * AddressSize;
  return Space;
}

std::optional<std::string> CaseContext::getRegisterName(uint64_t) {
  // Cases number their registers arbitrarily.
  return std::nullopt;
}

std::vector<uint8_t> *CaseContext::findRegister(uint64_t Number) {
  for (auto &[N, Bytes] : Registers)
    if (N == Number)
      return &Bytes;
  return nullptr;
}

Expected<uint64_t> CaseContext::getRegisterSize(uint64_t Number) {
  if (const std::vector<uint8_t> *Bytes = findRegister(Number))
    return Bytes->size();
  return missing("register " + Twine(Number));
}

/// The bytes of a register from \a Offset on.
Expected<MutableArrayRef<uint8_t>>
CaseContext::getRegisterBytes(uint64_t Number, uint64_t Offset, size_t Size) {
  std::vector<uint8_t> *Bytes = findRegister(Number);
  if (!Bytes)
    return missing("register " + Twine(Number));
  if (Offset > Bytes->size() || Size > Bytes->size() - Offset)
    return failed("register " + Twine(Number) + " has " + Twine(Bytes->size()) +
                  " bytes");
  return MutableArrayRef<uint8_t>(*Bytes).slice(size_t(Offset), Size);
}

Error CaseContext::readRegister(uint64_t Number, uint64_t, uint64_t Offset,
                                MutableArrayRef<uint8_t> Into) {
  Expected<MutableArrayRef<uint8_t>> Bytes =
      getRegisterBytes(Number, Offset, Into.size());
  if (!Bytes)
    return Bytes.takeError();
  copy(*Bytes, Into.begin());
  return Error::success();
}

Error CaseContext::writeRegister(uint64_t Number, uint64_t, uint64_t Offset,
                                 ArrayRef<uint8_t> From) {
  Expected<MutableArrayRef<uint8_t>> Bytes =
      getRegisterBytes(Number, Offset, From.size());
  if (!Bytes)
    return Bytes.takeError();
  copy(From, Bytes->begin());
  return Error::success();
}

uint8_t *CaseContext::findByte(uint64_t Space, std::optional<uint32_t> OfLane,
                               uint64_t Address) {
  for (Block &B : Memory)
    if (B.Space == Space && (!B.Lane || B.Lane == OfLane) &&
        Address >= B.Address && Address - B.Address < B.Bytes.size())
      return &B.Bytes[Address - B.Address];
  // private_lane is a view of private_wave, unless the case defines it.
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

bool CaseContext::isVectorRegister(uint64_t Number, unsigned &ElementSize) {
  const RegisterRange *Range = Arch->findRegister(Number);
  if (!Range || !Range->ElementSize)
    return false;
  ElementSize = Range->ElementSize;
  return true;
}

//===-- The frame ---------------------------------------------------------===//

Expected<Location> CaseContext::evaluateFact(const char *Key,
                                             bool IsFrameBase) {
  const json::Object *Fact = Facts ? Facts->getObject(Key) : nullptr;
  const json::Array *Operations = Fact ? Fact->getArray("expression") : nullptr;
  if (!Operations)
    return missing(StringRef(Key) == "cfa"          ? "canonical frame address"
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
    Expected<Entry> E = evaluate(*Bytes, *this, ResultKind::Location, Options);
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

/// A rule is a name, [name, operand], or {"rule": name} or {name: operand}.
static std::pair<StringRef, const json::Value *>
readRule(const json::Value &Rule) {
  if (std::optional<StringRef> Text = Rule.getAsString())
    return {*Text, nullptr};
  if (const json::Array *List = Rule.getAsArray())
    return {List->empty() ? "" : List->front().getAsString().value_or(""),
            List->size() > 1 ? &(*List)[1] : nullptr};
  const json::Object *O = Rule.getAsObject();
  if (!O)
    return {};
  for (const char *Key : {"register", "expression", "undefined", "same_value"})
    if (const json::Value *V = O->get(Key))
      return {Key, V};
  return {O->getString("rule").value_or(O->getString("kind").value_or("")),
          nullptr};
}

Expected<Location> CaseContext::evaluateRule(const json::Array &Operations) {
  Expected<std::vector<uint8_t>> Bytes = assembleOperations(Operations);
  if (!Bytes)
    return Bytes.takeError();
  // The CFA is initially on the stack, for rules that use it.
  SmallVector<Entry, 1> Initial;
  if (Facts->getObject("cfa")) {
    Expected<Location> CFA = getCallFrameAddress();
    if (!CFA)
      return CFA.takeError();
    Initial.push_back(*CFA);
  }
  Expected<Entry> E =
      evaluate(*Bytes, *this, ResultKind::Location, Options, Initial);
  if (!E)
    return E.takeError();
  return E->Location;
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
  auto Register = [&](uint64_t N) {
    Location L = Location::reg(N);
    L.Lane = Lane;
    return L;
  };
  const json::Value *Rule = Rules->get(utostr(Number));
  // AMDGPU's default rule is "same value".
  if (!Rule)
    return Register(Number);
  const auto [Kind, Operand] = readRule(*Rule);
  if (Kind == "same_value")
    return Register(Number);
  if (Kind == "undefined")
    return Location::undefined();
  if (Kind == "register" && Operand && getNumber(*Operand))
    return Register(*getNumber(*Operand));
  if (Kind == "expression" && Operand && Operand->getAsArray()) {
    Active.push_back(Name);
    Expected<Location> L = evaluateRule(*Operand->getAsArray());
    Active.pop_back();
    return L;
  }
  return illFormed(Name +
                   " is not same_value, undefined, register or expression");
}

Expected<Location> CaseContext::getThreadLocal(uint64_t Offset) {
  const json::Value *V = Facts ? Facts->get("tls") : nullptr;
  if (!V)
    return missing("thread-local storage");
  Location Base;
  if (V->getAsObject()) {
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

//===-- The unit ----------------------------------------------------------===//

Expected<Type> CaseContext::getBaseType(uint64_t Offset) {
  if (std::optional<Type> T = location::getType(Offset))
    return *T;
  return illFormed("there is no base type at " + Twine(Offset));
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
