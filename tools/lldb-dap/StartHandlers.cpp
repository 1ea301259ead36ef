//===-- StartHandlers.cpp - How a session begins and ends -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DAPLog.h"
#include "SessionHandler.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

namespace {
class InitializeHandler final
    : public SessionHandler<InitializeRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    Response capabilities = RunStock(arguments);
    if (capabilities && *capabilities)
      for (auto &filter : session.setting_filters.GetFilters())
        (*capabilities)->exceptionBreakpointFilters.push_back(filter);
    return capabilities;
  }
};

/// Launch or attach. The client learns at once whether that has worked: some
/// wait for it before they continue with the configuration, and after a failure
/// there is nothing to configure.
template <typename Stock> class StartHandler final : public BaseRequestHandler {
  using Arguments = typename RunSignature<decltype(&Stock::Run)>::Arguments;

public:
  using BaseRequestHandler::BaseRequestHandler;
  static llvm::StringLiteral GetCommand() { return Stock::GetCommand(); }

  void operator()(const protocol::Request &request) const override {
    protocol::Response response;
    response.request_seq = request.seq;
    response.command = request.command;
    llvm::Expected<Arguments> arguments = parseArgs<Arguments>(request);
    if (!arguments)
      return SendError(arguments.takeError(), response);
    Session &session = static_cast<Session &>(dap);
    Prepare(session, *arguments);
    llvm::Error error = Stock(dap).Run(*arguments);
    session.WaitForThreads();
    if (error)
      return SendError(std::move(error), response);
    session.Begin();
    SendSuccess(response);
    dap.Send(protocol::Event{"initialized"});
  }

private:
  static void Prepare(Session &, const protocol::LaunchRequestArguments &) {}
  static void Prepare(Session &session,
                      const protocol::AttachRequestArguments &arguments) {
    if (arguments.session)
      session.targets.SetIsChild();
  }
};

class ConfigurationDoneHandler final
    : public SessionHandler<ConfigurationDoneRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    session.SetRunning(!session.stop_at_entry);
    llvm::Error error = RunStock(arguments);
    if (error)
      session.SetRunning(false);
    session.focus = session.focus_tid;
    // LLDB reports the host's threads only.
    if (!error && session.stop_at_entry)
      session.ReportStopOfWave();
    return error;
  }
};

class RestartHandler final : public SessionHandler<RestartRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    session.known_threads.clear();
    session.SetRunning(!session.stop_at_entry);
    llvm::Error error = RunStock(arguments);
    if (error)
      session.SetRunning(false);
    session.interrupter.SetProcess(session.target.GetProcess());
    return error;
  }
};

class DisconnectHandler final
    : public SessionHandler<DisconnectRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    // The session ends even so, such as that of a core file, from which LLDB
    // can't detach.
    if (llvm::Error error = RunStock(arguments))
      DAP_LOG_ERROR(session.log, std::move(error), "disconnect: {0}");
    return llvm::Error::success();
  }
};
} // namespace

void lldb_dap::wavelane::RegisterStartHandlers(Session &session) {
  session.RegisterRequest<InitializeHandler>();
  session.RegisterRequest<StartHandler<LaunchRequestHandler>>();
  session.RegisterRequest<StartHandler<AttachRequestHandler>>();
  session.RegisterRequest<ConfigurationDoneHandler>();
  session.RegisterRequest<RestartHandler>();
  session.RegisterRequest<DisconnectHandler>();
}
