//===-- LaneLog.cpp - Log messages, once for each lane --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneCommands.h"
#include "ThreadLanes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

/// The value of an expression in each active lane; an error becomes the value
/// of all.
static std::map<uint32_t, std::string> Print(lldb::SBFrame frame,
                                             llvm::StringRef expression,
                                             llvm::ArrayRef<uint32_t> lanes) {
  std::map<uint32_t, std::string> texts;
  llvm::Expected<LaneValues> values =
      PrintInLanes(frame, expression, /*all=*/false);
  if (!values) {
    const std::string error = llvm::toString(values.takeError());
    const llvm::StringRef line = llvm::StringRef(error).split('\n').first;
    for (uint32_t lane : lanes)
      texts[lane] = ("<" + line.take_front(200) + ">").str();
    return texts;
  }
  for (LaneValue &value : values->values)
    texts[value.lane] = value.FormatText();
  return texts;
}

std::optional<std::string>
Lanes::FormatLogMessage(lldb::SBFrame frame, llvm::StringRef condition,
                        llvm::ArrayRef<DAP::LogMessagePart> parts) {
  std::optional<LaneList> list = ListLanes(frame);
  if (!list)
    return std::nullopt;
  std::vector<uint32_t> lanes;
  for (const LaneRecord &lane : list->lanes)
    if (lane.is_active)
      lanes.push_back(lane.lane);
  if (!condition.empty()) {
    // Also log lanes in which it can't be evaluated.
    llvm::Expected<std::vector<uint32_t>> without =
        FindLanesWithout(frame, condition);
    if (without)
      llvm::erase_if(lanes, [&](uint32_t lane) {
        return llvm::is_contained(*without, lane);
      });
    else
      llvm::consumeError(without.takeError());
  }
  std::map<uint32_t, std::string> texts;
  for (const auto &[text, is_expression] : parts) {
    std::map<uint32_t, std::string> values;
    if (is_expression)
      values = Print(frame, text, lanes);
    for (uint32_t lane : lanes)
      texts[lane] += is_expression ? values[lane] : text;
  }
  std::string output;
  while (!lanes.empty()) {
    const std::string text = texts[lanes.front()];
    std::vector<uint32_t> alike;
    llvm::copy_if(lanes, std::back_inserter(alike),
                  [&](uint32_t lane) { return texts[lane] == text; });
    llvm::erase_if(lanes, [&](uint32_t lane) { return texts[lane] == text; });
    output +=
        llvm::formatv("{0} ({1}{2}{3})\n", llvm::StringRef(text).rtrim('\n'),
                      list->wave, list->wave.empty() ? "" : ", ",
                      lldb_private::wavelane::NameLanes(alike));
  }
  return output;
}
