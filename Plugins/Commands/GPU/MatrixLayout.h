//===-- MatrixLayout.h - where a matrix instruction has its elements ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_GPU_MATRIXLAYOUT_H
#define WAVELANE_COMMANDS_GPU_MATRIXLAYOUT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// A run of registers as instructions name it: "a[0:3]", "v5".
struct RegisterRun {
  char file = 'v'; ///< 'v' or 'a'
  unsigned first = 0, count = 0;
  static std::optional<RegisterRun> Parse(llvm::StringRef text);
};

/// One of AMD's matrix instructions, D = A * B + C, parsed from its text.
struct MatrixInstruction {
  std::string name;
  /// D, C: rows x rows; A: rows x depth; B: depth x rows.
  unsigned rows = 0, depth = 0;
  /// The number of pairs of matrices that are multiplied.
  unsigned blocks = 1;
  enum Type { I8, I32, F16, BF16, F32 };
  Type source = F32, result = F32;
  std::optional<RegisterRun> a, b, c, d; ///< nullopt: a constant.

  static unsigned GetSize(Type type) {
    return type == I8 ? 1 : type == F16 || type == BF16 ? 2 : 4;
  }

  /// \return nullopt for other instructions, and for those with an unknown
  /// layout.
  static std::optional<MatrixInstruction> Parse(llvm::StringRef text);

  /// Where an element is: the index of its register in the operand's run, the
  /// lane, and the byte in the lane's word.
  struct Place {
    unsigned reg, lane, byte;
  };
  /// The place of an element of D or C.
  Place FindResult(unsigned block, unsigned row, unsigned column) const;
  /// The place of an element of A at (row, k) or B at (k, column): \p line is
  /// the row or the column.
  Place FindSource(const RegisterRun &run, unsigned block, unsigned line,
                   unsigned k) const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
