//===-- RegisterOperators.cpp - registers, the frame and the lane ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Location/Machine.h"
#include "Location/Upstream.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

void wavelane::location::formRegister(Context &C, uint64_t Number,
                                      Location &L) {
  L.Kind = StorageKind::Register;
  L.Number = Number;
  L.Lane = C.getLane();
  L.Thread = C.getThread();
}

Error wavelane::location::readRegister(Context &C, const EvaluationOptions &O,
                                       uint64_t Number, unsigned AddressBits,
                                       uint64_t &V) {
  Expected<uint64_t> Size = C.getRegisterSize(Number);
  if (!Size)
    return Size.takeError();
  if (O.Dialect == Dialect::AMD && *Size * 8 < AddressBits)
    return illFormed("register " + Twine(Number) + " has fewer than the " +
                     Twine(AddressBits) + " bits of an address");
  uint8_t Buffer[8] = {};
  size_t Bytes = std::min<uint64_t>(*Size, C.getAddressSize());
  uint64_t First = 0;
  // Upstream clang uses a lane's element as if it were the whole register.
  unsigned ElementSize = 0;
  if (O.Upstream.Enabled && C.getLane() &&
      C.isVectorRegister(Number, ElementSize) && ElementSize <= Bytes) {
    Bytes = ElementSize;
    First = uint64_t(*C.getLane()) * ElementSize;
    if (First + Bytes > *Size)
      return failed("register " + Twine(Number) + " has no element of lane " +
                    Twine(*C.getLane()));
  }
  if (Error E = C.readRegister(Number, C.getThread(), First,
                               MutableArrayRef<uint8_t>(Buffer, Bytes)))
    return E;
  V = support::endian::read64le(Buffer); // bytes that weren't read are zero
  return Error::success();
}

Error wavelane::location::formFrameRelative(Context &C,
                                            const EvaluationOptions &O,
                                            uint64_t Distance, Location &L) {
  Expected<Location> Base = C.getFrameBase();
  if (!Base)
    return Base.takeError();
  if (Base->Kind != StorageKind::Memory || Base->Offset % 8 != 0)
    return illFormed("the frame base is not memory: " + Base->describe(&C));
  uint64_t Space = Base->Number;
  uint64_t Address = uint64_t(Base->Offset / 8);
  if (O.Upstream.Enabled && Space == 0) {
    Space = SpacePrivateLane;
    Address /= std::max(1u, C.getPrivateFrameScale());
  }
  if (Error E = formAddress(C, Space, Address + Distance, L))
    return E;
  if (Space == Base->Number) {
    L.Lane = Base->Lane;
    L.Thread = Base->Thread;
  }
  return Error::success();
}

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
