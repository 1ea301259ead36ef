//===-- FindingStops.cpp - What checks of kernels have found --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FindingStops.h"
#include "LaneCommands.h"
#include "llvm/Support/JSON.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

void lldb_dap::wavelane::DescribeFinding(
    lldb::SBThread thread, const ::wavelane::protocol::Stop &stop,
    protocol::ExceptionInfoResponseBody &body) {
  body.exceptionId = stop.Explanation;
  llvm::Expected<std::string> text = RunInFrame(
      thread.GetFrameAtIndex(0),
      "gpu check info --json " + std::to_string(stop.Finding.value_or(0)));
  llvm::Expected<llvm::json::Value> reply =
      text ? llvm::json::parse(*text) : text.takeError();
  const llvm::json::Object *object = reply ? reply->getAsObject() : nullptr;
  if (!object) {
    llvm::consumeError(reply.takeError());
    return;
  }
  protocol::ExceptionDetails details;
  details.message = body.description;
  details.typeName = object->getString("kind").value_or("").str();
  details.fullTypeName = details.typeName;
  details.stackTrace = object->getString("report").value_or("").str();
  body.exceptionId = details.typeName;
  body.details = std::move(details);
}
