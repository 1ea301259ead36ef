//===-- OperationTable.h - all operations, and their encoding ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LOCATION_OPERATIONTABLE_H
#define WAVELANE_LOCATION_OPERATIONTABLE_H

#include "PrivateCodes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace wavelane::location {

/// An operation's identity: the code of a one-byte operation, or UserBit and
/// the sub-opcode of DW_OP_LLVM_user (0xe9).
using OperationCode = uint32_t;
constexpr OperationCode UserBit = 0x10000;
/// DW_OP_LLVM_user.
constexpr uint8_t LLVMUser = 0xe9;

/// The sub-operations of DW_OP_LLVM_user: OP_push_lane, OP_offset and so on.
enum UserOperation : OperationCode {
#define USER_OPERATION(SubOpcode, DirectCode, Id, Name, First, Second,         \
                       Function)                                               \
  OP_##Id = UserBit | (SubOpcode),
#include "Operations.def"
};

/// How an operand is encoded.
enum class OperandKind : uint8_t {
  None,
  Address,
  U1,
  S1,
  U2,
  S2,
  U4,
  S4,
  U8,
  S8,
  ULEB,
  SLEB,
  Offset,     ///< 4 bytes (DWARF32) or 8 (DWARF64).
  BranchS2,   ///< Bytes from the end of the operation.
  Block,      ///< ULEB length, bytes.
  Expression, ///< A block that is an expression.
  TypeULEB,   ///< ULEB offset of a base type in the unit.
  TypedConst, ///< u1 length, bytes.
};

struct OperationInfo {
  OperationCode Code;
  const char *Name; ///< With the prefix DW_OP_.
  OperandKind Operands[2] = {OperandKind::None, OperandKind::None};
  /// Its index in Operations.def, counted from 0.
  uint8_t Row = 0;
};

/// \return Null for an unknown operation.
const OperationInfo *findOperation(OperationCode Code);
/// Finds an operation by name, including aliases (DW_OP_offset,
/// DW_OP_push_object_location, ...).
const OperationInfo *findOperation(llvm::StringRef Name);
/// All operations, each once.
llvm::ArrayRef<const OperationInfo *> getOperations();

struct DecodeOptions {
  /// 0xe1-0xec are the extension's operations, as ROCm encoded them until 2022.
  bool DirectCodes = true;
  /// With DirectCodes: 0xe9 is aspace_implicit_pointer, not LLVM_user.
  bool DirectE9 = false;
  uint8_t AddressSize = 8;
  uint8_t OffsetSize = 4;
  /// The nesting of expressions that are operands, in text.
  uint8_t MaxNesting = 64;
};

/// The user operation of a direct code (0xe1-0xec), or 0.
OperationCode getDirectOperation(uint8_t Code, const DecodeOptions &Options);

} // namespace wavelane::location

#endif
