//===-- CaseExpression.cpp - expressions in JSON --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CaseEntries.h"
#include "CaseJSON.h"
#include "Location/OperandForm.h"

using namespace llvm;
using namespace wavelane::location;

/// Adds the operand \a Word of \a Kind to \a Op.
/// \param[in,out] Constant  The type of a constant that follows it.
Error CaseContext::parseOperand(const json::Value &Word, OperandKind Kind,
                                unsigned Depth, Type &Constant,
                                SourceOperation &Op) {
  switch (Kind) {
  case OperandKind::Expression: {
    const json::Array *Nested = Word.getAsArray();
    if (!Nested)
      return illFormed(Op.Name + " needs a list of operations");
    Expected<std::vector<SourceOperation>> Inner = parse(*Nested, Depth + 1);
    if (!Inner)
      return Inner.takeError();
    return assemble(*Inner, Options.Decode).moveInto(Op.Block);
  }
  case OperandKind::Block:
    if (!Word.getAsString())
      return illFormed(Op.Name + " needs bytes in hex");
    return getHex(*Word.getAsString(), Op.Name).moveInto(Op.Block);
  case OperandKind::TypedConst: {
    uint64_t Bits;
    std::optional<double> Number = Word.getAsNumber();
    if (Constant.Kind == Type::Float && Number)
      Bits = Value::fromFloat(Constant, *Number).Bits;
    else if (std::optional<uint64_t> N = getNumber(Word))
      Bits = *N;
    else
      return illFormed(Op.Name + " needs a number");
    for (unsigned I = 0; I < Constant.Size; ++I)
      Op.Block.push_back(uint8_t(Bits >> (8 * I)));
    return Error::success();
  }
  default:
    break;
  }
  std::optional<StringRef> Name = Word.getAsString();
  if (Kind == OperandKind::TypeULEB && Name) {
    std::optional<uint64_t> Offset = findType(*Name);
    if (!Offset)
      return illFormed("unknown type " + *Name);
    Op.Operands.push_back(int64_t(*Offset));
    Constant = location::getType(*Offset).value_or(
        Type{Type::Generic, uint8_t(AddressSize)});
    return Error::success();
  }
  std::optional<uint64_t> Number = getNumber(Word);
  if (!Number && Name)
    Number = Entries->find(*Name);
  if (!Number)
    return illFormed(Op.Name + ": the context has no entry of that name");
  Op.Operands.push_back(int64_t(*Number));
  return Error::success();
}

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
      if (Error E = parseOperand((*Words)[Next++], Kind, Depth, Constant, Op))
        return std::move(E);
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

/// The entries that are initially on the stack.
Expected<std::vector<Entry>> CaseContext::evaluateInitialStack() {
  std::vector<Entry> Initial;
  const json::Array *Items = Facts ? Facts->getArray("initial_stack") : nullptr;
  if (!Items)
    return Initial;
  for (const json::Value &V : *Items) {
    const json::Object *O = V.getAsObject();
    std::optional<uint64_t> Number = O ? getNumber(*O, "value") : std::nullopt;
    const json::Array *Operations = O ? O->getArray("expression") : nullptr;
    if (Number) {
      Initial.push_back(Value({Type::Generic, uint8_t(AddressSize)}, *Number));
      continue;
    }
    if (!Operations)
      return illFormed("the initial stack is of {value} and {expression}");
    Expected<std::vector<uint8_t>> Inner = assembleOperations(*Operations);
    if (!Inner)
      return Inner.takeError();
    Expected<Entry> E = evaluate(*Inner, *this, ResultKind::Location, Options);
    if (!E)
      return E.takeError();
    Initial.push_back(std::move(*E));
  }
  return Initial;
}

Expected<Entry> CaseContext::evaluateExpression(TraceFunction *Trace) {
  Expected<std::vector<uint8_t>> Bytes = assembleExpression();
  if (!Bytes)
    return Bytes.takeError();
  Expected<std::vector<Entry>> Initial = evaluateInitialStack();
  if (!Initial)
    return Initial.takeError();
  const StringRef Kind = Case->getString("result_kind").value_or("");
  return evaluate(*Bytes, *this,
                  Kind == "value"      ? ResultKind::Value
                  : Kind == "location" ? ResultKind::Location
                                       : ResultKind::Any,
                  Options, *Initial, Trace);
}
