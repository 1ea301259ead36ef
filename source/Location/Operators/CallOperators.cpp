//===-- CallOperators.cpp - other entries' expressions, and callers'
//---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Location/Machine.h"

using namespace llvm;
using namespace wavelane::location;

/// The options for a nested evaluation.
EvaluationOptions Machine::nested() const {
  EvaluationOptions Inner = O;
  Inner.MaxDepth = O.MaxDepth - Depth - 1;
  return Inner;
}

Error Machine::call(DieReference Reference) {
  if (Depth >= O.MaxDepth)
    return nestedTooDeeply("calls", Reference.Offset);
  Expected<DieLocation> Die = context().getDie(Reference);
  if (!Die)
    return Die.takeError();
  Context &Unit = Die->Unit ? *Die->Unit : context();
  if (Die->Expression) {
    ++Depth;
    Error E = run(*Die->Expression, Unit);
    --Depth;
    return E;
  }
  if (Die->List)
    return pushExpected(evaluateLocationList(*Die->List, Unit, nested()));
  if (Die->ConstValue)
    push(Location::implicit(*Die->ConstValue));
  return Error::success();
}

Error Machine::callInUnit(const Operation &Op) {
  return call({DieReference::Unit, Op.Operands[0]});
}
Error Machine::callInSection(const Operation &Op) {
  return call({DieReference::Section, Op.Operands[0]});
}

Error Machine::entryValue(const Operation &Op) {
  if (Depth >= O.MaxDepth)
    return makeError(ErrorKind::Limit, "entry values are nested too deeply");
  if (Op.Block.empty())
    return illFormed("the expression is empty");
  Expected<Context *> Caller = context().getCallerContext();
  if (!Caller)
    return Caller.takeError();
  Expected<Entry> Result =
      evaluate(Op.Block, **Caller, ResultKind::Any, nested());
  if (!Result)
    return Result.takeError();
  if (!Result->IsValue && Result->Location.Kind == StorageKind::Register) {
    uint64_t V;
    if (Error E = readRegister(**Caller, O, Result->Location.Number, 0, V))
      return E;
    pushGeneric(V);
    return Error::success();
  }
  Expected<Value> V = toValue(*Result, **Caller);
  if (!V)
    return V.takeError();
  push(*V);
  return Error::success();
}

/// The value on entry of a parameter that the compiler has removed: the entry
/// as the call describes it.
Error Machine::parameterRef(const Operation &Op) {
  if (Depth >= O.MaxDepth)
    return nestedTooDeeply("values of parameters", Op.Operands[0]);
  Expected<Context *> Caller = context().getCallerContext();
  if (!Caller)
    return Caller.takeError();
  Expected<DieLocation> Die =
      (*Caller)->getDie({DieReference::Unit, Op.Operands[0]});
  if (!Die)
    return Die.takeError();
  const Type T = Die->ValueType.value_or(generic());
  Expected<Location> L = evaluateDie(*Die, **Caller, nested());
  if (!L)
    return L.takeError();
  Expected<Entry> E = read(*L, T.Size, T);
  if (!E)
    return E.takeError();
  push(std::move(*E));
  return Error::success();
}

Error Machine::variableValue(const Operation &Op) {
  if (Depth >= O.MaxDepth)
    return nestedTooDeeply("values of variables", Op.Operands[0]);
  Expected<DieLocation> Die =
      context().getDie({DieReference::Section, Op.Operands[0]});
  if (!Die)
    return Die.takeError();
  if (!Die->ValueType)
    return illFormed("the variable is not an integer or a pointer");
  const Type T = *Die->ValueType;
  Expected<Location> L = evaluateDie(*Die, context(), nested());
  if (!L)
    return L.takeError();
  Expected<Entry> E = read(*L, T.Size, T);
  if (!E)
    return E.takeError();
  if (E->IsImplicitPointer)
    return failed("the variable is an implicit pointer");
  Expected<Value> V = location::convert(E->Value, generic());
  if (!V)
    return V.takeError();
  push(*V);
  return Error::success();
}
