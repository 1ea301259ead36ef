//===-- FunctionUnwind.h - where a function keeps its caller ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream clang writes no call-frame information for AMD GPUs. What it would
// say is read off the code: from a function's first instruction on it is
// followed where the values that registers had at entry are kept (other scalar
// registers, lanes of vector registers, accumulation registers, the stack) and
// how the stack pointer moves.
//
// The calling convention is no guide to what survives a call: LLVM looks into
// the callees it knows, and keeps values in whatever they don't touch.
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

  /// \param[in] bytes The function from its first instruction to its end, or as
  ///     far as wanted.
  FunctionUnwind(AMDGPUMachineCode &code, lldb::addr_t start,
                 llvm::ArrayRef<uint8_t> bytes);

  /// The state before the instruction at \a pc; null when there is none.
  const Row *GetRow(lldb::addr_t pc) const;

private:
  lldb::addr_t m_start;
  lldb::addr_t m_end;
  /// Where the state changes; it holds until the next entry.
  std::map<lldb::addr_t, Row> m_rows;
};

} // namespace wavelane
} // namespace lldb_private

#endif
