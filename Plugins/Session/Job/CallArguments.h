//===-- CallArguments.h - what a function was called with -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of MPI have no debug information, and the registers of their
// arguments are lost once they have called others. But the caller's code says
// where it had the arguments from, and the library's beginning where it has
// kept them. x86-64 with System V's calling convention only.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SESSION_JOB_CALLARGUMENTS_H
#define WAVELANE_SESSION_JOB_CALLARGUMENTS_H

#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The integers and pointers that a function was called with.
class CallArguments {
public:
  /// \param[in] caller The frame above \a callee, which may be an inlined one.
  CallArguments(StackFrame &callee, StackFrame &caller)
      : m_callee(callee), m_caller(caller) {}

  /// The argument with a number, from 0; nullopt if it can't be determined for
  /// certain. The upper bits of an int mean nothing.
  std::optional<uint64_t> Get(unsigned number);
  /// The same as an int.
  std::optional<int32_t> GetInt(unsigned number);

private:
  /// By the caller's debug information, which optimized programs have.
  std::optional<uint64_t> FindInDebugInfo(unsigned number);
  /// By the instructions before the call.
  std::optional<uint64_t> FindInCaller(unsigned number);
  /// By the instructions with which the function begins.
  std::optional<uint64_t> FindInCallee(unsigned number);

  StackFrame &m_callee, &m_caller;
  /// The registers at the call, as far as they are known.
  std::optional<std::map<std::string, uint64_t>> m_registers;
};

} // namespace wavelane
} // namespace lldb_private

#endif
