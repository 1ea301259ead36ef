//===-- DebuggerEvents.cpp - The debugger's events for the client ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Breakpoint.h"
#include "EventHelper.h"
#include "Ids.h"
#include "JSONUtils.h"
#include "LLDBUtils.h"
#include "LaneCommands.h"
#include "SessionHandler.h"
#include "Stops.h"
#include "lldb/API/SBBreakpoint.h"
#include "lldb/API/SBEvent.h"
#include "lldb/API/SBStream.h"
#include "llvm/ADT/STLExtras.h"
#include <csignal>

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

bool Session::HandleEvent(const lldb::SBEvent &event) {
  if (job && event.GetBroadcasterClass() ==
                 llvm::StringRef(JobEvent::BroadcasterClass)) {
    // Any session of the job does it for all.
    if (std::optional<JobEvent> job_event =
            JobEvent::Parse(lldb::SBEvent::GetCStringFromEvent(event)))
      job->HandleEvent(*job_event);
    return true;
  }
  std::unique_lock<std::mutex> job_lock = LockJob();
  std::lock_guard<std::mutex> guard(m_event_mutex);
  if (lldb::SBProcess::EventIsProcessEvent(event))
    return HandleProcessEvent(event);
  if (lldb::SBBreakpoint::EventIsBreakpointEvent(event))
    return HandleBreakpointEvent(event);
  if (lldb::SBThread::EventIsThreadEvent(event))
    return HandleThreadEvent(event);
  return false;
}

bool Session::HandleProcessEvent(const lldb::SBEvent &event) {
  lldb::SBProcess process = lldb::SBProcess::GetProcessFromEvent(event);
  if (!targets.Owns(process.GetTarget()))
    return false;
  // The session is that of the client's target. The process of another target,
  // such as a GPU's, may end before.
  const bool is_others = process.GetTarget() != target;
  if (!(event.GetType() & lldb::SBProcess::eBroadcastBitStateChanged)) {
    if (is_others)
      SendStdOutStdErr(*this, process);
    return is_others;
  }
  switch (lldb::SBProcess::GetStateFromEvent(event)) {
  case lldb::eStateAttaching:
  case lldb::eStateCrashed:
  case lldb::eStateLaunching:
  case lldb::eStateStopped:
  case lldb::eStateSuspended:
    if (!lldb::SBProcess::GetRestartedFromEvent(event)) {
      SendStdOutStdErr(*this, process);
      ReportStop();
    }
    return true;
  case lldb::eStateRunning:
  case lldb::eStateStepping:
    ReportRunning();
    return true;
  case lldb::eStateExited:
    if (!is_others)
      ReportExit(process);
    else
      ReportStop(); // If the GPU alone has ended, the host still stands.
    return true;
  default:
    return is_others;
  }
}

bool Session::HandleBreakpointEvent(const lldb::SBEvent &event) {
  lldb::SBBreakpoint changed =
      lldb::SBBreakpoint::GetBreakpointFromEvent(event);
  if (!targets.Owns(changed.GetTarget()))
    return false;
  // The request that sets a breakpoint labels it before it releases the mutex.
  lldb::SBMutex lock = GetAPIMutex();
  std::lock_guard<lldb::SBMutex> guard(lock);
  const auto type = lldb::SBBreakpoint::GetBreakpointEventTypeFromEvent(event);
  if (!(type & (lldb::eBreakpointEventTypeLocationsAdded |
                lldb::eBreakpointEventTypeLocationsRemoved |
                lldb::eBreakpointEventTypeLocationsResolved)))
    return true;
  // In another target, a breakpoint made for one of the client's has its
  // number.
  const char *label = BreakpointBase::kDAPBreakpointLabel;
  lldb::SBTarget owner = GetBreakpointOwner().target;
  if (!changed.MatchesName(label) &&
      !owner.FindBreakpointByID(changed.GetID()).MatchesName(label))
    return true;
  // Each target reports its own breakpoint; the client gets the best one.
  if (changed.GetNumResolvedLocations() == 0 &&
      llvm::any_of(targets.GetAll(), [&](lldb::SBTarget &other) {
        return other.FindBreakpointByID(changed.GetID())
                   .GetNumResolvedLocations() > 0;
      }))
    return true;
  // The client knows the path; a path from here would lack its source map.
  protocol::Breakpoint breakpoint =
      Breakpoint(*this, changed).ToProtocolBreakpoint();
  if (breakpoint.source && !breakpoint.source->adapterData)
    breakpoint.source = std::nullopt;
  notes.AddTo(breakpoint, debugger);
  DAP::Send(protocol::Event{
      "breakpoint",
      llvm::json::Object{{"breakpoint", breakpoint}, {"reason", "changed"}}});
  return true;
}

