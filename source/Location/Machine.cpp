//===-- Machine.cpp - the stack machine -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include "Straight.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

//===-- The machine -------------------------------------------------------===//

const Machine::Function Machine::Functions[] = {
#define OPERATION(Code, Name, First, Second, Function) &Machine::Function,
#define OPERATIONS(Code, Name, First, Function) &Machine::Function,
#define USER_OPERATION(SubOpcode, DirectCode, Id, Name, First, Second,         \
                       Function)                                               \
  &Machine::Function,
#include "wavelane/Location/Operations.def"
};

/// Adds the name of the operation that failed; only once for nested operations
/// of the same kind.
static Error inOperation(Error E, const Operation &Op) {
  return handleErrors(
      std::move(E), [&](std::unique_ptr<LocationError> L) -> Error {
        const std::string Message = L->message();
        const std::string Name = std::string(Op.Info->Name) + ": ";
        if (StringRef(Message).starts_with(Name))
          return Error(std::move(L));
        return makeError(L->getKind(), Name + Message);
      });
}

/// Executes the next operation of the current expression.
Error Machine::step() {
  if (Budget.Steps == 0)
    return makeError(ErrorKind::Limit, "the expression takes more than " +
                                           Twine(O.MaxSteps) + " operations");
  --Budget.Steps;
  if (Stack.size() > O.MaxStack)
    return makeError(ErrorKind::Limit, "the expression pushes more than " +
                                           Twine(O.MaxStack) + " entries");
  const size_t At = Now->At;
  if (isUpstream()) {
    size_t End;
    if (std::optional<uint64_t> Space = matchSpace(At, End)) {
      if (Error E = upstreamSpace(*Space, End))
        return E;
      Now->Last = Operation();
      Now->At = End;
      return Error::success();
    }
  } else if (const uint8_t Byte = Now->Bytes[At];
             Byte >= DW_OP_lit0 && Byte <= DW_OP_lit31 && !Trace) {
    // Literals are half of what expressions have.
    pushGeneric(Byte - DW_OP_lit0);
    ++Now->At;
    return Error::success();
  }
  Operation Op;
  if (Error E = decode(Now->Bytes, At, Now->Decode, Op))
    return E;
  // Advance first, because a branch changes it.
  Now->At = Op.End;
  if (Error E = (this->*Functions[Op.Info->Row])(Op))
    return inOperation(std::move(E), Op);
  if (isUpstream())
    Now->Last = Op;
  if (Trace)
    (*Trace)(Op, Stack);
  return Error::success();
}

Error Machine::run(ArrayRef<uint8_t> Expression, Context &In) {
  Activation Mine{In, Expression, 0, {}, {}, O.Decode};
  Mine.Decode.AddressSize = uint8_t(In.getAddressSize());
  Activation *Outer = Now;
  Now = &Mine;
  Error Result = Error::success();
  while (!Result && Mine.At < Expression.size())
    Result = step();
  Now = Outer;
  return Result;
}

//===-- What its functions have in common ---------------------------------===//

Error Machine::need(size_t Count) {
  if (Stack.size() < Count)
    return illFormed("needs " + Twine(Count) +
                     (Count == 1 ? " entry" : " entries") +
                     " on the stack, which has " + Twine(Stack.size()));
  return Error::success();
}

Expected<Entry> Machine::pop() {
  if (Error E = need(1))
    return std::move(E);
  return Stack.pop_back_val();
}

Expected<Value> Machine::popValue() {
  // Most entries are values already, and moving one is expensive.
  if (!Stack.empty() && Stack.back().IsValue &&
      !Stack.back().IsImplicitPointer) {
    const Value V = Stack.back().Value;
    Stack.pop_back();
    return V;
  }
  Expected<Entry> E = pop();
  if (!E)
    return E.takeError();
  return toValue(*E, context());
}

Expected<Value> Machine::popIntegral() {
  Expected<Value> V = popValue();
  if (V && !V->Type.isIntegral())
    return illFormed("needs an integral value");
  return V;
}

Expected<Location> Machine::popLocation() {
  Expected<Entry> E = pop();
  if (!E)
    return E.takeError();
  if (Error Bad = checkComplete(*E))
    return std::move(Bad);
  return toLocation(*E, context(), O);
}

Error Machine::pushExpected(Expected<Location> L) {
  if (!L)
    return L.takeError();
  push(std::move(*L));
  return Error::success();
}

Error Machine::checkComplete(const Entry &E) {
  if (O.Dialect == Dialect::AMD && isOpen(E))
    return illFormed("an incomplete composite can only be given pieces");
  return Error::success();
}

Error Machine::useParts(uint64_t Count) {
  if (Count > Budget.Parts)
    return makeError(ErrorKind::Limit,
                     "the expression makes composites of more than " +
                         Twine(O.MaxParts) + " parts in all");
  Budget.Parts -= unsigned(Count);
  return Error::success();
}

