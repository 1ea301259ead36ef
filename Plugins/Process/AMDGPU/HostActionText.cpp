//===-- HostActionText.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostActionText.h"
#include "Core/Format/SourcePlace.h"
#include "HostCoupling.h"
#include "ProcessAMDGPU.h"
#include "StepBack.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

// Lines that are told at a stop.
static constexpr int64_t kMostLines = 10;

/// The program's own line that called the runtime.
static std::string FindHostLine(ProcessAMDGPU &process,
                                StructuredData::Dictionary &action) {
  std::shared_ptr<HostCoupling> coupling_sp = process.GetCoupling();
  ProcessSP host_sp = coupling_sp ? coupling_sp->GetHost() : nullptr;
  StructuredData::Array *callers = nullptr;
  if (!host_sp || !action.GetValueForKeyAsArray("callers", callers))
    return "";
  Target &target = host_sp->GetTarget();
  ModuleSP program_sp = target.GetExecutableModule();
  for (size_t i = 0; i < callers->GetSize(); ++i) {
    const auto caller = callers->GetItemAtIndexAsInteger<addr_t>(i);
    Address address;
    // The call is before the address where it returns.
    if (!caller || !target.ResolveLoadAddress(*caller - 1, address))
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
lldb_private::wavelane::DescribeHostAction(ProcessAMDGPU &process,
                                           StructuredData::Dictionary &action) {
  llvm::StringRef what;
  uint64_t to = 0, from = 0, size = 0;
  action.GetValueForKeyAsString("what", what);
  action.GetValueForKeyAsInteger("to", to);
  action.GetValueForKeyAsInteger("from", from);
  action.GetValueForKeyAsInteger("size", size);
  const std::string line = FindHostLine(process, action);
  const std::string where = line.empty() ? "" : " (" + line + ")";
  if (what == "launch") {
    const std::string kernel = SourcePlace::Find(process.GetTarget(), to).name;
    return llvm::formatv("the launch of {0}",
                         kernel.empty() ? llvm::formatv("{0:x}", to).str()
                                        : kernel);
  }
  if (what == "fill")
    return llvm::formatv("the host's fill of {0} bytes at {1:x}{2}", size, to,
                         where);
  return llvm::formatv("the host's copy of {0} bytes from {1:x} to {2:x}{3}",
                       size, from, to, where);
}

void lldb_private::wavelane::TellCrossedActions(ProcessAMDGPU &process,
                                                int64_t from, int64_t to) {
  const bool is_back = to < from;
  llvm::Expected<StructuredData::ObjectSP> answer =
      AskTime(process, llvm::json::Object{{"do", "crossed"},
                                          {"from", std::min(from, to)},
                                          {"to", std::max(from, to)}});
  if (!answer) {
    llvm::consumeError(answer.takeError());
    return;
  }
  StructuredData::Array *actions = nullptr;
  uint64_t count = 0;
  StructuredData::Dictionary &crossed = *(*answer)->GetAsDictionary();
  crossed.GetValueForKeyAsInteger("count", count);
  if (!crossed.GetValueForKeyAsArray("actions", actions) || !count)
    return;
  StreamString text;
  const size_t known = actions->GetSize();
  for (size_t i = 0; i < std::min<size_t>(known, kMostLines); ++i) {
    StructuredData::ObjectSP item_sp =
        actions->GetItemAtIndex(is_back ? known - 1 - i : i);
    if (StructuredData::Dictionary *action =
            item_sp ? item_sp->GetAsDictionary() : nullptr)
      text.Format("{0}: {1}\n", is_back ? "back over" : "over",
                  DescribeHostAction(process, *action));
  }
  if (count > kMostLines)
    text.Format("{0} {1} more calls of the host\n",
                is_back ? "back over" : "over", count - kMostLines);
  process.GetTarget().GetDebugger().GetAsyncOutputStream()->PutCString(
      text.GetString());
}
