//===-- Session.cpp - A client's session with host and GPU ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session.h"
#include "Handler/ResponseHandler.h"
#include "Ids.h"
#include "LLDBUtils.h"
#include "lldb/API/SBListener.h"
#include <chrono>
#include <thread>

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

Session::Session(Log &log, ReplMode repl_mode,
                 std::vector<std::string> pre_init_commands, bool no_lldbinit,
                 llvm::StringRef client_name, DAPTransport &transport,
                 lldb_private::MainLoop &loop)
    : ClientSession(log, repl_mode, std::move(pre_init_commands), no_lldbinit,
                    client_name, transport, loop),
      lanes(*this) {
  configuration_done = false;
}

Session::~Session() {
  if (!job)
    return;
  // A connection that has failed doesn't disconnect.
  if (!has_left_job) {
    std::lock_guard<std::mutex> guard(job->GetMutex());
    job->Leave(*this);
  }
  if (targets.IsChild())
    job->Gone();
}

std::unique_lock<std::mutex> Session::LockJob() const {
  return job ? std::unique_lock<std::mutex>(job->GetMutex())
             : std::unique_lock<std::mutex>();
}

ClientSession &Session::GetBreakpointOwner() {
  ClientSession *parent = job ? job->GetParent() : nullptr;
  return parent ? *parent : *this;
}

void Session::JoinJob(std::shared_ptr<JobSessions> of,
                      protocol::AttachRequestArguments &arguments) {
  job = std::move(of);
  if (ClientSession *parent = job->GetParent()) {
    lanes_as_threads = parent->lanes_as_threads;
    wave_limit = parent->wave_limit;
    // What is done once was done for the job.
    protocol::Configuration &own = arguments.configuration;
    own = parent->configuration;
    own.stopOnEntry = false;
    for (std::vector<std::string> *commands :
         {&own.preInitCommands, &own.initCommands, &own.preRunCommands,
          &own.postRunCommands, &own.terminateCommands})
      commands->clear();
  }
  job->Add(*this);
}

lldb::SBThread Session::FindThread(lldb::tid_t number) const {
  const ClientId id = ClientId::Decode(number);
  return targets.Get(id.target).GetProcess().GetThreadByID(id.lldb_id);
}

lldb::SBThread Session::GetLLDBThread(lldb::tid_t number) {
  lldb::SBThread thread = FindThread(number);
  const ClientId id = ClientId::Decode(number);
  if (id.lane && !Lanes::Select(thread.GetFrameAtIndex(0), *id.lane))
    return lldb::SBThread();
  return thread;
}

lldb::SBFrame Session::GetLLDBFrame(uint64_t number) {
  const ClientId id = ClientId::Decode(number);
  lldb::SBFrame frame =
      targets.Get(id.target)
          .GetProcess()
          .GetThreadByIndexID(GetLLDBThreadIndexID(id.lldb_id))
          .GetFrameAtIndex(GetLLDBFrameID(id.lldb_id));
  if (id.lane && !Lanes::Select(frame, *id.lane))
    return lldb::SBFrame();
  return frame;
}

uint64_t Session::GetThreadId(lldb::SBThread thread) {
  ClientId id;
  id.lldb_id = thread.GetThreadID();
  id.target = targets.GetNumber(thread.GetProcess().GetTarget());
  return id.Encode();
}

uint64_t Session::GetFrameId(uint64_t frame_id, lldb::SBThread thread,
                             std::optional<uint32_t> lane) {
  ClientId id;
  id.lldb_id = frame_id;
  id.target = targets.GetNumber(thread.GetProcess().GetTarget());
  id.lane = lane;
  return id.Encode();
}

void Session::SelectFrame(lldb::SBFrame frame) {
  lldb::SBThread thread = frame.GetThread();
  lldb::SBProcess process = thread.GetProcess();
  lldb::SBTarget target = process.GetTarget();
  debugger.SetSelectedTarget(target);
  process.SetSelectedThread(thread);
  thread.SetSelectedFrame(frame.GetFrameID());
}

