//===-- EarlyReturn.h - leaving a device function early ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_EARLYRETURN_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_EARLYRETURN_H

#include "lldb/Utility/Status.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-private-types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lldb_private {
namespace wavelane {

class UnwindAMDGPU;

/// Leaves the function of a frame, as if it returned now in all lanes that it
/// was entered with: the caller's registers are what they were, and all of
/// these lanes get the value.
class EarlyReturn {
public:
  EarlyReturn(UnwindAMDGPU &unwind, StackFrame &frame);

  /// \param[in] value  What the function returns; null for nothing.
  /// \return An error where one of the caller's registers isn't known. Nothing
  ///     has changed then.
  Status Do(ValueObject *value);

private:
  using Bytes = std::vector<uint8_t>;

  /// The lanes that the function was entered with, a bit each.
  llvm::Expected<uint64_t> GetActiveLanes();
  /// What a register is to hold; nullopt where it stays as it is.
  /// \param[in] result  What v0 and the registers behind it get in active
  /// lanes.
  llvm::Expected<std::optional<Bytes>>
  GetBytes(const RegisterInfo &info, const Bytes &now, uint64_t active,
           llvm::ArrayRef<uint32_t> result);

  UnwindAMDGPU &m_unwind;
  StackFrame &m_frame;
  /// The indices of the frames.
  const uint32_t m_callee, m_caller;
  const std::string m_function;
};

} // namespace wavelane
} // namespace lldb_private

#endif
