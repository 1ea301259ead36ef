//===-- ViewHandlers.cpp - What an editor's own views ask for -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two requests beside the protocol's. A client that doesn't know them misses
// nothing that it could not have by commands of its console.

#include "LaneCommands.h"
#include "SessionHandler.h"
#include "lldb/API/SBCommandInterpreter.h"
#include "lldb/API/SBCommandReturnObject.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

namespace {
/// The client's views show why.
llvm::Error QuietError(std::string message) {
  return llvm::make_error<DAPError>(std::move(message),
                                    llvm::inconvertibleErrorCode(),
                                    /*show_user=*/false);
}

/// Why nothing can be asked now.
llvm::Error CheckIsStopped(Session &session) {
  if (session.target.GetProcess().GetState() == lldb::eStateExited)
    return QuietError("The program has ended.");
  if (session.IsRunning())
    return QuietError("The program is running.");
  return llvm::Error::success();
}

struct CommandArguments {
  std::string command_line;
  uint64_t frame_id = LLDB_DAP_INVALID_FRAME_ID;
};
bool fromJSON(const llvm::json::Value &value, CommandArguments &arguments,
              llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("commandLine", arguments.command_line) &&
         map.mapOptional("frameId", arguments.frame_id);
}

struct CommandResponseBody {
  std::string text;
};
llvm::json::Value toJSON(const CommandResponseBody &body) {
  return llvm::json::Object{{"text", llvm::json::fixUTF8(body.text)}};
}

/// Runs a command and answers with what it prints. Unlike 'evaluate', it
/// selects nothing, and leaves no trace in the commands' history. A command
/// that fails fails the request.
class CommandHandler final
    : public RequestHandler<CommandArguments,
                            llvm::Expected<CommandResponseBody>> {
public:
  explicit CommandHandler(DAP &dap)
      : RequestHandler(dap), m_session(static_cast<Session &>(dap)) {}
  static llvm::StringLiteral GetCommand() { return "wavelaneCommand"; }

  llvm::Expected<CommandResponseBody>
  Run(const CommandArguments &arguments) const override {
    m_focus = std::nullopt;
    if (llvm::Error error = CheckIsStopped(m_session))
      return error;
    llvm::Expected<std::string> text = RunCommand(arguments);
    if (!text)
      return QuietError(llvm::toString(text.takeError()));
    return CommandResponseBody{std::move(*text)};
  }

  void PostRun() const override {
    if (m_focus)
      m_session.lanes.NotifyIfChanged(m_focus);
  }

private:
  llvm::Expected<std::string>
  RunCommand(const CommandArguments &arguments) const {
    if (arguments.frame_id == LLDB_DAP_INVALID_FRAME_ID)
      return wavelane::RunCommand(m_session.debugger, arguments.command_line);
    lldb::SBFrame frame = m_session.GetLLDBFrame(arguments.frame_id);
    if (!frame.IsValid())
      return NoSuchFrame();
    m_session.lanes.SetFrame(frame);
    m_focus = m_session.lanes.GetFocus();
    return RunInFrame(frame, arguments.command_line);
  }

  Session &m_session;
  /// The focus lane before the command.
  mutable std::optional<uint32_t> m_focus;
};

struct SelectArguments {
  uint64_t thread = 0;
};
bool fromJSON(const llvm::json::Value &value, SelectArguments &arguments,
              llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("thread", arguments.thread);
}

/// Selects a wave by the id that `gpu wave list --json` has for its thread, and
/// makes the client show it. The protocol has no request for that.
class SelectHandler final
    : public RequestHandler<SelectArguments, llvm::Error> {
public:
  explicit SelectHandler(DAP &dap)
      : RequestHandler(dap), m_session(static_cast<Session &>(dap)) {}
  static llvm::StringLiteral GetCommand() { return "wavelaneSelect"; }

  llvm::Error Run(const SelectArguments &arguments) const override {
    if (llvm::Error error = CheckIsStopped(m_session))
      return error;
    for (lldb::SBTarget &target : m_session.targets.GetAll()) {
      if (target == m_session.target)
        continue;
      m_selected = target.GetProcess().GetThreadByID(arguments.thread);
      if (m_selected.IsValid())
        return llvm::Error::success();
    }
    return QuietError("The wave has ended.");
  }

  void PostRun() const override {
    if (!m_selected.IsValid())
      return;
    m_session.SelectFrame(m_selected.GetSelectedFrame());
    m_session.ReportSelection(m_selected);
    m_selected = lldb::SBThread();
  }

private:
  Session &m_session;
  mutable lldb::SBThread m_selected;
};
} // namespace

void lldb_dap::wavelane::RegisterViewHandlers(Session &session) {
  session.RegisterRequest<CommandHandler>();
  session.RegisterRequest<SelectHandler>();
}