Error Machine::checkNesting(unsigned Nesting) {
  if (Nesting > Location::MaxNesting)
    return makeError(ErrorKind::Limit, "composites are nested too deeply");
  return Error::success();
}

//===-- Whole expressions -------------------------------------------------===//

Expected<Entry> wavelane::location::evaluate(ArrayRef<uint8_t> Expression,
                                             Context &C, ResultKind Kind,
                                             const EvaluationOptions &O,
                                             ArrayRef<Entry> Initial,
                                             TraceFunction *Trace) {
  if (const unsigned Size = C.getAddressSize(); Size == 0 || Size > 8)
    return illFormed("addresses of " + Twine(Size) + " bytes");
  if (Kind != ResultKind::Value && !Expression.empty() && Initial.empty() &&
      !Trace) {
    // Made in place: moving an entry takes as long as many an expression.
    Expected<Entry> Straight{Value()};
    Straight->IsValue = false;
    if (evaluateStraight(Expression, C, Kind, O, *Straight))
      return Straight;
  }
  EvaluationBudget Fresh{O.MaxSteps, O.MaxParts};
  EvaluationOptions Inner = O;
  if (!Inner.Budget)
    Inner.Budget = &Fresh;
  Machine M(Inner, Trace);
  M.Stack.append(Initial.begin(), Initial.end());
  if (Error E = M.run(Expression, C))
    return std::move(E);
  if (M.Stack.empty()) {
    if (Kind == ResultKind::Value)
      return illFormed("the expression leaves no value");
    return Entry(Location::undefined());
  }
  Entry Top = std::move(M.Stack.back());
  Top.Location.IsOpen = false;
  switch (Kind) {
  case ResultKind::Any:
    return Top;
  case ResultKind::Value: {
    Expected<Value> V = toValue(Top, C);
    if (!V)
      return V.takeError();
    return Entry(*V);
  }
  case ResultKind::Location: {
    if (!Top.IsValue && !Top.IsImplicitPointer)
      return Top;
    Expected<Location> L = toLocation(Top, C, Inner);
    if (!L)
      return L.takeError();
    return Entry(std::move(*L));
  }
  }
  llvm_unreachable("a kind of result");
}

Expected<Location> wavelane::location::evaluateLocationList(
    ArrayRef<LocationListEntry> List, Context &C, const EvaluationOptions &O) {
  const std::optional<uint64_t> PC = C.getProgramLocation();
  // Most lists have one entry for an address.
  SmallVector<Location, 1> Places;
  auto Add = [&](const LocationListEntry &Item) -> Error {
    Expected<Entry> Result =
        evaluate(Item.Expression, C, ResultKind::Location, O);
    if (!Result)
      return Result.takeError();
    Places.push_back(std::move(Result->Location));
    return Error::success();
  };
  const LocationListEntry *Default = nullptr;
  for (const LocationListEntry &Item : List) {
    if (Item.IsDefault) {
      Default = &Item;
      continue;
    }
    if (PC && *PC >= Item.Low && *PC < Item.High)
      if (Error E = Add(Item))
        return std::move(E);
  }
  if (!PC && O.Dialect == Dialect::AMD)
    return missing("program location");
  if (Places.empty() && Default)
    if (Error E = Add(*Default))
      return std::move(E);
  if (Places.size() == 1)
    return std::move(Places.front());
  if (!Places.empty())
    return Location::multi({Places.begin(), Places.end()});
  if (!PC)
    return missing("program location");
  return Location::undefined();
}

Expected<Location>
wavelane::location::evaluateFrameBase(ArrayRef<uint8_t> Expression, Context &C,
                                      const EvaluationOptions &O) {
  // DW_OP_fbreg itself handles vector registers and scratch addresses.
  EvaluationOptions Plain = O;
  Plain.Upstream.Enabled = false;
  Expected<Entry> Result = evaluate(Expression, C, ResultKind::Location, Plain);
  if (!Result)
    return Result.takeError();
  Location &L = Result->Location;
  if (L.Kind != StorageKind::Register || L.Offset != 0)
    return std::move(L);
  Expected<uint64_t> Size = C.getRegisterSize(L.Number);
  if (!Size)
    return Size.takeError();
  uint8_t Buffer[8] = {};
  const size_t Bytes = std::min<uint64_t>(*Size, C.getAddressSize());
  if (Error E = C.readRegister(L.Number, L.Thread, 0,
                               MutableArrayRef<uint8_t>(Buffer, Bytes)))
    return std::move(E);
  uint64_t Address = 0;
  for (size_t I = 0; I < Bytes; ++I)
    Address |= uint64_t(Buffer[I]) << (8 * I);
  Location Base = Location::memory(0, Address);
  Base.Lane = C.getLane();
  Base.Thread = C.getThread();
  return Base;
}
