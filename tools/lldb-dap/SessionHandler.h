//===-- SessionHandler.h - Handlers of requests in place of LLDB's --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_LLDB_DAP_SESSIONHANDLER_H
#define WAVELANE_TOOLS_LLDB_DAP_SESSIONHANDLER_H

#include "Handler/RequestHandler.h"
#include "Session.h"

namespace lldb_dap::wavelane {

template <typename T> struct RunSignature;
template <typename Stock, typename R, typename A>
struct RunSignature<R (Stock::*)(const A &) const> {
  using Response = R;
  using Arguments = A;
};

/// The handler of a request in a Session, in place of LLDB's handler \p Stock,
/// which does the part that is the same for every target.
template <typename Stock,
          typename Signature = RunSignature<decltype(&Stock::Run)>>
class SessionHandler : public RequestHandler<typename Signature::Arguments,
                                             typename Signature::Response> {
public:
  using Arguments = typename Signature::Arguments;
  using Response = typename Signature::Response;

  explicit SessionHandler(DAP &dap)
      : RequestHandler<Arguments, Response>(dap),
        session(static_cast<Session &>(dap)) {}

  static llvm::StringLiteral GetCommand() { return Stock::GetCommand(); }
  BaseRequestHandler::FeatureSet GetSupportedFeatures() const override {
    return Stock(session).GetSupportedFeatures();
  }

protected:
  Response RunStock(const Arguments &arguments) const {
    return Stock(session).Run(arguments);
  }
  Response RunStock(const Arguments &arguments, lldb::SBTarget target) const {
    TargetView view(session, target);
    return Stock(view.GetDAP()).Run(arguments);
  }

  /// Where it is about breakpoints: all ranks of a job have the same ones.
  Response RunForAll(const Arguments &arguments) const {
    Response response = Stock(session.GetBreakpointOwner()).Run(arguments);
    if (session.job)
      session.job->ShareBreakpoints();
    return response;
  }

  Session &session;
};

/// The answer to a request for a thread or frame that is gone or never existed.
inline llvm::Error NoSuchThread() {
  return llvm::make_error<DAPError>(
      "No such thread, or no such lane of it: it has ended, or never "
      "existed. Ask for the threads again.");
}
inline llvm::Error NoSuchFrame() {
  return llvm::make_error<DAPError>(
      "No such frame, or no such lane of it, or the program is running. Ask "
      "for the stack again.");
}

void RegisterStartHandlers(Session &session);
void RegisterRunHandlers(Session &session);
void RegisterThreadHandlers(Session &session);
void RegisterFrameHandlers(Session &session);
void RegisterMemoryHandlers(Session &session);
void RegisterBreakpointHandlers(Session &session);
void RegisterViewHandlers(Session &session);

} // namespace lldb_dap::wavelane

#endif
