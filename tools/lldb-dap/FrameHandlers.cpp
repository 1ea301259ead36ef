//===-- FrameHandlers.cpp - What a frame shows ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ids.h"
#include "JSONUtils.h"
#include "LaneCommands.h"
#include "SessionHandler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

namespace {
/// The address at which the client reads memory for a pointer: that of its
/// target.
std::optional<lldb::addr_t> GetPointee(lldb::SBValue value) {
  if (!value.GetType().IsPointerType() && !value.GetType().IsReferenceType())
    return std::nullopt;
  const lldb::addr_t address = value.GetValueAsUnsigned(0);
  return address ? std::optional<lldb::addr_t>(address) : std::nullopt;
}

/// What is said after the focus lane's number.
const char *GetState(const LaneList &list) {
  return list.lanes[list.focus].is_active ? "" : ", inactive";
}

class ScopesHandler final : public SessionHandler<ScopesRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    lldb::SBFrame frame = session.GetLLDBFrame(arguments.frameId);
    if (!frame.IsValid())
      return NoSuchFrame();
    session.SelectFrame(frame);
    session.lanes.SetFrame(frame);
    // LLDB caches them by the frame's number. A lane of the frame may have
    // other variables.
    ClientId id = ClientId::Decode(arguments.frameId);
    id.lane = session.lanes.GetFocus();
    protocol::ScopesResponseBody body;
    body.scopes = session.variables.CreateScopes(id.Encode(), frame);
    session.locals_scope = body.scopes.front().variablesReference;
    const std::optional<LaneList> list = ListLanes(frame);
    if (list && *GetState(*list))
      body.scopes.front().name +=
          llvm::formatv(" (lane {0}{1})", list->focus, GetState(*list));
    if (std::optional<protocol::Scope> lanes = session.lanes.CreateScope(list))
      body.scopes.insert(body.scopes.begin() + 1, *lanes);
    return body;
  }

  void PostRun() const override { session.lanes.NotifyIfThreadsAreStale(); }
};

class VariablesHandler final : public SessionHandler<VariablesRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    const int64_t reference = arguments.variablesReference;
    if (session.lanes.Owns(reference))
      return protocol::VariablesResponseBody{session.lanes.GetVariables(
          reference, arguments.format && arguments.format->hex)};
    lldb::SBValue value = session.variables.GetVariable(reference);
    if (!value.IsValid() && !session.variables.GetTopLevelScope(reference))
      return llvm::make_error<DAPError>(
          "These variables are gone: the program has run since. Ask for the "
          "scopes again.");
    Response body =
        RunStock(arguments, value.IsValid() ? value.GetTarget()
                                            : session.targets.GetSelected());
    if (body)
      for (protocol::Variable &variable : body->variables)
        AddFacts(variable);
    return body;
  }

private:
  /// Adds what LLDB's adapter leaves out of a value.
  void AddFacts(protocol::Variable &variable) const {
    lldb::SBValue value = session.variables.GetVariable(
        variable.declarationLocationReference
            ? UnpackLocation(variable.declarationLocationReference).first
            : variable.variablesReference);
    if (auto address = GetPointee(value))
      variable.memoryReference = *address;
    // A value that isn't the current one has its mark as a summary.
    const lldb::ValueType type = value.GetValueType();
    if ((type != lldb::eValueTypeVariableLocal &&
         type != lldb::eValueTypeVariableArgument) ||
        !value.GetSummary())
      return;
    std::optional<std::string> provenance =
        FindProvenance(value.GetFrame(), value.GetName());
    if (!provenance || *provenance == "current")
      return;
    if (!variable.presentationHint)
      variable.presentationHint.emplace();
    // A wave wouldn't see a change of such a value.
    std::vector<std::string> &attributes =
        variable.presentationHint->attributes;
    if (!llvm::is_contained(attributes, "readOnly"))
      attributes.push_back("readOnly");
    attributes.push_back(std::move(*provenance));
  }
};

