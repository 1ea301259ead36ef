//===-- JobSessions.cpp - A client's sessions with the ranks of a job -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JobSessions.h"
#include "ClientSession.h"
#include "Handler/ResponseHandler.h"
#include "LLDBUtils.h"
#include "LaneCommands.h"
#include "lldb/API/SBFileSpec.h"
#include "lldb/API/SBListener.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <map>

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

static constexpr auto kPatience = std::chrono::seconds(20);

//===-- All jobs ----------------------------------------------------------===//

static std::mutex g_mutex;

static std::map<lldb::user_id_t, std::weak_ptr<JobSessions>> &GetRegistry() {
  // Not destroyed: sessions may outlive main.
  static auto &registry =
      *new std::map<lldb::user_id_t, std::weak_ptr<JobSessions>>;
  return registry;
}

std::shared_ptr<JobSessions> JobSessions::Find(lldb::user_id_t debugger) {
  std::lock_guard<std::mutex> guard(g_mutex);
  auto found = GetRegistry().find(debugger);
  return found == GetRegistry().end() ? nullptr : found->second.lock();
}

//===-- How a job begins --------------------------------------------------===//

/// A word as LLDB's commands take it, whatever is in it.
static std::string Quote(llvm::StringRef word) {
  std::string quoted = "\"";
  for (char letter : word) {
    if (llvm::StringRef("\\\"`").contains(letter))
      quoted += '\\';
    quoted += letter;
  }
  return quoted + "\"";
}

/// Creates the debugger and its target, as LLDB's launch does.
static llvm::Error MakeTarget(ClientSession &session,
                              const protocol::Configuration &configuration,
                              bool is_attach) {
  if (llvm::Error error = session.InitializeDebugger())
    return error;
  session.SetConfiguration(configuration, is_attach);
  if (llvm::Error error = session.RunInitCommands())
    return error;
  session.ConfigureSourceMaps();
  lldb::SBError error;
  lldb::SBTarget target = session.CreateTarget(error);
  if (error.Fail())
    return ToError(error);
  session.SetTarget(target);
  return session.RunPreRunCommands();
}

/// Whether the client can show a job.
static llvm::Error CheckCanStartSessions(ClientSession &parent) {
  if (!parent.clientFeatures.contains(
          protocol::eClientFeatureStartDebuggingRequest))
    return llvm::make_error<DAPError>(
        "This editor can't show a job: each rank has a session of its own, "
        "which the request 'startDebugging' begins.");
  if (parent.GetClientName() == "stdio")
    return llvm::make_error<DAPError>(
        "A job needs an adapter to which several sessions connect: start "
        "lldb-dap with --connection listen://localhost:4711.");
  return llvm::Error::success();
}

llvm::Error JobSessions::Begin(ClientSession &parent, Origin origin,
                               llvm::ArrayRef<std::string> commands) {
  parent.targets.SetIsAlone();
  parent.job = std::shared_ptr<JobSessions>(new JobSessions(parent, origin));
  {
    std::lock_guard<std::mutex> guard(g_mutex);
    GetRegistry()[parent.debugger.GetID()] = parent.job;
  }
  parent.debugger.GetListener().StartListeningForEventClass(
      parent.debugger, JobEvent::BroadcasterClass, JobEvent::Bit);
  for (const std::string &line : commands)
    if (llvm::Expected<std::string> text = RunCommand(parent.debugger, line);
        !text) {
      // What has started of it ends.
      llvm::Error error = text.takeError();
      llvm::consumeError(parent.job->Kill());
      return error;
    }
  parent.RunPostRunCommands();
  return llvm::Error::success();
}

llvm::Error JobSessions::Launch(ClientSession &parent,
                                const protocol::LaunchRequestArguments &launch,
                                const std::vector<std::string> &launcher) {
  if (llvm::Error error = CheckCanStartSessions(parent))
    return error;
  if (launcher.empty())
    return llvm::make_error<DAPError>(
        "'job' is the launcher and its options, such as [\"mpirun\", \"-n\", "
        "\"4\"].");
  if (llvm::Error error =
          MakeTarget(parent, launch.configuration, /*is_attach=*/false))
    return error;
  std::vector<std::string> commands;
  if (!launch.cwd.empty())
    commands.push_back("settings set target.launch-working-dir " +
                       Quote(launch.cwd));
  for (const auto &entry : launch.env)
    commands.push_back("settings append target.env-vars " +
                       Quote((entry.first() + "=" + entry.second).str()));
  const auto seconds = launch.configuration.timeout.count();
  std::string command =
      "job launch --stop-at-entry --hold-late-ranks --timeout " +
      std::to_string(seconds) + " --";
  for (const std::string &word : launcher)
    command += " " + Quote(word);
  llvm::SmallString<256> program;
  program.resize(PATH_MAX);
  program.resize(
      parent.target.GetExecutable().GetPath(program.data(), program.size()));
  command += " " + Quote(program);
  for (const std::string &word : launch.args)
    command += " " + Quote(word);
  commands.push_back(command);
  return Begin(parent, Origin::Launched, commands);
}

