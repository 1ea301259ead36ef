//===-- ChangedResult.h - results that may have shrunk ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the compiler knows all callers of a function, it drops the parts of its
// result that no caller uses; the rest moves down. Debug information says that
// the calling convention was changed (DW_CC_nocall), but not how. The code
// shows it.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_CHANGEDRESULT_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_CHANGEDRESULT_H

#include "lldb/lldb-types.h"

#include <bitset>
#include <optional>

namespace lldb_private {
class StackFrame;
class Target;
namespace wavelane {

class ChangedResult {
public:
  /// For the function of \a frame.
  /// \return nullopt if it is called according to its declaration.
  static std::optional<ChangedResult> Find(Target &target, StackFrame &frame);

  /// Whether nothing was dropped: the function writes the last of \a registers
  /// vector registers, and its caller reads it next. False if this can't be
  /// determined.
  /// \param[in] pc The address that the function returned to.
  bool IsWhole(Target &target, lldb::addr_t pc, unsigned registers) const;

private:
  /// Those of the first vector registers that the function writes.
  std::bitset<64> m_written;
};

} // namespace wavelane
} // namespace lldb_private

#endif