bool Session::HandleThreadEvent(const lldb::SBEvent &event) {
  lldb::SBThread thread = lldb::SBThread::GetThreadFromEvent(event);
  lldb::SBTarget owner = thread.GetProcess().GetTarget();
  if (!targets.Owns(owner))
    return false;
  if (event.GetType() & lldb::SBThread::eBroadcastBitStackChanged) {
    lldb::SBMutex lock = GetAPIMutex();
    std::lock_guard<lldb::SBMutex> guard(lock);
    SendInvalidatedEvent(*this, {protocol::InvalidatedEventBody::eAreaStacks},
                         GetThreadId(thread));
  }
  return true;
}

void Session::ReportRunning() {
  // The client doesn't know any thread yet.
  if (!configuration_done || focus == LLDB_INVALID_THREAD_ID)
    return;
  DAP::Send(protocol::Event{"continued",
                            llvm::json::Object{{"threadId", int64_t(focus)},
                                               {"allThreadsContinued", true}}});
}

/// LLDB does the same, but ends the thread that reads events, which other
/// sessions may share, and without the mutex: a disconnect at this moment would
/// wait for the termination, and that for the lock that the disconnect holds.
void Session::ReportExit(lldb::SBProcess process) {
  lldb::SBStream status;
  process.GetStatus(status);
  SendOutput(OutputType::Console, status.GetData());
  // The process that ends before a restart doesn't end the session.
  if (process.GetProcessID() == LLDB_INVALID_PROCESS_ID ||
      process.GetProcessID() == restarting_process_id) {
    restarting_process_id = LLDB_INVALID_PROCESS_ID;
    return;
  }
  RunExitCommands();
  SendProcessExitedEvent(*this, process);
  SendTerminatedEvent();
}

static std::string GetStopDescription(lldb::SBThread thread) {
  char description[1024] = "";
  thread.GetStopDescription(description, sizeof(description));
  return description;
}

/// Whether only a pause stopped the thread.
static bool IsPaused(lldb::SBThread thread) {
  if (!ThreadHasStopReason(thread) ||
      thread.GetStopReason() == lldb::eStopReasonInterrupt)
    return true;
  const uint64_t signal = thread.GetStopReasonDataAtIndex(0);
  return thread.GetStopReason() == lldb::eStopReasonSignal &&
         (signal == SIGSTOP || signal == SIGINT);
}

/// Whether a wave stands because of a pause: the plugin says so of one of them,
/// whoever has asked for it.
static bool IsInterrupted(lldb::SBThread thread) {
  return thread.GetStopReason() == lldb::eStopReasonSignal &&
         StopsBy(thread, ::wavelane::protocol::StopKind::Interrupt);
}

/// Whether a thread of the host was only stopped because waves did.
static bool StopsWithGPU(lldb::SBThread thread) {
  return StopsBy(thread, ::wavelane::protocol::StopKind::WithGPU);
}

lldb::SBThread Session::FindThreadToReport(lldb::SBProcess process) const {
  lldb::SBThread focused = FindThread(focus);
  if (focused.IsValid() &&
      focused.GetProcess().GetTarget() == process.GetTarget() &&
      ThreadHasStopReason(focused))
    return focused;
  const uint32_t num_threads = process.GetNumThreads();
  for (uint32_t i = 0; i < num_threads; ++i) {
    lldb::SBThread thread = process.GetThreadAtIndex(i);
    if (ThreadHasStopReason(thread))
      return thread;
  }
  return process.GetThreadAtIndex(0);
}

