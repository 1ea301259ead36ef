//===-- Operation.h - operations in bytes and in text -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LOCATION_OPERATION_H
#define WAVELANE_LOCATION_OPERATION_H

#include "OperationTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace wavelane::location {

/// A decoded operation. Block points into the expression.
struct Operation {
  const OperationInfo *Info = nullptr;
  OperationCode Code = 0;
  uint64_t Operands[2] = {0, 0}; ///< Signed operands are sign-extended.
  llvm::ArrayRef<uint8_t> Block;
  size_t Begin = 0;
  size_t End = 0;

  /// "DW_OP_bregx 3 0".
  std::string describe(const DecodeOptions &Options = {}) const;
};

/// Decodes the operation at \a At; fails if it is unknown or truncated.
llvm::Expected<Operation> decode(llvm::ArrayRef<uint8_t> Expression, size_t At,
                                 const DecodeOptions &Options = {});
/// Decodes into a fresh \a Op.
llvm::Error decode(llvm::ArrayRef<uint8_t> Expression, size_t At,
                   const DecodeOptions &Options, Operation &Op);

/// One operation per line.
llvm::Expected<std::string> disassemble(llvm::ArrayRef<uint8_t> Expression,
                                        const DecodeOptions &Options = {});

/// An operation to encode. A branch's operand counts operations, starting after
/// the branch.
struct SourceOperation {
  std::string Name;
  llvm::SmallVector<int64_t, 2> Operands;
  std::vector<uint8_t> Block;
};
llvm::Expected<std::vector<uint8_t>>
assemble(llvm::ArrayRef<SourceOperation> Operations,
         const DecodeOptions &Options = {});

/// Parses "DW_OP_regx 3; DW_OP_piece 4": operations separated by ';' or
/// newlines, blocks in hexadecimal, expressions in braces, DW_OP_ optional.
llvm::Expected<std::vector<uint8_t>>
assembleText(llvm::StringRef Text, const DecodeOptions &Options = {});

} // namespace wavelane::location

#endif
