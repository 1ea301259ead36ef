//===-- ThreadHandlers.cpp - Threads and their stacks ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ids.h"
#include "LLDBUtils.h"
#include "LaneCommands.h"
#include "ProtocolUtils.h"
#include "SessionHandler.h"
#include "lldb/API/SBStream.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

namespace {
class ThreadsHandler final : public SessionHandler<ThreadsRequestHandler> {
public:
  using SessionHandler::SessionHandler;

  Response Run(const Arguments &arguments) const override {
    if (session.IsParentOfJob())
      return protocol::ThreadsResponseBody();
    lldb::SBProcess process = session.target.GetProcess();
    if (process.GetState() == lldb::eStateExited)
      return llvm::make_error<DAPError>("The program has ended.");
    // LLDB's handler has a list from before the program ran.
    if (session.IsRunning())
      return RunStock(arguments);
    session.initial_thread_list.clear();
    protocol::ThreadsResponseBody body;
    for (lldb::SBTarget &target : session.targets.GetAll())
      AddThreads(target, body.threads);
    return body;
  }

private:
  void AddThreads(lldb::SBTarget target,
                  std::vector<protocol::Thread> &threads) const {
    lldb::SBProcess process = target.GetProcess();
    // A GPU may end before its program.
    if (process.GetState() == lldb::eStateExited)
      return;
    const uint32_t num_threads = process.GetNumThreads();
    const uint32_t num_listed = session.GetNumListedThreads(target);
    // The thread being examined is always listed.
    const lldb::tid_t selected = process.GetSelectedThread().GetThreadID();
    const bool has_lanes =
        session.lanes_as_threads && target == session.targets.GetSelected();
    for (uint32_t i = 0; i < num_threads; ++i) {
      lldb::SBThread thread = process.GetThreadAtIndex(i);
      const bool is_selected = thread.GetThreadID() == selected;
      if (i >= num_listed && !is_selected)
        continue;
      const uint64_t id = session.GetThreadId(thread);
      threads.push_back({id, CreateThread(thread, session.thread_format).name});
      session.known_threads.insert(id);
      if (is_selected && has_lanes)
        session.lanes.AddThreads(thread, threads);
    }
    if (num_listed == num_threads)
      return;
    ClientId fold;
    fold.target = session.targets.GetNumber(target);
    fold.is_fold = true;
    threads.push_back(
        {fold.Encode(),
         llvm::formatv("{0} more waves: each is a frame of this stack",
                       num_threads - num_listed)});
  }
};

/// Of a wave, the numbers of the frames that LLDB isn't sure of.
std::set<uint32_t> FindGuesses(lldb::SBThread thread) {
  std::set<uint32_t> guesses;
  if (std::optional<LaneStack> stack = GetWaveStack(thread.GetFrameAtIndex(0)))
    for (const LaneFrame &frame : stack->frames)
      if (frame.is_guess)
        guesses.insert(frame.frame);
  return guesses;
}

/// The line of code that the compiler made, which has line 0: as in other
/// views (SourcePlace), the function's next line. Invalid if there is none.
lldb::SBLineEntry FindNextLine(lldb::SBFrame frame) {
  lldb::SBTarget target = frame.GetThread().GetProcess().GetTarget();
  const lldb::SBFunction function = frame.GetFunction();
  for (lldb::addr_t at = frame.GetPC(); function.IsValid();) {
    lldb::SBSymbolContext context = target.ResolveSymbolContextForAddress(
        target.ResolveLoadAddress(at),
        lldb::eSymbolContextFunction | lldb::eSymbolContextLineEntry);
    lldb::SBLineEntry line = context.GetLineEntry();
    if (!line.IsValid() || context.GetFunction() != function)
      break;
    if (line.GetLine())
      return line;
    const lldb::addr_t end = line.GetEndAddress().GetLoadAddress(target);
    if (end <= at || end == LLDB_INVALID_ADDRESS)
      break;
    at = end;
  }
  return lldb::SBLineEntry();
}

class StackTraceHandler final
    : public SessionHandler<StackTraceRequestHandler> {
public:
  using SessionHandler::SessionHandler;

  Response Run(const Arguments &arguments) const override {
    const ClientId id = ClientId::Decode(arguments.threadId);
    if (id.is_fold)
      return GetFoldedThreads(arguments);
    lldb::SBThread thread = session.GetLLDBThread(arguments.threadId);
    if (!thread.IsValid())
      return NoSuchThread();
    TargetView view(session, thread.GetProcess().GetTarget());
    Response body = StackTraceRequestHandler(view.GetDAP()).Run(arguments);
    if (!body)
      return body;
    // A frame that is a kernel is never a guess.
    std::set<uint32_t> guesses;
    if (body->stackFrames.size() > 1 || arguments.startFrame > 0)
      guesses = FindGuesses(thread);
    for (protocol::StackFrame &frame : body->stackFrames)
      Complete(frame, thread, id.lane, guesses, arguments, view.GetDAP());
    return body;
  }

private:
  /// Whether LLDB has made a frame's name by a format, as
  /// StackTraceRequestHandler does. Such a description says of a guess that it
  /// is one.
  static bool IsDescribed(lldb::SBFrame frame, const Arguments &arguments,
                          DAP &dap) {
    // Each part of a client's format is optional, so none fails.
    if (const auto &format = arguments.format;
        format && (format->module || format->line || format->parameters ||
                   format->parameterNames || format->parameterValues))
      return true;
    lldb::SBStream text;
    return dap.frame_format &&
           frame.GetDescriptionWithFormat(dap.frame_format, text).Success();
  }
  /// LLDB's frame of a thread, made the session's.
  void Complete(protocol::StackFrame &frame, lldb::SBThread thread,
                std::optional<uint32_t> lane, const std::set<uint32_t> &guesses,
                const Arguments &arguments, DAP &dap) const {
    if (frame.presentationHint == protocol::StackFrame::ePresentationHintLabel)
      return;
    lldb::SBFrame own = thread.GetFrameAtIndex(GetLLDBFrameID(frame.id));
    if (GetLLDBThreadIndexID(frame.id) == thread.GetIndexID() &&
        guesses.count(GetLLDBFrameID(frame.id))) {
      if (!IsDescribed(own, arguments, dap))
        frame.name += " [guess]";
      frame.presentationHint = protocol::StackFrame::ePresentationHintSubtle;
    }
    if (own.GetLineEntry().IsValid() && !own.GetLineEntry().GetLine())
      if (lldb::SBLineEntry line = FindNextLine(own); line.IsValid()) {
        frame.source = CreateSource(line.GetFileSpec());
        frame.line = line.GetLine();
        frame.column = line.GetColumn();
      }
    frame.id = session.GetFrameId(frame.id, thread, lane);
    if (frame.source && frame.source->sourceReference)
      if (std::optional<lldb::addr_t> address =
              dap.GetSourceReferenceAddress(*frame.source->sourceReference))
        frame.source->sourceReference = session.CreateSourceReference(*address);
  }

  /// The stack of a folded thread: a frame for each thread that isn't listed,
  /// its innermost. A client asks for a stack by parts, and has the variables
  /// of each frame.
  Response GetFoldedThreads(const Arguments &arguments) const {
    // A client that asks for more takes a short answer for the end.
    const uint64_t max_frames = arguments.levels ? UINT32_MAX : 1000;
    lldb::SBTarget target =
        session.targets.Get(ClientId::Decode(arguments.threadId).target);
    lldb::SBProcess process = target.GetProcess();
    const uint32_t num_threads = process.GetNumThreads();
    const uint32_t first = session.GetNumListedThreads(target);
    const uint64_t begin = uint64_t(first) + arguments.startFrame;
    const uint64_t end = std::min<uint64_t>(
        num_threads,
        begin + (arguments.levels ? arguments.levels : max_frames));
    protocol::StackTraceResponseBody body;
    body.totalFrames = num_threads - first;
    for (uint64_t i = begin; i < end && i < begin + max_frames; ++i) {
      lldb::SBThread thread = process.GetThreadAtIndex(i);
      Arguments innermost;
      innermost.threadId = session.GetThreadId(thread);
      innermost.levels = 1;
      Response stack = Run(innermost);
      if (!stack) {
        llvm::consumeError(stack.takeError());
        continue;
      }
      for (protocol::StackFrame &frame : stack->stackFrames) {
        if (const char *name = thread.GetName())
          frame.name = name;
        body.stackFrames.push_back(std::move(frame));
      }
    }
    return body;
  }
};
} // namespace

void lldb_dap::wavelane::RegisterThreadHandlers(Session &session) {
  session.RegisterRequest<ThreadsHandler>();
  session.RegisterRequest<StackTraceHandler>();
}
