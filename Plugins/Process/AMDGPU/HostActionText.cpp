//===-- HostActionText.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostActionText.h"
#include "Core/Format/SourcePlace.h"
#include "HostCoupling.h"
#include "StepBack.h"
#include "WaveProcess.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace protocol = ::wavelane::protocol;

// Lines that are shown at a stop.
static constexpr int64_t kMostLines = 10;

/// The program's own line that called the runtime.
static std::string FindHostLine(WaveProcess &process,
                                const protocol::HostAction &action) {
  std::shared_ptr<HostCoupling> coupling_sp = process.GetCoupling();
  ProcessSP host_sp = coupling_sp ? coupling_sp->GetHost() : nullptr;
  if (!host_sp)
    return "";
  Target &target = host_sp->GetTarget();
  ModuleSP program_sp = target.GetExecutableModule();
  for (addr_t caller : action.Callers) {
    Address address;
    // The call is before the address where it returns.
    if (!target.ResolveLoadAddress(caller - 1, address))
      continue;
    SymbolContext context;
    address.CalculateSymbolContext(&context, eSymbolContextModule |
                                                 eSymbolContextLineEntry);
    if (context.module_sp == program_sp && context.line_entry.IsValid())
      return FormatLine(context.line_entry, /*with_column=*/false);
  }
  return "";
}

std::string
lldb_private::wavelane::DescribeHostAction(WaveProcess &process,
                                           const protocol::HostAction &action) {
  const std::string line = FindHostLine(process, action);
  const std::string where = line.empty() ? "" : " (" + line + ")";
  const uint64_t size = action.Size.value_or(0);
  switch (action.What) {
  case protocol::HostActionKind::Launch: {
    const std::string kernel =
        SourcePlace::Find(process.GetTarget(), action.To).name;
    return llvm::formatv(
        "the launch of {0}",
        kernel.empty() ? llvm::formatv("{0:x}", action.To).str() : kernel);
  }
  case protocol::HostActionKind::Fill:
    return llvm::formatv("the host's fill of {0} bytes at {1:x}{2}", size,
                         action.To, where);
  case protocol::HostActionKind::Copy:
    break;
  }
  return llvm::formatv("the host's copy of {0} bytes from {1:x} to {2:x}{3}",
                       size, action.From.value_or(0), action.To, where);
}

void lldb_private::wavelane::ReportCrossedActions(WaveProcess &process,
                                                  int64_t from, int64_t to) {
  const bool is_back = to < from;
  protocol::CrossedRequest request;
  request.From = uint64_t(std::min(from, to));
  request.To = uint64_t(std::max(from, to));
  auto answer = AskTime(process, request);
  if (!answer) {
    llvm::consumeError(answer.takeError());
    return;
  }
  const auto count = int64_t(answer->Count);
  if (!count)
    return;
  StreamString text;
  const size_t known = answer->Actions.size();
  for (size_t i = 0; i < std::min<size_t>(known, kMostLines); ++i)
    text.Format("{0}: {1}\n", is_back ? "back over" : "over",
                DescribeHostAction(
                    process, answer->Actions[is_back ? known - 1 - i : i]));
  if (count > kMostLines)
    text.Format("{0} {1} more calls of the host\n",
                is_back ? "back over" : "over", count - kMostLines);
  process.GetTarget().GetDebugger().GetAsyncOutputStream()->PutCString(
      text.GetString());
}
