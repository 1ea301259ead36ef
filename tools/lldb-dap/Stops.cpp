//===-- Stops.cpp - Why a thread has stopped ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Stops.h"
#include "lldb/API/SBStream.h"

std::optional<::wavelane::protocol::Stop>
lldb_dap::wavelane::GetStop(lldb::SBThread thread) {
  // LLDB's function needs a reason.
  if (const lldb::StopReason reason = thread.GetStopReason();
      reason == lldb::eStopReasonInvalid || reason == lldb::eStopReasonNone)
    return std::nullopt;
  lldb::SBStream text;
  if (!thread.GetStopReasonExtendedInfoAsJSON(text) || !text.GetSize())
    return std::nullopt;
  auto information =
      ::wavelane::protocol::parse<::wavelane::protocol::StopInformation>(
          llvm::StringRef(text.GetData(), text.GetSize()), "stop");
  if (information)
    return information->Stop;
  llvm::consumeError(information.takeError());
  return std::nullopt;
}

bool lldb_dap::wavelane::StopsBy(lldb::SBThread thread,
                                 ::wavelane::protocol::StopKind kind) {
  const std::optional<::wavelane::protocol::Stop> stop = GetStop(thread);
  return stop && stop->Kind == kind;
}
