//===-- WaveStatusline.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveStatusline.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/OptionValue.h"
#include "lldb/Utility/Event.h"
#include "lldb/Utility/Listener.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void wavelane::AddWaveToStatusline(Debugger &debugger) {
  constexpr llvm::StringLiteral kName = "statusline-format";
  constexpr llvm::StringLiteral kItem = "{ ${separator}";
  Status error;
  OptionValueSP value_sp = debugger.GetPropertyValue(nullptr, kName, error);
  if (!value_sp || value_sp->OptionWasSet())
    return;
  StreamString text;
  value_sp->DumpValue(nullptr, text, OptionValue::eDumpOptionValue);
  std::string format = text.GetString().trim('"').str();
  // After the program's name.
  const size_t place = std::min(format.find(kItem), format.size());
  format.insert(place, (kItem + "${thread.info." + kShownName + "}}").str());
  debugger.SetPropertyValue(nullptr, eVarSetOperationAssign, kName, format);
}

namespace {
/// The thread that takes this event from the queue draws the status line.
class Redraw : public EventData {
public:
  explicit Redraw(Debugger &debugger)
      : m_debugger_wp(debugger.shared_from_this()) {}
  llvm::StringRef GetFlavor() const override { return "wavelane::Redraw"; }
  void DoOnRemoval(Event *) override {
    if (DebuggerSP debugger_sp = m_debugger_wp.lock())
      debugger_sp->RedrawStatusline(
          debugger_sp->GetSelectedExecutionContextRef());
  }

private:
  DebuggerWP m_debugger_wp;
};
} // namespace

void wavelane::RedrawStatuslineForSelected(Debugger &debugger) {
  // A command's thread mustn't draw: it may hold a lock that the drawing thread
  // waits for.
  if (!debugger.IsHandlingEvents() || !debugger.GetShowStatusline())
    return;
  EventSP event_sp =
      std::make_shared<Event>(/*event_type=*/0, new Redraw(debugger));
  debugger.GetListener()->AddEvent(event_sp);
}
