//===-- BreakpointHandlers.cpp - Data breakpoints and exceptions ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FindingStops.h"
#include "SessionHandler.h"
#include "Stops.h"
#include "lldb/API/SBBreakpoint.h"
#include "lldb/API/SBBreakpointLocation.h"
#include "lldb/API/SBLineEntry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

namespace {
/// A watchpoint is set in the target in which the memory was seen: unless it is
/// the client's, its number is the last part of LLDB's name of the data.
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
      breakpoint.message = "No such data.";
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
      // An empty list removes the existing ones.
      Response result = RunStock(own, target);
      if (!result)
        return result;
      for (size_t i = 0; i < positions.size(); ++i)
        body.breakpoints[positions[i]] = result->breakpoints[i];
    }
    return body;
  }
};

/// LLDB answers for the client's target. A breakpoint is verified if it is
/// found in any target.
void FindInTargets(Session &session, protocol::Breakpoint &breakpoint) {
  if (breakpoint.verified || !breakpoint.id)
    return;
  for (lldb::SBTarget &target : session.targets.GetAll()) {
    lldb::SBBreakpoint found = target.FindBreakpointByID(*breakpoint.id);
    for (uint32_t i = 0; i < found.GetNumLocations(); ++i) {
      lldb::SBBreakpointLocation location = found.GetLocationAtIndex(i);
      if (!location.IsResolved())
        continue;
      breakpoint.verified = true;
      lldb::SBLineEntry line = location.GetAddress().GetLineEntry();
      if (line.IsValid()) {
        breakpoint.line = line.GetLine();
        if (line.GetColumn())
          breakpoint.column = line.GetColumn();
      }
      return;
    }
  }
}

class SetBreakpointsHandler final
    : public SessionHandler<SetBreakpointsRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    Response body = Set(arguments);
    if (!body || !arguments.breakpoints ||
        body->breakpoints.size() != arguments.breakpoints->size())
      return body;
    // An editor gives a log point the cursor's column, which may have no code:
    // only use the line.
    Arguments by_line = arguments;
    bool has_changed = false;
    for (size_t i = 0; i < body->breakpoints.size(); ++i) {
      protocol::SourceBreakpoint &wanted = (*by_line.breakpoints)[i];
      if (body->breakpoints[i].verified || !wanted.column ||
          wanted.logMessage.value_or("").empty())
        continue;
      wanted.column = std::nullopt;
      has_changed = true;
    }
    return has_changed ? Set(by_line) : std::move(body);
  }

private:
  Response Set(const Arguments &arguments) const {
    Response body = RunForAll(arguments);
    if (!body)
      return body;
    for (auto [i, breakpoint] : llvm::enumerate(body->breakpoints)) {
      FindInTargets(session, breakpoint);
      if (!breakpoint.id || !arguments.breakpoints ||
          i >= arguments.breakpoints->size())
        continue;
      session.notes.Ask(*breakpoint.id, arguments.source.path.value_or(""),
                        (*arguments.breakpoints)[i].line);
      session.notes.AddTo(breakpoint, session.debugger);
    }
    return body;
  }
};

class SetFunctionBreakpointsHandler final
    : public SessionHandler<SetFunctionBreakpointsRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  Response Run(const Arguments &arguments) const override {
    Response body = RunForAll(arguments);
    if (body)
      for (protocol::Breakpoint &breakpoint : body->breakpoints)
        FindInTargets(session, breakpoint);
    return body;
  }
};

/// Each is set in the target whose code is at its address.
class SetInstructionBreakpointsHandler final
    : public SessionHandler<SetInstructionBreakpointsRequestHandler> {
public:
  using SessionHandler::SessionHandler;
  BaseRequestHandler::FeatureSet GetSupportedFeatures() const override {
    return {protocol::eAdapterFeatureInstructionBreakpoints};
  }
  Response Run(const Arguments &arguments) const override {
    protocol::SetInstructionBreakpointsResponseBody body;
    body.breakpoints.resize(arguments.breakpoints.size());
    for (lldb::SBTarget &target : session.targets.GetAll()) {
      std::vector<size_t> positions;
      Arguments own;
      for (size_t i = 0; i < arguments.breakpoints.size(); ++i) {
        const protocol::InstructionBreakpoint &breakpoint =
            arguments.breakpoints[i];
        // LLDB finds it again by its address, and its map keeps the two highest
        // numbers for itself.
        lldb::addr_t address;
        if (llvm::StringRef(breakpoint.instructionReference)
                .getAsInteger(0, address) ||
            address + breakpoint.offset.value_or(0) >=
                LLDB_INVALID_ADDRESS - 1 ||
            session.targets.GetAt(address) != target)
          continue;
        own.breakpoints.push_back(breakpoint);
        positions.push_back(i);
      }
      // An empty list removes the existing ones.
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

    Response body = RunForAll(arguments);
    if (!body)
      return body;
    // The answer has a breakpoint for each filter, in order.
    std::vector<protocol::Breakpoint> breakpoints;
    auto next = body->breakpoints.begin();
    for (const std::string &name : names) {
      if (session.setting_filters.IsFilter(name))
        breakpoints.emplace_back().verified = true;
      else if (next != body->breakpoints.end() &&
               session.GetBreakpointOwner().GetExceptionBreakpoint(name))
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
    lldb::SBThread thread = session.GetLLDBThread(arguments.threadId);
    const std::optional<::wavelane::protocol::Stop> stop = GetStop(thread);
    if (stop && stop->Kind == ::wavelane::protocol::StopKind::Finding)
      DescribeFinding(thread, *stop, *body);
    else if (stop)
      body->exceptionId = ::wavelane::protocol::describeKind(*stop);
    return body;
  }
};
} // namespace

void lldb_dap::wavelane::RegisterBreakpointHandlers(Session &session) {
  session.RegisterRequest<DataBreakpointInfoHandler>();
  session.RegisterRequest<SetDataBreakpointsHandler>();
  session.RegisterRequest<SetBreakpointsHandler>();
  session.RegisterRequest<SetFunctionBreakpointsHandler>();
  session.RegisterRequest<SetInstructionBreakpointsHandler>();
  session.RegisterRequest<SetExceptionBreakpointsHandler>();
  session.RegisterRequest<ExceptionInfoHandler>();
}
