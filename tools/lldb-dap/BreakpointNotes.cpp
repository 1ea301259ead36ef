//===-- BreakpointNotes.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BreakpointNotes.h"
#include "LaneCommands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

void BreakpointNotes::Ask(int64_t id, std::string path, uint32_t line) {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_wanted[id] = {std::move(path), line};
}

void BreakpointNotes::AddTo(protocol::Breakpoint &breakpoint,
                            lldb::SBDebugger debugger) const {
  if (!breakpoint.verified || !breakpoint.id)
    return;
  Place wanted;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    auto known = m_wanted.find(*breakpoint.id);
    if (known == m_wanted.end())
      return;
    wanted = known->second;
  }
  llvm::Expected<std::string> text = RunCommand(
      debugger, llvm::formatv("wavelane why-not --json -- \"{0}:{1}\"",
                              wanted.path, wanted.line)
                    .str());
  llvm::Expected<llvm::json::Value> facts =
      text ? llvm::json::parse(*text) : text.takeError();
  if (!facts)
    return llvm::consumeError(facts.takeError());
  const llvm::json::Object *object = facts->getAsObject();
  const llvm::json::Array *places =
      object ? object->getArray("breakpoints") : nullptr;
  if (!places)
    return;
  const std::string id = std::to_string(*breakpoint.id) + ".";
  std::set<std::string> notes;
  bool moves = false, stops = false;
  for (const llvm::json::Value &value : *places)
    if (const llvm::json::Object *place = value.getAsObject();
        place && place->getString("id").value_or("").starts_with(id)) {
      for (const char *key : {"moved", "missing"})
        if (const llvm::StringRef note = place->getString(key).value_or("");
            !note.empty())
          notes.insert(note.str());
      moves |= !place->getString("moved").value_or("").empty();
      stops |= place->getBoolean("enabled").value_or(false);
    }
  if (notes.empty())
    return;
  breakpoint.message = llvm::join(notes, "; ");
  if (moves && !stops) {
    breakpoint.verified = false;
    breakpoint.line = wanted.line;
    breakpoint.reason = protocol::BreakpointReason::eBreakpointReasonFailed;
  }
}