void Session::ReportStop() {
  lldb::SBMutex lock = GetAPIMutex();
  std::lock_guard<lldb::SBMutex> guard(lock);
  // If one process stops the other, the event of the last one reports both.
  if (!configuration_done || targets.IsAnyRunning())
    return;
  lldb::SBProcess process = targets.GetStoppedProcess();
  if (!lldb::SBDebugger::StateIsStoppedState(process.GetState()))
    return;
  std::vector<std::pair<uint32_t, uint32_t>> stops;
  for (lldb::SBTarget &stopped : targets.GetAll()) {
    lldb::SBProcess one = stopped.GetProcess();
    // A restarted process counts its stops from the beginning.
    stops.emplace_back(one.GetUniqueID(), one.GetStopID());
  }
  if (stops != m_reported_stops) {
    m_reported_stops = std::move(stops);
    variables.Clear();
    lanes.Clear();
  }
  // A GPU may have no waves left.
  if (process.GetNumThreads() == 0)
    process = target.GetProcess();
  const uint32_t stop_id = process.GetStopID();
  lldb::SBThread thread = FindThreadToReport(process);
  const std::optional<lldb::tid_t> asked_for = interrupter.Stop();
  SetRunning(false);
  ReportRecording();
  // Of a GPU that is lost, only the host's stop is left.
  const bool is_paused =
      m_rank_is_interrupted || IsInterrupted(thread) ||
      ((asked_for || StopsWithGPU(thread)) && IsPaused(thread));
  // If waves run, a pause of the host is about them: it only waits for them.
  if (is_paused && asked_for)
    if (lldb::SBThread asked = FindThread(*asked_for))
      if (asked.GetProcess().GetTarget() != target ||
          thread.GetProcess().GetTarget() == target)
        thread = asked;
  focus = GetThreadId(thread);
  // The client knows that all threads have stopped: for other targets only the
  // one thread is reported, since thousands of waves of a GPU may stop at one
  // breakpoint, and keep that reason while one steps.
  if (is_paused || thread.GetProcess().GetTarget() != target ||
      !ThreadHasStopReason(thread)) {
    ReportThread(thread, stop_id, is_paused);
  } else {
    const uint32_t num_threads = process.GetNumThreads();
    for (uint32_t i = 0; i < num_threads; ++i) {
      lldb::SBThread other = process.GetThreadAtIndex(i);
      if (ThreadHasStopReason(other))
        ReportThread(other, stop_id, false);
    }
  }
  ReportExitedThreads();
  ReportMemory();
  RunStopCommands();
}

void Session::RankStopped(lldb::SBTarget shown, bool is_shown,
                          bool is_interrupted) {
  std::lock_guard<std::mutex> guard(m_event_mutex);
  if (!m_client_sees_running)
    return;
  m_is_shown = is_shown;
  m_rank_is_interrupted = is_interrupted;
  lldb::SBTarget selected = debugger.GetSelectedTarget();
  targets.SetShown(shown);
  debugger.SetSelectedTarget(shown);
  ReportStop();
  if (!is_shown)
    debugger.SetSelectedTarget(selected);
}

void Session::RankRuns() {
  std::lock_guard<std::mutex> guard(m_event_mutex);
  if (m_client_sees_running)
    return;
  SetRunning(true);
  ReportRunning();
}

void Session::RankEnded() {
  std::lock_guard<std::mutex> guard(m_event_mutex);
  lldb::SBProcess process = target.GetProcess();
  RunExitCommands();
  SendProcessExitedEvent(*this, process);
  SendTerminatedEvent();
}

lldb::SBTarget Session::FindStopped() const {
  std::vector<lldb::SBTarget> all = targets.GetAll();
  // The first one is the host's.
  std::rotate(all.begin(), all.begin() + 1, all.end());
  for (lldb::SBTarget &one : all) {
    lldb::SBThread thread = FindThreadToReport(one.GetProcess());
    if (thread.IsValid() && ThreadHasStopReason(thread))
      return one;
  }
  return lldb::SBTarget();
}

void Session::ReportStopOfWave() {
  lldb::SBTarget stopped = FindStopped();
  if (!stopped.IsValid() || stopped == target)
    return;
  debugger.SetSelectedTarget(stopped);
  ReportStop();
}

/// An editor has buttons for going back while what waves do is recorded.
void Session::ReportRecording() {
  bool is_recorded = false;
  if (targets.GetAll().size() > 1) {
    llvm::Expected<std::string> text = RunCommand(debugger, "gpu time --json");
    llvm::Expected<llvm::json::Value> answer =
        text ? llvm::json::parse(*text) : text.takeError();
    if (!answer)
      llvm::consumeError(answer.takeError());
    else if (const llvm::json::Object *time = answer->getAsObject())
      is_recorded = time->getBoolean("recording").value_or(false);
  }
  if (is_recorded == m_is_recorded)
    return;
  m_is_recorded = is_recorded;
  DAP::Send(protocol::Event{
      "capabilities",
      llvm::json::Object{
          {"capabilities",
           llvm::json::Object{{"supportsStepBack", is_recorded}}}}});
}

