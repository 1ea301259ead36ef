//===-- OperandForm.h - the bytes of an operation's operand -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_LOCATION_OPERANDFORM_H
#define WAVELANE_SOURCE_LOCATION_OPERANDFORM_H

#include "wavelane/Location/OperationTable.h"
#include "llvm/Support/ErrorHandling.h"

namespace wavelane::location {

struct OperandForm {
  enum Encoding : uint8_t {
    None,
    Fixed, ///< Size bytes.
    LEB,
    Bytes,      ///< A ULEB length, then that many bytes.
    ShortBytes, ///< A one-byte length, then that many bytes.
  };
  Encoding As = None;
  bool IsSigned = false;
  uint8_t Size = 0;
};

inline OperandForm getForm(OperandKind Kind, const DecodeOptions &Options) {
  using F = OperandForm;
  switch (Kind) {
  case OperandKind::None:
    return {};
  case OperandKind::Address:
    return {F::Fixed, false, Options.AddressSize};
  case OperandKind::Offset:
    return {F::Fixed, false, Options.OffsetSize};
  case OperandKind::U1:
    return {F::Fixed, false, 1};
  case OperandKind::S1:
    return {F::Fixed, true, 1};
  case OperandKind::U2:
    return {F::Fixed, false, 2};
  case OperandKind::S2:
  case OperandKind::BranchS2:
    return {F::Fixed, true, 2};
  case OperandKind::U4:
    return {F::Fixed, false, 4};
  case OperandKind::S4:
    return {F::Fixed, true, 4};
  case OperandKind::U8:
    return {F::Fixed, false, 8};
  case OperandKind::S8:
    return {F::Fixed, true, 8};
  case OperandKind::ULEB:
  case OperandKind::TypeULEB:
    return {F::LEB, false, 0};
  case OperandKind::SLEB:
    return {F::LEB, true, 0};
  case OperandKind::Block:
  case OperandKind::Expression:
    return {F::Bytes, false, 0};
  case OperandKind::TypedConst:
    return {F::ShortBytes, false, 0};
  }
  llvm_unreachable("a kind of operand");
}

} // namespace wavelane::location

#endif
