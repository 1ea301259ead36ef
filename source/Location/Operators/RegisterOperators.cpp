//===-- RegisterOperators.cpp - registers, the frame and the lane ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Location/Machine.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

//===-- Register locations ------------------------------------------------===//

void Machine::pushRegister(uint64_t Number) {
  formRegister(context(), Number, Stack.emplace_back().Location);
}

/// A register at the end of an expression or of a part.
Error Machine::pushVariableRegister(uint64_t Number, const Operation &Op) {
  pushRegister(Number);
  if (isUpstream() && endsPart(Op.End))
    isVectorElement(context(), Number, Stack.back().Location);
  return Error::success();
}

Error Machine::reg(const Operation &Op) {
  return pushVariableRegister(Op.Code - DW_OP_reg0, Op);
}
Error Machine::regx(const Operation &Op) {
  return pushVariableRegister(Op.Operands[0], Op);
}

//===-- Register contents -------------------------------------------------===//

Error Machine::pushRelative(uint64_t Number, uint64_t Distance) {
  Context &C = context();
  uint64_t V;
  if (Error E = readRegister(C, O, Number, 8 * C.getAddressSize(), V))
    return E;
  return pushMemory(0, V + Distance);
}
Error Machine::breg(const Operation &Op) {
  return pushRelative(Op.Code - DW_OP_breg0, Op.Operands[0]);
}
Error Machine::bregx(const Operation &Op) {
  return pushRelative(Op.Operands[0], Op.Operands[1]);
}

Error Machine::spaceBregx(const Operation &Op) {
  AddressSpace Info;
  Expected<uint64_t> Space = popSpace(Info);
  if (!Space)
    return Space.takeError();
  uint64_t V;
  if (Error E = readRegister(context(), O, Op.Operands[0], Info.AddressBits, V))
    return E;
  return pushMemory(*Space, V + Op.Operands[1]);
}

Error Machine::regvalType(const Operation &Op) {
  Expected<Type> T = getType(Op.Operands[1]);
  if (!T)
    return T.takeError();
  pushRegister(Op.Operands[0]);
  return dereference(T->Size, *T);
}

//===-- The frame and the lane --------------------------------------------===//

Error Machine::fbreg(const Operation &Op) {
  return formFrameRelative(context(), O, Op.Operands[0],
                           Stack.emplace_back().Location);
}
Error Machine::callFrameAddress(const Operation &) {
  return pushExpected(context().getCallFrameAddress());
}
Error Machine::entryRegister(const Operation &Op) {
  return pushExpected(context().getEntryRegister(Op.Operands[0]));
}

Error Machine::pushIndex(std::optional<uint32_t> Current, uint32_t Count,
                         const char *What) {
  if (Count == 0)
    return missing(Twine("count of ") + What + "s");
  if (!Current) {
    if (Count > 1 || O.Dialect == Dialect::AMD)
      return missing(Twine("current ") + What);
    Current = 0;
  }
  if (*Current >= Count)
    return illFormed(Twine("the current ") + What + " is " + Twine(*Current) +
                     ", of " + Twine(Count));
  pushGeneric(*Current);
  return Error::success();
}
Error Machine::pushLane(const Operation &) {
  return pushIndex(context().getLane(), context().getLaneCount(), "lane");
}
Error Machine::pushIteration(const Operation &) {
  if (!context().getIteration())
    return missing("current iteration");
  return pushIndex(context().getIteration(), context().getIterationCount(),
                   "iteration");
}
