//===-- ChangedResult.h - results that may have shrunk ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the compiler knows all callers of a function it drops the parts of its
// result that none uses; what is left moves down. Debug information says of a
// function that something about its calls was changed (DW_CC_nocall), not what.
// The code tells.
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
  /// Of the function of \a frame.
  /// \return nullopt where its calls are as its declaration says.
  static std::optional<ChangedResult> Find(Target &target, StackFrame &frame);

  /// Whether nothing was dropped: the function writes the last of \a registers
  /// vector registers, and its caller reads it next. False where that can't be
  /// seen.
  /// \param[in] pc  Where the function has returned to.
  bool IsWhole(Target &target, lldb::addr_t pc, unsigned registers) const;

private:
  /// The first vector registers, those that the function writes.
  std::bitset<64> m_written;
};

} // namespace wavelane
} // namespace lldb_private

#endif
