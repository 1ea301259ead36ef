//===-- FunctionUnwind.h - where a function keeps its caller ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream clang writes no call-frame information for AMD GPUs. This class
// derives the same facts from the code: it follows, from a function's first
// instruction, where the entry values of registers are kept (other scalar
// registers, lanes of vector registers, accumulation registers, the stack) and
// how the stack pointer moves.
//
// The calling convention isn't enough to know what survives a call: LLVM
// analyzes known callees, and keeps values in any register that they don't use.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_FUNCTIONUNWIND_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_FUNCTIONUNWIND_H

#include "UnwindRow.h"
#include "lldb/lldb-types.h"

#include <map>

namespace lldb_private {
namespace wavelane {

class FunctionUnwind {
public:
  using Row = UnwindRow;
  using Register = Row::Register;
  using Lanes = Row::Lanes;
  using Place = Row::Place;

  /// \param[in] bytes The code from the function's first instruction to its
  /// end, or as far as
  ///     needed.
  FunctionUnwind(AMDGPUMachineCode &code, lldb::addr_t start,
                 llvm::ArrayRef<uint8_t> bytes);

  /// The state before the instruction at \a pc; null if there is none.
  const Row *GetRow(lldb::addr_t pc) const;

private:
  lldb::addr_t m_start;
  lldb::addr_t m_end;
  /// The state at each change; it holds until the next entry.
  std::map<lldb::addr_t, Row> m_rows;
};

} // namespace wavelane
} // namespace lldb_private

#endif
