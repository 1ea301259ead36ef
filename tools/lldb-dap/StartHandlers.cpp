//===-- StartHandlers.cpp - How a session begins and ends -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DAPLog.h"
#include "EventHelper.h"
#include "ProtocolUtils.h"
#include "SessionHandler.h"
#include "lldb/API/SBStructuredData.h"

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
/// wait for it before they continue with the configuration. Others wait for
/// `initialized` first, after a failure, too.
template <typename Stock> class StartHandler final : public BaseRequestHandler {
  using Arguments = typename RunSignature<decltype(&Stock::Run)>::Arguments;

public:
  using BaseRequestHandler::BaseRequestHandler;
  static llvm::StringLiteral GetCommand() { return Stock::GetCommand(); }

  void operator()(const protocol::Request &request) const override {
    protocol::Response response;
    response.request_seq = request.seq;
    response.command = request.command;
    llvm::Expected<Arguments> arguments =
        parseArgs<Arguments>(Complete(request));
    if (!arguments)
      return SendError(arguments.takeError(), response);
    Session &session = static_cast<Session &>(dap);
    std::unique_lock<std::mutex> lock = Prepare(session, *arguments);
    llvm::Error error = Start(session, request, *arguments);
    session.WaitForThreads();
    if (error) {
      SendError(std::move(error), response);
    } else {
      session.Begin();
      SendSuccess(response);
    }
    dap.Send(protocol::Event{"initialized"});
  }

private:
  static std::unique_lock<std::mutex>
  Prepare(Session &, const protocol::LaunchRequestArguments &) {
    return {};
  }
  /// \return The lock of the job of which it becomes a session.
  static std::unique_lock<std::mutex>
  Prepare(Session &session, protocol::AttachRequestArguments &arguments) {
    if (!arguments.session)
      return {};
    session.targets.SetIsChild();
    std::shared_ptr<JobSessions> job =
        JobSessions::Find(arguments.session->debuggerId);
    if (!job)
      return {};
    std::unique_lock<std::mutex> lock(job->GetMutex());
    session.JoinJob(std::move(job), arguments);
    return lock;
  }

  /// \return Null if the request isn't about a job.
  static const llvm::json::Value *FindJob(const protocol::Request &request) {
    const llvm::json::Object *given =
        request.arguments ? request.arguments->getAsObject() : nullptr;
    return given ? given->get("job") : nullptr;
  }
  /// LLDB's attach needs something that it knows.
  static protocol::Request Complete(const protocol::Request &request) {
    protocol::Request result = request;
    if (request.command == AttachRequestHandler::GetCommand() &&
        FindJob(request))
      result.arguments->getAsObject()->insert(
          {"attachCommands", llvm::json::Array{"job attach"}});
    return result;
  }

  llvm::Error Start(Session &session, const protocol::Request &request,
                    const protocol::AttachRequestArguments &arguments) const {
    const llvm::json::Value *job = FindJob(request);
    if (!job)
      return Stock(dap).Run(arguments);
    // One process or file may stand alone.
    std::vector<std::string> words;
    const llvm::json::Array *list = job->getAsArray();
    for (const llvm::json::Value &word :
         list ? *list : llvm::json::Array{*job}) {
      if (auto text = word.getAsString())
        words.push_back(text->str());
      else if (auto number = word.getAsInteger())
        words.push_back(std::to_string(*number));
      else
        return llvm::make_error<DAPError>(
            "'job' has processes, or core files.");
    }
    return JobSessions::Attach(session, arguments.configuration, words);
  }
  llvm::Error Start(Session &session, const protocol::Request &request,
                    const protocol::LaunchRequestArguments &arguments) const {
    const llvm::json::Value *job = FindJob(request);
    if (!job)
      return Stock(dap).Run(arguments);
    std::vector<std::string> launcher;
    llvm::json::Path::Root root("job");
    if (!fromJSON(*job, launcher, root))
      return root.getError();
    return JobSessions::Launch(session, arguments, launcher);
  }
};

class ConfigurationDoneHandler final
    : public SessionHandler<ConfigurationDoneRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    if (session.job)
      return ConfigureJob();
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
  void PostRun() const override {
    if (session.IsParentOfJob())
      session.job->StartChildren();
    else if (session.job)
      session.job->Configured(session);
  }

private:
  /// The ranks run when all sessions are configured.
  Response ConfigureJob() const {
    session.configuration_done = true;
    session.SetRunning(true);
    if (!session.IsParentOfJob()) {
      lldb::SBProcess process = session.target.GetProcess();
      session.initial_thread_list = GetThreads(process, session.thread_format);
      SendExtraCapabilities(session);
      SendProcessEvent(session, Attach);
    }
    return llvm::Error::success();
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
    if (session.job)
      PrepareEnd(arguments ? arguments->terminateDebuggee : std::nullopt);
    // The session ends even so, such as that of a core file, from which LLDB
    // can't detach.
    if (llvm::Error error = RunStock(arguments))
      DAP_LOG_ERROR(session.log, std::move(error), "disconnect: {0}");
    return llvm::Error::success();
  }

private:
  void PrepareEnd(std::optional<bool> terminates) const {
    if (session.IsParentOfJob())
      return session.job->End(
          terminates.value_or(session.job->EndsByDefault()));
    // The rank of a client that is gone is left to the job.
    const bool leaves = !terminates;
    if (!leaves && *terminates && RunsAsOne())
      llvm::consumeError(session.job->Kill());
    if (leaves)
      session.target = lldb::SBTarget();
  }
  bool RunsAsOne() const {
    char text[16] = "";
    session.debugger.GetSetting("plugin.process.amdgpu.run-unit")
        .GetStringValue(text, sizeof(text));
    return llvm::StringRef(text) != "rank";
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
