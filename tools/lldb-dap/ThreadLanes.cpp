//===-- ThreadLanes.cpp - The lanes of a thread, as a client sees them ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadLanes.h"
#include "ClientSession.h"
#include "DAPError.h"
#include "EventHelper.h"
#include "Ids.h"
#include "LaneCommands.h"
#include "ProtocolUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;
using protocol::Variable;

static constexpr llvm::StringLiteral FocusName("focus");

static Variable MakeVariable(std::string name, std::string value,
                             int64_t reference = 0) {
  Variable variable;
  variable.name = std::move(name);
  variable.value = std::move(value);
  variable.variablesReference = reference;
  return variable;
}

void Lanes::Clear() {
  m_entries.clear();
  m_frame = lldb::SBFrame();
  m_scope = 0;
}

int64_t Lanes::AddEntry(Entry entry) {
  const int64_t reference =
      m_session.variables.GetNewVariableReference(/*is_permanent=*/false);
  m_entries[reference] = std::move(entry);
  return reference;
}

std::optional<protocol::Scope>
Lanes::CreateScope(const std::optional<LaneList> &list) {
  m_scope = list ? AddEntry({Kind::Scope, m_frame, 0, ""}) : 0;
  if (!list)
    return std::nullopt;
  protocol::Scope scope;
  scope.name = "Lanes";
  scope.variablesReference = m_scope;
  scope.namedVariables = list->lanes.size() + 2;
  return scope;
}

std::vector<Variable> Lanes::GetScopeVariables(lldb::SBFrame frame) {
  std::vector<Variable> variables;
  std::optional<LaneList> list = ListLanes(frame);
  if (!list)
    return variables;
  variables.push_back(
      MakeVariable(FocusName.str(), std::to_string(list->focus)));
  variables.push_back(MakeVariable("variables", "in all lanes",
                                   AddEntry({Kind::Variables, frame, 0, ""})));
  for (const LaneRecord &lane : list->lanes)
    variables.push_back(
        MakeVariable(llvm::formatv("lane {0}", lane.lane),
                     lane.Describe() + (lane.has_focus ? ", focus lane" : ""),
                     AddEntry({Kind::Lane, frame, lane.lane, ""})));
  return variables;
}

/// The variables of one lane, as they are now: the lane isn't selected later
/// on.
std::vector<Variable> Lanes::GetLaneVariables(lldb::SBFrame frame,
                                              uint32_t lane, bool hex) {
  std::vector<Variable> variables;
  std::optional<LaneList> list = ListLanes(frame);
  if (!list)
    return variables;
  Select(frame, lane);
  lldb::SBTarget target = frame.GetThread().GetProcess().GetTarget();
  lldb::SBValueList values = frame.GetVariables(true, true, false, true);
  for (uint32_t i = 0; i < values.GetSize(); ++i) {
    lldb::SBValue value = values.GetValueAtIndex(i);
    lldb::SBData data = value.GetData();
    lldb::SBValue copy =
        data.IsValid() && value.GetError().Success()
            ? target.CreateValueFromData(value.GetName(), data, value.GetType())
            : value;
    const protocol::Configuration &configuration = m_session.configuration;
    auto show = [&](lldb::SBValue shown) {
      return CreateVariable(
          shown,
          m_session.variables.InsertVariable(copy, /*is_permanent=*/false), hex,
          configuration.enableAutoVariableSummaries,
          configuration.enableSyntheticChildDebugging,
          /*is_name_duplicated=*/false);
    };
    variables.push_back(show(copy));
    // The frame's own variable says where its value is from.
    if (value.GetSummary())
      variables.back().value = show(value).value;
  }
  Select(frame, list->focus);
  return variables;
}

/// The variables by name, to be unfolded.
static std::vector<std::string> GetNames(lldb::SBFrame frame) {
  std::vector<std::string> names;
  lldb::SBValueList values = frame.GetVariables(true, true, false, true);
  for (uint32_t i = 0; i < values.GetSize(); ++i)
    if (const char *name = values.GetValueAtIndex(i).GetName())
      names.push_back(name);
  return names;
}

/// One variable in all lanes.
static std::vector<Variable> GetInLanes(lldb::SBFrame frame,
                                        llvm::StringRef name) {
  llvm::Expected<LaneValues> values = PrintInLanes(frame, name, /*all=*/true);
  if (!values)
    return {MakeVariable("<error>", llvm::toString(values.takeError()))};
  std::vector<Variable> variables;
  for (LaneValue &value : values->values)
    variables.push_back(
        MakeVariable(llvm::formatv("lane {0}{1}", value.lane,
                                   value.is_active ? "" : " (inactive)"),
                     value.FormatText()));
  return variables;
}

