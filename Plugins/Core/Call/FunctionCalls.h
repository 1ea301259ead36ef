//===-- FunctionCalls.h - calls of a process's expressions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's interpreter of expressions reads and writes memory, and plugins have
// no other part in it. So a call is memory: the expression, as
// LanguageRuntimeHIP rewrites it, stores arguments at addresses from
// CallsFunctions::kCallAddresses on, then stores the call's number at the first
// of them, which performs the call, and loads the result.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_CALL_FUNCTIONCALLS_H
#define WAVELANE_CORE_CALL_FUNCTIONCALLS_H

#include "FunctionCall.h"
#include "lldb/lldb-types.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace lldb_private {
class ExecutionContext;
class Process;

namespace wavelane {
class WindowObject;

/// The calls that a process's expressions have made.
class FunctionCalls {
public:
  /// Bytes of arguments and results; the first eight are the call's number.
  static constexpr uint64_t kSize = 64 * 1024;
  static constexpr uint64_t kFirstValue = 16;

  /// \return The call's number.
  uint64_t Add(FunctionCall call);
  /// \return null for a number that Add hasn't given.
  std::shared_ptr<const FunctionCall> Find(uint64_t number) const;

  /// See CallsFunctions.
  lldb::addr_t GetAddress(Process &process, const ExecutionContext &exe_ctx,
                          uint64_t offset);

private:
  mutable std::mutex m_mutex;
  std::vector<std::shared_ptr<const FunctionCall>> m_calls;
  /// The memory of calls at the current stop, by thread and lane.
  uint32_t m_stop_id = 0;
  std::map<std::pair<lldb::tid_t, uint32_t>, std::shared_ptr<WindowObject>>
      m_windows;
};

} // namespace wavelane
} // namespace lldb_private

#endif
