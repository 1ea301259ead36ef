//===-- LaneCommands.cpp - The output of `thread lane` --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneCommands.h"
#include "lldb/API/SBCommandInterpreter.h"
#include "lldb/API/SBCommandReturnObject.h"
#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBExecutionContext.h"
#include "lldb/API/SBProcess.h"
#include "lldb/API/SBTarget.h"
#include "lldb/API/SBThread.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb_dap::wavelane;

llvm::Expected<std::string>
lldb_dap::wavelane::TakeText(lldb::SBCommandReturnObject result) {
  if (result.Succeeded())
    return std::string(result.GetOutput() ? result.GetOutput() : "");
  llvm::StringRef error = result.GetError() ? result.GetError() : "";
  error.consume_front("error: ");
  return llvm::createStringError(error.rtrim());
}

llvm::Expected<std::string>
lldb_dap::wavelane::RunCommand(lldb::SBDebugger debugger,
                               const std::string &command) {
  lldb::SBCommandReturnObject result;
  debugger.GetCommandInterpreter().HandleCommand(command.c_str(), result,
                                                 /*add_to_history=*/false);
  return TakeText(result);
}

llvm::Expected<std::string>
lldb_dap::wavelane::RunInFrame(lldb::SBFrame frame,
                               const std::string &command) {
  lldb::SBExecutionContext context(frame);
  lldb::SBCommandReturnObject result;
  frame.GetThread()
      .GetProcess()
      .GetTarget()
      .GetDebugger()
      .GetCommandInterpreter()
      .HandleCommand(command.c_str(), context, result, false);
  return TakeText(result);
}

/// Runs a command whose output is the JSON of a \p T.
template <typename T>
static llvm::Expected<T> Ask(lldb::SBFrame frame, const std::string &command) {
  llvm::Expected<std::string> text = RunInFrame(frame, command);
  if (!text)
    return text.takeError();
  return llvm::json::parse<T>(*text);
}

std::optional<LaneList> lldb_dap::wavelane::ListLanes(lldb::SBFrame frame) {
  if (!frame.IsValid())
    return std::nullopt;
  std::optional<LaneList> list =
      llvm::expectedToOptional(Ask<LaneList>(frame, "thread lane list --json"));
  return list && list->lanes.size() > 1 ? list : std::nullopt;
}

llvm::Expected<LaneValues>
lldb_dap::wavelane::PrintInLanes(lldb::SBFrame frame,
                                 llvm::StringRef expression, bool all) {
  return Ask<LaneValues>(frame,
                         llvm::formatv("thread lane print {0}--json -- {1}",
                                       all ? "--all " : "", expression));
}

llvm::Expected<std::vector<uint32_t>>
lldb_dap::wavelane::FindLanesWithout(lldb::SBFrame frame,
                                     llvm::StringRef expression) {
  llvm::Expected<std::vector<LanesFound>> found = Ask<std::vector<LanesFound>>(
      frame,
      llvm::formatv("thread lane find --json -- !({0})", expression).str());
  if (!found)
    return found.takeError();
  return found->empty() ? std::vector<uint32_t>() : found->front().lanes;
}

std::optional<std::string>
lldb_dap::wavelane::FindProvenance(lldb::SBFrame frame,
                                   llvm::StringRef variable) {
  lldb::SBTarget target = frame.GetThread().GetProcess().GetTarget();
  const char *triple = target.GetTriple();
  if (!triple || !llvm::StringRef(triple).starts_with("amdgcn"))
    return std::nullopt;
  // Fails for a variable that isn't in this frame.
  const std::optional<std::string> text = llvm::expectedToOptional(RunInFrame(
      frame, llvm::formatv("dwarf variable --json {0}", variable).str()));
  const std::optional<llvm::json::Value> answer =
      text ? llvm::expectedToOptional(llvm::json::parse(*text)) : std::nullopt;
  const llvm::json::Object *object = answer ? answer->getAsObject() : nullptr;
  std::optional<llvm::StringRef> provenance =
      object ? object->getString("provenance") : std::nullopt;
  return provenance ? std::optional(provenance->str()) : std::nullopt;
}

std::optional<LaneStack> lldb_dap::wavelane::GetWaveStack(lldb::SBFrame frame) {
  std::optional<LaneList> list = ListLanes(frame);
  if (!list)
    return std::nullopt;
  for (const LaneRecord &lane : list->lanes) {
    if (!lane.is_active)
      continue;
    std::optional<std::vector<LaneStack>> stacks =
        llvm::expectedToOptional(Ask<std::vector<LaneStack>>(
            frame, llvm::formatv("thread lane backtrace --json --lanes {0}",
                                 lane.lane)));
    return stacks && !stacks->empty() ? std::optional(stacks->front())
                                      : std::nullopt;
  }
  return std::nullopt;
}