std::vector<Variable> Lanes::GetVariables(int64_t reference, bool hex) {
  const Entry entry = m_entries.at(reference);
  switch (entry.kind) {
  case Kind::Scope:
    return GetScopeVariables(entry.frame);
  case Kind::Lane:
    return GetLaneVariables(entry.frame, entry.lane, hex);
  case Kind::Variables: {
    std::vector<Variable> variables;
    for (const std::string &name : GetNames(entry.frame))
      variables.push_back(MakeVariable(
          name, "", AddEntry({Kind::Variable, entry.frame, 0, name})));
    return variables;
  }
  case Kind::Variable:
    return GetInLanes(entry.frame, entry.name);
  }
  return {};
}

bool Lanes::Select(lldb::SBFrame frame, uint32_t lane) {
  llvm::Expected<std::string> result =
      RunInFrame(frame, llvm::formatv("thread lane select {0}", lane));
  if (result)
    return true;
  llvm::consumeError(result.takeError());
  return false;
}

llvm::Expected<std::string> Lanes::SetVariable(int64_t reference,
                                               llvm::StringRef name,
                                               llvm::StringRef value) {
  const Entry entry = m_entries.at(reference);
  if (entry.kind != Kind::Scope || name != FocusName)
    return llvm::make_error<DAPError>(llvm::formatv(
        "'{0}' can't be set here: make the lane the focus lane and set it in "
        "its own scope",
        name));
  uint32_t lane;
  if (value.trim().getAsInteger(0, lane))
    return llvm::make_error<DAPError>(
        llvm::formatv("invalid lane number '{0}'", value));
  llvm::Expected<std::string> result =
      RunInFrame(entry.frame, llvm::formatv("thread lane select {0}", lane));
  if (!result)
    return llvm::make_error<DAPError>(llvm::toString(result.takeError()));
  return std::to_string(lane);
}

std::optional<uint32_t> Lanes::GetFocus() const {
  std::optional<LaneList> list = ListLanes(m_frame);
  return list ? std::optional<uint32_t>(list->focus) : std::nullopt;
}

void Lanes::NotifyIfChanged(std::optional<uint32_t> before) {
  const std::optional<uint32_t> now = GetFocus();
  if (!now || now == before)
    return;
  if (m_session.clientFeatures.contains(
          protocol::eClientFeatureInvalidatedEvent)) {
    // Areas with threads or stacks would make VS Code select the thread that
    // has stopped.
    NotifyOfThreads();
    m_session.Send(protocol::Event{
        "invalidated",
        llvm::json::Object{{"areas", llvm::json::Array{"variables"}}}});
    return;
  }
  // After a stop every client reads everything again.
  m_session.Send(protocol::Event{
      "stopped",
      llvm::json::Object{
          {"reason", "focus lane"},
          {"description", llvm::formatv("lane {0}", *now).str()},
          {"threadId", int64_t(m_session.GetThreadId(m_frame.GetThread()))},
          {"allThreadsStopped", true}}});
}

void Lanes::NotifyOfThreads() {
  // A client reads the names again for a thread that has started.
  m_session.Send(protocol::Event{
      "thread", llvm::json::Object{{"reason", "started"},
                                   {"threadId", int64_t(m_session.GetThreadId(
                                                    m_frame.GetThread()))}}});
}

void Lanes::NotifyIfThreadsAreStale() {
  const std::optional<uint32_t> focus = GetFocus();
  if (m_session.lanes_as_threads && focus &&
      m_listed != std::pair(m_session.GetThreadId(m_frame.GetThread()), *focus))
    NotifyOfThreads();
}

void Lanes::AddThreads(lldb::SBThread thread,
                       std::vector<protocol::Thread> &threads) {
  m_listed.reset();
  std::optional<LaneList> list = ListLanes(thread.GetFrameAtIndex(0));
  if (!list)
    return;
  const uint64_t thread_id = m_session.GetThreadId(thread);
  m_listed = {thread_id, list->focus};
  ClientId id = ClientId::Decode(thread_id);
  for (const LaneRecord &lane : list->lanes) {
    if (lane.lane > ClientId::MaxLane)
      break;
    id.lane = lane.lane;
    threads.push_back(
        {id.Encode(),
         llvm::formatv("lane {0}: {1}{2}", lane.lane,
                       lane.has_focus ? "focus lane, " : "", lane.Describe())});
  }
}
