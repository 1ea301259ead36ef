//===-- LaneCommands.cpp - What the commands `thread lane` tell -----------===//
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
namespace json = llvm::json;

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
  if (result.Succeeded())
    return std::string(result.GetOutput() ? result.GetOutput() : "");
  llvm::StringRef error = result.GetError() ? result.GetError() : "";
  error.consume_front("error: ");
  return llvm::createStringError(error.rtrim().str());
}

static std::string Describe(const json::Object &lane) {
  std::string text =
      lane.getBoolean("active").value_or(true) ? "active" : "inactive";
  if (const json::Array *item = lane.getArray("work_item")) {
    text += ", work-item (";
    for (size_t i = 0; i < item->size(); ++i)
      text += llvm::formatv("{0}{1}", i ? "," : "",
                            (*item)[i].getAsInteger().value_or(0));
    text += ')';
  }
  if (std::optional<llvm::StringRef> line = lane.getString("line"))
    text += (", " + *line).str();
  return text;
}

std::optional<LaneList> lldb_dap::wavelane::ListLanes(lldb::SBFrame frame) {
  if (!frame.IsValid())
    return std::nullopt;
  llvm::Expected<std::string> text =
      RunInFrame(frame, "thread lane list --json");
  llvm::Expected<json::Value> value =
      text ? json::parse(*text) : text.takeError();
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *object = value->getAsObject();
  const json::Array *lanes = object ? object->getArray("lanes") : nullptr;
  if (!lanes || object->getInteger("lane_count").value_or(1) < 2)
    return std::nullopt;
  LaneList list;
  list.focus = object->getInteger("focus").value_or(0);
  for (const json::Value &entry : *lanes)
    if (const json::Object *lane = entry.getAsObject())
      if (std::optional<int64_t> number = lane->getInteger("lane"))
        list.lanes.push_back({uint32_t(*number),
                              lane->getBoolean("active").value_or(true),
                              Describe(*lane)});
  return list;
}

llvm::Expected<std::vector<LaneValue>>
lldb_dap::wavelane::PrintInLanes(lldb::SBFrame frame,
                                 llvm::StringRef expression, bool all) {
  llvm::Expected<std::string> text =
      RunInFrame(frame, llvm::formatv("thread lane print {0}--json -- {1}",
                                      all ? "--all " : "", expression));
  if (!text)
    return text.takeError();
  llvm::Expected<json::Value> value = json::parse(*text);
  if (!value)
    return value.takeError();
  const json::Object *object = value->getAsObject();
  const json::Array *entries =
      object ? object->getArray("values") : value->getAsArray();
  std::vector<LaneValue> values;
  for (size_t i = 0; entries && i < entries->size(); ++i)
    if (const json::Object *entry = (*entries)[i].getAsObject())
      values.push_back({uint32_t(entry->getInteger("lane").value_or(0)),
                        entry->getBoolean("active").value_or(true),
                        entry->getString("value")
                            .value_or(entry->getString("error").value_or(""))
                            .str()});
  return values;
}
