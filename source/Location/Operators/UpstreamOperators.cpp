//===-- UpstreamOperators.cpp - what upstream clang means -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Location/Machine.h"
#include "Location/Upstream.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

bool Machine::endsPart(size_t At) const {
  const ArrayRef<uint8_t> Bytes = Now->Bytes;
  return At == Bytes.size() || Bytes[At] == DW_OP_piece ||
         Bytes[At] == DW_OP_bit_piece;
}

/// Whether DW_OP_stack_value is at \a At, and ends a part.
bool Machine::isValueAt(size_t At) const {
  return At < Now->Bytes.size() && Now->Bytes[At] == DW_OP_stack_value &&
         endsPart(At + 1);
}

/// The constant of a `constant; swap; xderef` at \a At that ends a location, or
/// a location whose value is then taken.
std::optional<uint64_t> Machine::matchSpace(size_t At, size_t &End) const {
  const ArrayRef<uint8_t> Bytes = Now->Bytes;
  Expected<Operation> Op = decode(Bytes, At, O.Decode);
  if (!Op) {
    consumeError(Op.takeError());
    return std::nullopt;
  }
  uint64_t Space;
  if (Op->Code >= DW_OP_lit0 && Op->Code <= DW_OP_lit31)
    Space = Op->Code - DW_OP_lit0;
  else if (Op->Code == DW_OP_constu || Op->Code == DW_OP_const1u)
    Space = Op->Operands[0];
  else
    return std::nullopt;
  if (Op->End + 2 > Bytes.size() || Bytes[Op->End] != DW_OP_swap ||
      Bytes[Op->End + 1] != DW_OP_xderef ||
      !(endsPart(Op->End + 2) || isValueAt(Op->End + 2)))
    return std::nullopt;
  End = Op->End + 2;
  return Space;
}

/// \param At The offset of the following operation.
Error Machine::upstreamSpace(uint64_t Space, size_t At) {
  const Operation &Last = Now->Last;
  // For a frame slot, DW_OP_fbreg has already formed a private location.
  if (Last.Info && Last.Code == DW_OP_fbreg)
    return Error::success();
  if (Error E = need(1))
    return E;
  // The debug expression of a stack slot that was promoted to a register.
  uint64_t Number = ~uint64_t(0);
  if (Last.Info && Last.Code == DW_OP_bregx && Last.Operands[1] == 0)
    Number = Last.Operands[0];
  else if (Last.Info && Last.Code >= DW_OP_breg0 && Last.Code <= DW_OP_breg31 &&
           Last.Operands[0] == 0)
    Number = Last.Code - DW_OP_breg0;
  Location Element;
  const bool IsElement = isVectorElement(context(), Number, Element);
  // An object in a space whose value the compiler knows is no longer stored in
  // any space.
  if (isValueAt(At)) {
    if (!IsElement)
      return Error::success();
    Expected<Entry> E = read(Element, Element.ElementBytes, generic());
    if (!E)
      return E.takeError();
    Stack.back() = std::move(*E);
    return Error::success();
  }
  if (IsElement) {
    Stack.back() = Entry(std::move(Element));
    return Error::success();
  }
  Expected<Value> Address = popIntegral();
  if (!Address)
    return Address.takeError();
  if (O.Upstream.OldNumbers)
    Space = Space == 1 ? SpacePrivateLane : Space == 2 ? SpaceLocal : Space;
  return pushMemory(Space, Address->getUnsigned());
}