class SetVariableHandler final
    : public SessionHandler<SetVariableRequestHandler> {
public:
  using SessionHandler::SessionHandler;

  Response Run(const Arguments &arguments) const override {
    m_focus = session.lanes.GetFocus();
    Arguments complete = arguments;
    // A client may leave out the variable's container.
    if (complete.variablesReference == 0)
      complete.variablesReference =
          session.variables.FindVariable(session.locals_scope, arguments.name)
                  .IsValid()
              ? session.locals_scope
              : session.lanes.GetScope();
    if (!session.lanes.Owns(complete.variablesReference))
      return RunStock(complete);
    llvm::Expected<std::string> value = session.lanes.SetVariable(
        complete.variablesReference, complete.name, complete.value);
    if (!value)
      return value.takeError();
    protocol::SetVariableResponseBody body;
    body.value = *value;
    return body;
  }

  void PostRun() const override { session.lanes.NotifyIfChanged(m_focus); }

private:
  mutable std::optional<uint32_t> m_focus;
};

class EvaluateHandler final : public SessionHandler<EvaluateRequestHandler> {
public:
  using SessionHandler::SessionHandler;

  Response Run(const Arguments &arguments) const override {
    const bool is_repl = arguments.context == protocol::eEvaluateContextRepl;
    m_focus = is_repl ? session.lanes.GetFocus() : std::nullopt;
    lldb::SBFrame frame = session.GetLLDBFrame(arguments.frameId);
    if (!frame.IsValid() && !is_repl &&
        arguments.frameId != LLDB_DAP_INVALID_FRAME_ID)
      return NoSuchFrame();
    if (frame.IsValid() && is_repl)
      session.focus = session.GetThreadId(frame.GetThread());
    m_before = is_repl ? GetSelected() : Selection();
    Response body = RunStock(arguments);
    // What is shown for the cursor says whose value it is.
    if (body && arguments.context == protocol::eEvaluateContextHover)
      if (std::optional<LaneList> lanes = ListLanes(frame))
        body->result +=
            llvm::formatv(" (lane {0}{1})", lanes->focus, GetState(*lanes));
    if (body && body->variablesReference)
      if (auto address = GetPointee(
              session.variables.GetVariable(body->variablesReference)))
        body->memoryReference = EncodeMemoryReference(*address);
    return body;
  }

  void PostRun() const override {
    if (m_focus)
      session.lanes.NotifyIfChanged(m_focus);
    // 'thread select' of the console: the editor shows that thread.
    if (!m_before.thread.IsValid() || session.IsRunning())
      return;
    Selection now = GetSelected();
    if (now.thread.IsValid() && now.stop_id == m_before.stop_id &&
        session.GetThreadId(now.thread) != session.GetThreadId(m_before.thread))
      session.ReportSelection(now.thread);
  }

private:
  struct Selection {
    lldb::SBThread thread;
    /// That of the client's process.
    uint32_t stop_id = 0;
  };
  Selection GetSelected() const {
    return {session.targets.GetSelected().GetProcess().GetSelectedThread(),
            session.target.GetProcess().GetStopID()};
  }

  mutable std::optional<uint32_t> m_focus;
  mutable Selection m_before;
};

class CompletionsHandler final
    : public SessionHandler<CompletionsRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    lldb::SBFrame frame = session.GetLLDBFrame(arguments.frameId);
    if (frame.IsValid())
      session.SelectFrame(frame);
    return RunStock(arguments);
  }
};
} // namespace

void lldb_dap::wavelane::RegisterFrameHandlers(Session &session) {
  session.RegisterRequest<ScopesHandler>();
  session.RegisterRequest<VariablesHandler>();
  session.RegisterRequest<SetVariableHandler>();
  session.RegisterRequest<EvaluateHandler>();
  session.RegisterRequest<CompletionsHandler>();
}
