//===-- FindingStops.cpp - What checks of kernels have found --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FindingStops.h"
#include "LaneCommands.h"
#include "llvm/Support/JSON.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

std::optional<FindingStop>
lldb_dap::wavelane::ParseFinding(llvm::StringRef description) {
  FindingStop finding;
  if (!description.consume_front("finding ") ||
      description.consumeInteger(10, finding.number) ||
      !description.consume_front(": "))
    return std::nullopt;
  finding.text = description.split(" (lane").first;
  return finding;
}

/// The lines of a report without what marks them in the program's output.
static std::string CleanReport(llvm::StringRef report) {
  std::string text;
  while (!report.empty()) {
    llvm::StringRef line;
    std::tie(line, report) = report.split('\n');
    line.consume_front("========= ");
    line.consume_front("=========");
    if (!line.trim().empty())
      text += (line + "\n").str();
  }
  return text;
}

void lldb_dap::wavelane::DescribeFinding(
    lldb::SBThread thread, const FindingStop &finding,
    protocol::ExceptionInfoResponseBody &body) {
  body.exceptionId = finding.text.str();
  llvm::Expected<std::string> text =
      RunInFrame(thread.GetFrameAtIndex(0),
                 "gpu check info --json " + std::to_string(finding.number));
  llvm::Expected<llvm::json::Value> told =
      text ? llvm::json::parse(*text) : text.takeError();
  const llvm::json::Object *object = told ? told->getAsObject() : nullptr;
  if (!object) {
    llvm::consumeError(told.takeError());
    return;
  }
  protocol::ExceptionDetails details;
  details.message = body.description;
  details.typeName = object->getString("kind").value_or("").str();
  details.fullTypeName = details.typeName;
  details.stackTrace = CleanReport(object->getString("report").value_or(""));
  body.exceptionId = details.typeName;
  body.details = std::move(details);
}
