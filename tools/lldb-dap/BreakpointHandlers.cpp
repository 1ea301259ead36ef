//===-- BreakpointHandlers.cpp - Data breakpoints and exceptions ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SessionHandler.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

namespace {
/// A watchpoint is set in the target that the memory was seen in: the number of
/// another one than the client's is the last part of LLDB's name of the data.
class DataBreakpointInfoHandler final
    : public SessionHandler<DataBreakpointInfoRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    lldb::SBTarget target = GetTarget(arguments);
    Response body = RunStock(arguments, target);
    if (body && body->dataId && target != session.target)
      *body->dataId += "/" + llvm::utostr(session.targets.GetNumber(target));
    return body;
  }

private:
  lldb::SBTarget GetTarget(const Arguments &arguments) const {
    lldb::SBValue variable = session.variables.FindVariable(
        arguments.variablesReference.value_or(0), arguments.name);
    if (variable.IsValid())
      return variable.GetTarget();
    lldb::SBFrame frame = session.GetLLDBFrame(arguments.frameId);
    return frame.IsValid() ? frame.GetThread().GetProcess().GetTarget()
                           : session.targets.GetSelected();
  }
};

/// LLDB's name of data, and the target that it is in.
struct DataId {
  std::string stock;
  uint32_t target = 0;

  static std::optional<DataId> Parse(llvm::StringRef text) {
    const auto [address, rest] = text.split('/');
    const auto [size, target] = rest.split('/');
    DataId id{(address + "/" + size).str()};
    uint64_t number;
    if (address.getAsInteger(16, number) || size.getAsInteger(10, number) ||
        (!target.empty() && target.getAsInteger(10, id.target)))
      return std::nullopt;
    return id;
  }
};

class SetDataBreakpointsHandler final
    : public SessionHandler<SetDataBreakpointsRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    protocol::SetDataBreakpointsResponseBody body;
    body.breakpoints.resize(arguments.breakpoints.size());
    for (protocol::Breakpoint &breakpoint : body.breakpoints)
      breakpoint.message = "There is no such data.";
    for (lldb::SBTarget &target : session.targets.GetAll()) {
      std::vector<size_t> positions;
      Arguments own;
      for (size_t i = 0; i < arguments.breakpoints.size(); ++i) {
        protocol::DataBreakpoint breakpoint = arguments.breakpoints[i];
        std::optional<DataId> id = DataId::Parse(breakpoint.dataId);
        if (!id || id->target != session.targets.GetNumber(target))
          continue;
        breakpoint.dataId = id->stock;
        own.breakpoints.push_back(breakpoint);
        positions.push_back(i);
      }
      // With none to set, those that are there are removed.
      Response result = RunStock(own, target);
      if (!result)
        return result;
      for (size_t i = 0; i < positions.size(); ++i)
        body.breakpoints[positions[i]] = result->breakpoints[i];
    }
    return body;
  }
};

class SetExceptionBreakpointsHandler final
    : public SessionHandler<SetExceptionBreakpointsRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    std::vector<std::string> names = arguments.filters;
    for (const protocol::ExceptionFilterOptions &options :
         arguments.filterOptions)
      names.push_back(options.filterId);
    llvm::StringSet<> set;
    for (const std::string &name : names)
      set.insert(name);
    session.setting_filters.Set(session.debugger, set);

    Response body = RunStock(arguments);
    if (!body)
      return body;
    // The answer has a breakpoint for each filter, in their order.
    std::vector<protocol::Breakpoint> breakpoints;
    auto next = body->breakpoints.begin();
    for (const std::string &name : names) {
      if (session.setting_filters.IsFilter(name))
        breakpoints.emplace_back().verified = true;
      else if (next != body->breakpoints.end() &&
               session.GetExceptionBreakpoint(name))
        breakpoints.push_back(*next++);
    }
    body->breakpoints = std::move(breakpoints);
    return body;
  }
};

class ExceptionInfoHandler final
    : public SessionHandler<ExceptionInfoRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    if (!session.GetLLDBThread(arguments.threadId).IsValid())
      return NoSuchThread();
    Response body = RunStock(arguments);
    if (!body || body->exceptionId != "exception")
      return body;
    // "memory violation at 0x1000 (lane 3)"
    llvm::StringRef kind(body->description);
    for (llvm::StringRef end : {" at ", " before ", " '"})
      kind = kind.split(end).first;
    if (!kind.empty())
      body->exceptionId = kind.str();
    return body;
  }
};
} // namespace

void lldb_dap::wavelane::RegisterBreakpointHandlers(Session &session) {
  session.RegisterRequest<DataBreakpointInfoHandler>();
  session.RegisterRequest<SetDataBreakpointsHandler>();
  session.RegisterRequest<SetExceptionBreakpointsHandler>();
  session.RegisterRequest<ExceptionInfoHandler>();
}