uint32_t Session::GetNumListedThreads(lldb::SBTarget target) const {
  const uint32_t num_threads = target.GetProcess().GetNumThreads();
  if (target == this->target)
    return num_threads;
  return std::min<uint64_t>(num_threads, wave_limit);
}

void Session::Begin() {
  // Targets that appear by themselves get breakpoints, too.
  debugger.GetListener().StartListeningForEventClass(
      debugger, lldb::SBTarget::GetBroadcasterClassName(),
      lldb::SBTarget::eBroadcastBitBreakpointChanged);
  interrupter.SetProcess(target.GetProcess());
}

void Session::WaitForThreads() {
  // A child has its parent's threads.
  if (targets.IsChild())
    return;
  uint32_t awaited = eBroadcastBitStopEventThread;
  if (clientFeatures.contains(protocol::eClientFeatureProgressReporting))
    awaited |= eBroadcastBitStopProgressThread;
  auto all_listen = [&] {
    for (uint32_t bit :
         {eBroadcastBitStopEventThread, eBroadcastBitStopProgressThread})
      if (awaited & bit && !broadcaster.EventTypeHasListeners(bit))
        return false;
    return true;
  };
  // If the debugger couldn't be initialized, there are none.
  for (int tries = 0; !all_listen() && tries < 2000; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

llvm::Error Session::Resume(lldb::SBProcess process,
                            llvm::function_ref<llvm::Error()> resume) {
  interrupter.SetProcess(process);
  SetRunning(true);
  // Where one process has stopped the other, LLDB may not be done with both
  // yet, and has no event for when it is.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  llvm::Error error = resume();
  while (error && std::chrono::steady_clock::now() < end &&
         error.isA<NotStoppedError>()) {
    llvm::consumeError(std::move(error));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    error = resume();
  }
  if (error)
    SetRunning(false);
  return error;
}

std::optional<std::string>
Session::FormatLogMessage(lldb::SBFrame frame, llvm::StringRef condition,
                          llvm::ArrayRef<LogMessagePart> parts) {
  return Lanes::FormatLogMessage(frame, condition, parts);
}

namespace {
/// LLDB's session of a target other than the client's: it shares that session's
/// threads, frames and messages.
class TargetDAP final : public DAP {
public:
  TargetDAP(Session &session, lldb_private::MainLoop &loop)
      : DAP(session.log, session.repl_mode, {}, session.no_lldbinit,
            session.GetClientName(), session.transport, loop),
        m_session(session) {}

  using DAP::GetLLDBFrame;
  using DAP::GetLLDBThread;
  lldb::SBThread GetLLDBThread(lldb::tid_t id) override {
    return m_session.GetLLDBThread(id);
  }
  lldb::SBFrame GetLLDBFrame(uint64_t id) override {
    return m_session.GetLLDBFrame(id);
  }
  protocol::Id Send(const protocol::Message &message) override {
    return m_session.Send(message);
  }

private:
  Session &m_session;
};
} // namespace

DAP &Session::GetDAP(lldb::SBTarget target) {
  if (target == this->target || !targets.Owns(target))
    return *this;
  std::unique_ptr<DAP> &dap = m_target_daps[targets.GetNumber(target)];
  if (!dap)
    dap = std::make_unique<TargetDAP>(*this, m_target_loop);
  dap->debugger = debugger;
  dap->target = target;
  dap->configuration = configuration;
  dap->clientFeatures = clientFeatures;
  dap->frame_format = frame_format;
  return *dap;
}

TargetView::TargetView(Session &session, lldb::SBTarget target)
    : m_session(session), m_dap(session.GetDAP(target)) {
  if (&m_dap != &m_session)
    std::swap(m_dap.variables, m_session.variables);
}

TargetView::~TargetView() {
  if (&m_dap != &m_session)
    std::swap(m_dap.variables, m_session.variables);
}
