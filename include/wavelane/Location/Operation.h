//===-- Operation.h - operations and their encoding ------------*- C++ -*-===//

#ifndef WAVELANE_LOCATION_OPERATION_H
#define WAVELANE_LOCATION_OPERATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace wavelane::location {

/// An operation's identity: the code of a one-byte operation, or UserBit and the
/// sub-opcode of DW_OP_LLVM_user (0xe9).
using OperationCode = uint32_t;
constexpr OperationCode UserBit = 0x10000;

/// The extension's operations (sub-opcodes of DW_OP_LLVM_user). Codes from 0x2001
/// on are this project's, for operations that have none yet.
enum UserOperation : OperationCode {
  OP_LLVM_nop = UserBit | 0x01,
  OP_form_aspace_address = UserBit | 0x02,
  OP_push_lane = UserBit | 0x03,
  OP_offset = UserBit | 0x04,
  OP_offset_uconst = UserBit | 0x05,
  OP_bit_offset = UserBit | 0x06,
  OP_call_frame_entry_reg = UserBit | 0x07,
  OP_undefined = UserBit | 0x08,
  OP_aspace_bregx = UserBit | 0x09,
  OP_piece_end = UserBit | 0x0a,
  OP_extend = UserBit | 0x0b,
  OP_select_bit_piece = UserBit | 0x0c,
  OP_push_iteration = UserBit | 0x2001,
  OP_LLVM_overlay = UserBit | 0x2002,
  OP_LLVM_bit_overlay = UserBit | 0x2003,
  OP_aspace_implicit_pointer = UserBit | 0x2004,
  OP_composite = UserBit | 0x2010,
  OP_overlay = UserBit | 0x2011,
  OP_bit_overlay = UserBit | 0x2012,
  OP_mem = UserBit | 0x2013,
  OP_multiloc = UserBit | 0x2014,
  OP_object_map = UserBit | 0x2020,
};

/// How an operand is encoded.
enum class OperandKind : uint8_t {
  None,
  Address,
  U1, S1, U2, S2, U4, S4, U8, S8,
  ULEB, SLEB,
  Offset,     ///< 4 bytes (DWARF32) or 8 (DWARF64).
  BranchS2,   ///< Bytes from the end of the operation.
  Block,      ///< ULEB length, bytes.
  Expression, ///< A block that is an expression.
  TypeULEB,   ///< ULEB offset of a base type in the unit.
  TypedConst, ///< u1 length, bytes.
};

struct OperationInfo {
  OperationCode Code;
  const char *Name; ///< With DW_OP_.
  OperandKind Operands[2] = {OperandKind::None, OperandKind::None};
};

/// \return Null for an unknown operation.
const OperationInfo *findOperation(OperationCode Code);
/// By name; aliases (DW_OP_offset, DW_OP_push_object_location, ...) included.
const OperationInfo *findOperation(llvm::StringRef Name);

struct DecodeOptions {
  /// 0xe1-0xec are the extension's operations as ROCm encoded them until 2022.
  bool DirectCodes = true;
  /// With DirectCodes: 0xe9 is aspace_implicit_pointer, not LLVM_user.
  bool DirectE9 = false;
  uint8_t AddressSize = 8;
  uint8_t OffsetSize = 4;
};

/// A decoded operation. Block points into the expression.
struct Operation {
  const OperationInfo *Info = nullptr;
  OperationCode Code = 0;
  uint64_t Operands[2] = {0, 0}; ///< Signed ones sign-extended.
  llvm::ArrayRef<uint8_t> Block;
  size_t Begin = 0;
  size_t End = 0;

  /// "DW_OP_bregx 3 0".
  std::string describe(const DecodeOptions &Options = {}) const;
};

/// Decodes the operation at \a At; fails when it is unknown or cut off.
llvm::Expected<Operation> decode(llvm::ArrayRef<uint8_t> Expression, size_t At,
                                 const DecodeOptions &Options = {});
/// The same, into a fresh \a Op.
llvm::Error decode(llvm::ArrayRef<uint8_t> Expression, size_t At,
                   const DecodeOptions &Options, Operation &Op);

/// One operation a line.
llvm::Expected<std::string> disassemble(llvm::ArrayRef<uint8_t> Expression,
                                        const DecodeOptions &Options = {});

/// An operation to be encoded. A branch's operand counts operations, from the one
/// after it.
struct SourceOperation {
  std::string Name;
  llvm::SmallVector<int64_t, 2> Operands;
  std::vector<uint8_t> Block;
};
llvm::Expected<std::vector<uint8_t>>
assemble(llvm::ArrayRef<SourceOperation> Operations,
         const DecodeOptions &Options = {});

/// Reads "DW_OP_regx 3; DW_OP_piece 4": operations divided by ';' or new lines,
/// blocks as hex, expressions in braces, DW_OP_ optional.
llvm::Expected<std::vector<uint8_t>>
assembleText(llvm::StringRef Text, const DecodeOptions &Options = {});

} // namespace wavelane::location

#endif