/// "1234" or "node1:1234".
static bool IsProcess(llvm::StringRef word) {
  const llvm::StringRef pid = word.rsplit(':').second;
  return !word.contains('/') && !(pid.empty() ? word : pid).empty() &&
         llvm::all_of(pid.empty() ? word : pid, llvm::isDigit);
}

llvm::Error JobSessions::Attach(ClientSession &parent,
                                const protocol::Configuration &configuration,
                                const std::vector<std::string> &words) {
  if (llvm::Error error = CheckCanStartSessions(parent))
    return error;
  if (words.empty())
    return llvm::make_error<DAPError>(
        "'job' is the launcher's process, such as [\"1234\"], those of the "
        "ranks, or core files, such as [\"core.*\"].");
  if (llvm::Error error = MakeTarget(parent, configuration, /*is_attach=*/true))
    return error;
  const bool has_processes = llvm::any_of(words, IsProcess);
  std::string command = has_processes ? "job attach" : "job core";
  for (const std::string &word : words)
    command += " " + Quote(word);
  return Begin(parent, has_processes ? Origin::AttachedTo : Origin::Cores,
               command);
}

namespace {
/// The client's answer to the request for a rank's session.
class ChildResponse final : public ResponseHandler {
public:
  ChildResponse(int64_t id, std::weak_ptr<JobSessions> job,
                lldb::user_id_t target)
      : ResponseHandler("startDebugging", id), m_job(std::move(job)),
        m_target(target) {}

  void operator()(llvm::Expected<llvm::json::Value> value) const override {
    if (value)
      return;
    const std::string why = llvm::toString(value.takeError());
    if (std::shared_ptr<JobSessions> job = m_job.lock())
      job->Missing(m_target, why);
  }

private:
  std::weak_ptr<JobSessions> m_job;
  lldb::user_id_t m_target;
};
} // namespace

std::vector<JobSessions::Rank> JobSessions::ListRanks() const {
  std::vector<Rank> ranks;
  lldb::SBDebugger debugger = m_parent->debugger;
  llvm::Expected<std::string> text = RunCommand(debugger, "rank list --json");
  llvm::Expected<llvm::json::Value> list =
      text ? llvm::json::parse(*text) : text.takeError();
  if (!list) {
    llvm::consumeError(list.takeError());
    return ranks;
  }
  if (const llvm::json::Array *array = list->getAsArray())
    for (const llvm::json::Value &value : *array) {
      const llvm::json::Object *rank = value.getAsObject();
      const auto number = rank ? rank->getInteger("rank") : std::nullopt;
      const auto target = rank ? rank->getInteger("target") : std::nullopt;
      if (number && target)
        ranks.push_back({*number, debugger.GetTargetAtIndex(uint32_t(*target)),
                         rank->get("reason") != nullptr});
    }
  return ranks;
}

void JobSessions::StartChildren() {
  m_is_started = true;
  for (Rank &rank : ListRanks())
    if (lldb::SBDebugger::StateIsStoppedState(
            rank.target.GetProcess().GetState()))
      StartChild(rank.target);
  RunIfComplete();
}

void JobSessions::StartChild(lldb::SBTarget rank) {
  const lldb::user_id_t number = rank.GetGloballyUniqueID();
  m_awaited.insert(number);
  m_asked_for.insert(number);
  llvm::json::Object session{{"targetId", number},
                             {"debuggerId", m_parent->debugger.GetID()}};
  llvm::json::Object configuration{{"type", "lldb"},
                                   {"name", rank.GetLabel()},
                                   {"session", std::move(session)}};
  const protocol::Id id = m_parent->Send(protocol::Request{
      "startDebugging",
      llvm::json::Object{{"request", "attach"},
                         {"configuration", std::move(configuration)}}});
  std::lock_guard<std::mutex> guard(m_parent->call_mutex);
  m_parent->inflight_reverse_requests[id] =
      std::make_unique<ChildResponse>(id, weak_from_this(), number);
}

void JobSessions::Configured(ClientSession &child) {
  m_awaited.erase(child.target.GetGloballyUniqueID());
  if (m_runs)
    FollowOthers(child);
  else
    RunIfComplete();
}

void JobSessions::Missing(lldb::user_id_t target, const std::string &why) {
  std::lock_guard<std::mutex> guard(m_mutex);
  if (m_parent)
    m_parent->SendOutput(OutputType::Important,
                         "A rank has no session: " + why + "\n");
  m_awaited.erase(target);
  RunIfComplete();
}

void JobSessions::RunIfComplete() {
  if (!m_parent || !m_is_started || m_runs || !m_awaited.empty())
    return;
  m_runs = true;
  if (m_parent->stop_at_entry || m_origin == Origin::Cores)
    return ShowStanding();
  if (llvm::Expected<std::string> text =
          RunCommand(m_parent->debugger, "job continue");
      !text)
    m_parent->SendOutput(OutputType::Important,
                         llvm::toString(text.takeError()) + "\n");
}

