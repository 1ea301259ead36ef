//===-- MatrixLayout.h - where a matrix instruction has its elements ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_COMMAND_MATRIXLAYOUT_H
#define WAVELANE_DEBUGGER_COMMAND_MATRIXLAYOUT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// A run of registers as an instruction names it: "a[0:3]", "v5".
struct RegisterRun {
  char file = 'v'; ///< 'v' or 'a'
  unsigned first = 0, count = 0;
  static std::optional<RegisterRun> Parse(llvm::StringRef text);
};

/// One of AMD's matrix instructions, D = A * B + C, as its text tells it.
struct MatrixInstruction {
  std::string name;
  /// D, C: rows x rows; A: rows x depth; B: depth x rows.
  unsigned rows = 0, depth = 0;
  /// So many pairs of matrices are multiplied.
  unsigned blocks = 1;
  enum Type { I8, I32, F16, BF16, F32 };
  Type source = F32, result = F32;
  std::optional<RegisterRun> a, b, c, d; ///< None: a constant.

  static unsigned GetSize(Type type) {
    return type == I8 ? 1 : type == F16 || type == BF16 ? 2 : 4;
  }

  /// \return nullopt for other instructions, and for those whose layout isn't
  ///     known here.
  static std::optional<MatrixInstruction> Parse(llvm::StringRef text);

  /// Where an element is: the register of its operand's run, the lane, and the
  /// byte in the lane's word.
  struct Place {
    unsigned reg, lane, byte;
  };
  /// Of D or C.
  Place FindResult(unsigned block, unsigned row, unsigned column) const;
  /// Of A at (row, k) and of B at (k, column): \p line is the row or the
  /// column.
  Place FindSource(const RegisterRun &run, unsigned block, unsigned line,
                   unsigned k) const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