void Session::ReportMemory() {
  std::vector<protocol::ReadMemoryArguments> read;
  std::swap(read, m_read_memory);
  if (!clientFeatures.contains(protocol::eClientFeatureMemoryEvent))
    return;
  for (const protocol::ReadMemoryArguments &memory : read)
    DAP::Send(protocol::Event{
        "memory",
        llvm::json::Object{
            {"memoryReference", EncodeMemoryReference(memory.memoryReference)},
            {"offset", memory.offset},
            {"count", int64_t(memory.count)}}});
}

void Session::AddReadMemory(const protocol::ReadMemoryArguments &memory) {
  // A client that scrolls reads piece after piece, and shows a few.
  constexpr size_t max_pieces = 64;
  llvm::erase_if(m_read_memory, [&](const auto &known) {
    return known.memoryReference == memory.memoryReference &&
           known.offset == memory.offset;
  });
  if (m_read_memory.size() == max_pieces)
    m_read_memory.erase(m_read_memory.begin());
  m_read_memory.push_back(memory);
}

void Session::ReportThread(lldb::SBThread thread, uint32_t stop_id,
                           bool is_paused) {
  llvm::json::Value event = CreateThreadStopped(*this, thread, stop_id);
  llvm::json::Object &body = *event.getAsObject()->getObject("body");
  const uint64_t id = GetThreadId(thread);
  body["threadId"] = int64_t(id);
  body.erase("threadCausedFocus");
  if (id == focus && m_is_shown)
    body["threadCausedFocus"] = true;
  body["preserveFocusHint"] = id != focus || !m_is_shown;
  // The protocol requires a reason.
  body.try_emplace("reason", "pause");
  if (is_paused) {
    body["reason"] = "pause";
    // The plugin describes what the wave was doing.
    if (thread.GetProcess().GetTarget() == target)
      body.erase("description");
  }
  // The client doesn't know the debugger's own breakpoints.
  if (llvm::json::Array *ids = body.getArray("hitBreakpointIds"))
    if (llvm::any_of(*ids, [](const llvm::json::Value &id) {
          return id.getAsInteger().value_or(0) < 0;
        })) {
      body.erase("hitBreakpointIds");
      body.erase("description");
      EmplaceSafeString(body, "description", GetStopDescription(thread));
    }
  // A finding in a call of the host is one of the debugger's own breakpoints.
  if (thread.GetProcess().GetTarget() == target &&
      StopsBy(thread, ::wavelane::protocol::StopKind::Finding)) {
    body["reason"] = "exception";
    EmplaceSafeString(body, "text", GetStopDescription(thread));
  }
  // A client shows the description in place of the wave's name: the kind of
  // exception, or of the end of a recording, is enough there.
  if (thread.GetProcess().GetTarget() != target &&
      body.getString("reason") == "exception") {
    if (const auto stop = GetStop(thread)) {
      const std::string kind = ::wavelane::protocol::describeKind(*stop);
      if (stop->Kind == ::wavelane::protocol::StopKind::HistoryBoundary)
        body["reason"] = kind;
      body.erase("description");
      EmplaceSafeString(body, "description", kind);
    }
    EmplaceSafeString(body, "text", GetStopDescription(thread));
  }
  // LLDB says which breakpoint; the plugin also says which lane.
  if (thread.GetStopReason() == lldb::eStopReasonWatchpoint) {
    body.erase("description");
    EmplaceSafeString(body, "description", GetStopDescription(thread));
  }
  SendJSON(event);
}

void Session::ReportSelection(lldb::SBThread thread) {
  focus = GetThreadId(thread);
  // A client shows the thread of a stop, and no other event makes it do so. The
  // reason is in the list of threads; a view of all threads needn't be read
  // again.
  DAP::Send(protocol::Event{
      "stopped", llvm::json::Object{{"reason", "pause"},
                                    {"description", "Selected"},
                                    {"threadId", int64_t(focus.load())},
                                    {"threadCausedFocus", true},
                                    {"preserveFocusHint", false},
                                    {"allThreadsStopped", true},
                                    {"isSelection", true}}});
}

void Session::ReportExitedThreads() {
  for (auto it = known_threads.begin(); it != known_threads.end();) {
    const lldb::tid_t id = *it++;
    if (FindThread(id).IsValid())
      continue;
    known_threads.erase(id);
    DAP::Send(protocol::Event{
        "thread",
        llvm::json::Object{{"reason", "exited"}, {"threadId", int64_t(id)}}});
  }
}
