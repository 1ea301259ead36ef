//===-- RunHandlers.cpp - Resuming and stopping the program ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LLDBUtils.h"
#include "LaneCommands.h"
#include "SessionHandler.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

namespace {
class ContinueHandler final : public SessionHandler<ContinueRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    lldb::SBProcess process = session.targets.GetStoppedProcess();
    if (llvm::Error error = session.Resume(process, [&]() -> llvm::Error {
          // Of the job or of the rank, as a setting says.
          if (session.job)
            return RunCommand(session.debugger, "continue").takeError();
          if (arguments.singleThread)
            return RunStock(arguments).takeError();
          return ToError(process.Continue());
        }))
      return error;
    protocol::ContinueResponseBody body;
    body.allThreadsContinued = !arguments.singleThread;
    return body;
  }
};

/// A step of a thread of any target.
template <typename Stock>
class StepHandler final : public SessionHandler<Stock> {
  using Base = SessionHandler<Stock>;

public:
  using Base::Base;
  BaseRequestHandler::FeatureSet GetSupportedFeatures() const override {
    BaseRequestHandler::FeatureSet features = Base::GetSupportedFeatures();
    features.insert(protocol::eAdapterFeatureSteppingGranularity);
    return features;
  }
  llvm::Error Run(const typename Base::Arguments &arguments) const override {
    Session &session = this->session;
    lldb::SBThread thread = session.GetLLDBThread(arguments.threadId);
    if (!thread.IsValid())
      return NoSuchThread();
    session.focus = session.GetThreadId(thread);
    return session.Resume(thread.GetProcess(),
                          [&] { return this->RunStock(arguments); });
  }
};

/// "stepBack": a wave goes back by a line, or by an instruction. LLDB has no
/// such request.
class StepBackHandler final
    : public RequestHandler<protocol::NextArguments, protocol::NextResponse> {
public:
  explicit StepBackHandler(DAP &dap)
      : RequestHandler(dap), m_session(static_cast<Session &>(dap)) {}
  static llvm::StringLiteral GetCommand() { return "stepBack"; }

  llvm::Error Run(const protocol::NextArguments &arguments) const override {
    lldb::SBThread thread = m_session.GetLLDBThread(arguments.threadId);
    if (!thread.IsValid())
      return NoSuchThread();
    const bool is_instruction =
        arguments.granularity == protocol::eSteppingGranularityInstruction;
    m_session.focus = m_session.GetThreadId(thread);
    return m_session.Resume(thread.GetProcess(), [&]() -> llvm::Error {
      return RunInFrame(thread.GetFrameAtIndex(0),
                        is_instruction ? "reverse-nexti" : "reverse-next")
          .takeError();
    });
  }

private:
  Session &m_session;
};

struct ReverseContinueArguments {
  uint64_t thread_id = 0;
};
bool fromJSON(const llvm::json::Value &value,
              ReverseContinueArguments &arguments, llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.map("threadId", arguments.thread_id);
}

/// "reverseContinue": all waves go back to the stop before.
class ReverseContinueHandler final
    : public RequestHandler<ReverseContinueArguments, llvm::Error> {
public:
  explicit ReverseContinueHandler(DAP &dap)
      : RequestHandler(dap), m_session(static_cast<Session &>(dap)) {}
  static llvm::StringLiteral GetCommand() { return "reverseContinue"; }

  llvm::Error Run(const ReverseContinueArguments &arguments) const override {
    lldb::SBThread thread = m_session.GetLLDBThread(arguments.thread_id);
    if (!thread.IsValid())
      return NoSuchThread();
    m_session.focus = m_session.GetThreadId(thread);
    return m_session.Resume(thread.GetProcess(), [&]() -> llvm::Error {
      return RunInFrame(thread.GetFrameAtIndex(0), "reverse-continue")
          .takeError();
    });
  }

private:
  Session &m_session;
};

class PauseHandler final : public SessionHandler<PauseRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    if (!session.IsRunning())
      return llvm::make_error<DAPError>("The program isn't running.");
    if (session.IsParentOfJob())
      session.job->Pause();
    else
      session.interrupter.Start(arguments.threadId);
    return llvm::Error::success();
  }
};
} // namespace

void lldb_dap::wavelane::RegisterRunHandlers(Session &session) {
  session.RegisterRequest<ContinueHandler>();
  session.RegisterRequest<StepHandler<NextRequestHandler>>();
  session.RegisterRequest<StepHandler<StepInRequestHandler>>();
  session.RegisterRequest<StepHandler<StepOutRequestHandler>>();
  session.RegisterRequest<StepBackHandler>();
  session.RegisterRequest<ReverseContinueHandler>();
  session.RegisterRequest<PauseHandler>();
}
