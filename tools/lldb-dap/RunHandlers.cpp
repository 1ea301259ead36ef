//===-- RunHandlers.cpp - Resuming and stopping the program ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LLDBUtils.h"
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

class PauseHandler final : public SessionHandler<PauseRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    if (!session.IsRunning())
      return llvm::make_error<DAPError>("The program isn't running.");
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
  session.RegisterRequest<PauseHandler>();
}