void JobSessions::FollowOthers(ClientSession &late) {
  const bool others_run = llvm::any_of(m_children, [&](ClientSession *child) {
    return child != &late && child->IsRunning();
  });
  if (!others_run && m_children.size() > 1)
    return late.RankStopped(late.target, /*is_shown=*/false,
                            /*is_interrupted=*/true);
  for (const Rank &rank : ListRanks())
    if (rank.target == late.target)
      if (llvm::Expected<std::string> text =
              RunCommand(m_parent->debugger,
                         "job continue " + std::to_string(rank.number));
          !text)
        m_parent->SendOutput(OutputType::Important,
                             llvm::toString(text.takeError()) + "\n");
}

void JobSessions::ShowStanding() {
  std::set<lldb::user_id_t> with_reason;
  for (Rank &rank : ListRanks())
    if (rank.has_reason)
      with_reason.insert(rank.target.GetGloballyUniqueID());
  // The first session to report a stop is the one that an editor shows.
  bool is_shown = true;
  for (bool is_interrupted : {false, true})
    for (ClientSession *child : m_children) {
      if (with_reason.count(child->target.GetGloballyUniqueID()) ==
          is_interrupted)
        continue;
      lldb::SBTarget stopped = child->FindStopped();
      child->RankStopped(stopped.IsValid() ? stopped : child->target,
                         std::exchange(is_shown, false), is_interrupted);
    }
}

//===-- What the ranks do -------------------------------------------------===//

ClientSession *JobSessions::FindChild(lldb::user_id_t number) const {
  const auto found = llvm::find_if(m_children, [&](ClientSession *child) {
    return child->targets.Owns(
        child->debugger.FindTargetByGloballyUniqueID(number));
  });
  return found == m_children.end() ? nullptr : *found;
}

void JobSessions::HandleStop(const JobEvent &event) {
  // The first session to report a stop is the one that an editor shows.
  bool is_shown = true;
  for (lldb::user_id_t number : event.targets)
    if (ClientSession *child = FindChild(number))
      child->RankStopped(child->debugger.FindTargetByGloballyUniqueID(number),
                         std::exchange(is_shown, false),
                         llvm::is_contained(event.interrupted, number));
}

void JobSessions::HandleEvent(const JobEvent &event) {
  std::lock_guard<std::mutex> guard(m_mutex);
  switch (event.kind) {
  case JobEvent::Kind::Joined:
    // The first ones are asked for together.
    for (lldb::user_id_t number : event.targets)
      if (m_parent && m_is_started && !m_asked_for.count(number))
        StartChild(m_parent->debugger.FindTargetByGloballyUniqueID(number));
    break;
  case JobEvent::Kind::Running:
    for (lldb::user_id_t number : event.targets)
      if (ClientSession *child = FindChild(number))
        child->RankRuns();
    break;
  case JobEvent::Kind::Stopped:
    HandleStop(event);
    break;
  case JobEvent::Kind::Ended:
    for (lldb::user_id_t number : event.targets) {
      if (ClientSession *child = FindChild(number))
        child->RankEnded();
      m_awaited.erase(number);
    }
    RunIfComplete();
    break;
  case JobEvent::Kind::Over:
    if (m_parent)
      m_parent->SendTerminatedEvent();
    break;
  }
}

void JobSessions::ShareBreakpoints() {
  // The list is of what all have.
  if (m_parent)
    llvm::consumeError(
        RunCommand(m_parent->debugger, "breakpoint list --brief").takeError());
}

void JobSessions::Pause() {
  for (ClientSession *child : m_children)
    if (child->IsRunning())
      return child->interrupter.Start(/*thread=*/LLDB_INVALID_THREAD_ID);
}

//===-- The end -----------------------------------------------------------===//

llvm::Error JobSessions::Kill() {
  if (!m_parent)
    return llvm::Error::success();
  return RunCommand(m_parent->debugger, "job kill").takeError();
}

void JobSessions::End(bool terminates) {
  llvm::consumeError(
      RunCommand(m_parent->debugger, terminates ? "job kill" : "job detach")
          .takeError());
  for (ClientSession *child : m_children) {
    child->target = lldb::SBTarget();
    child->has_left_job = true;
    llvm::consumeError(child->Disconnect());
  }
  m_children.clear();
}

void JobSessions::Add(ClientSession &child) {
  m_children.push_back(&child);
  std::lock_guard<std::mutex> guard(m_alive_mutex);
  ++m_alive;
}

void JobSessions::Leave(ClientSession &session) {
  session.has_left_job = true;
  if (&session == m_parent) {
    m_parent = nullptr;
    return;
  }
  llvm::erase(m_children, &session);
  m_awaited.erase(session.target.GetGloballyUniqueID());
  RunIfComplete();
}

void JobSessions::Gone() {
  std::lock_guard<std::mutex> guard(m_alive_mutex);
  --m_alive;
  m_alive_changed.notify_all();
}

void JobSessions::WaitForChildren() {
  std::unique_lock<std::mutex> lock(m_alive_mutex);
  m_alive_changed.wait_for(lock, kPatience, [&] { return !m_alive; });
}
