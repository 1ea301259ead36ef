//===-- Debuggers.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Debuggers.h"

#include "lldb/Core/Debugger.h"

#include <vector>

using namespace lldb;
using namespace lldb_private;

static std::vector<std::function<void(Debugger &)>> &GetCallbacks() {
  static std::vector<std::function<void(Debugger &)>> g_callbacks;
  return g_callbacks;
}

void lldb_private::wavelane::ForEachDebugger(
    std::function<void(Debugger &)> callback) {
  for (size_t i = 0, e = Debugger::GetNumDebuggers(); i < e; ++i)
    if (DebuggerSP debugger_sp = Debugger::GetDebuggerAtIndex(i))
      callback(*debugger_sp);
  GetCallbacks().push_back(std::move(callback));
}

void lldb_private::wavelane::DebuggerWasCreated(Debugger &debugger) {
  for (const auto &callback : GetCallbacks())
    callback(debugger);
}
