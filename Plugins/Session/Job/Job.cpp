//===-- Job.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Job.h"
#include "HostPlace.h"
#include "ParallelForEach.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Host/Host.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Target/ThreadList.h"
#include "lldb/Utility/Event.h"
#include "lldb/Utility/State.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <sys/socket.h>
#include <utility>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace job = ::wavelane::job;
using Clock = std::chrono::steady_clock;

/// What a rank that was attached to says about its number: it comes from the
/// command line.
static constexpr llvm::StringLiteral kAttached("--rank");
// LLDB recognizes by the beginning that the listener isn't a user of the
// process: see Process::StateChangedIsExternallyHijacked.
static constexpr const char *kListenerName = "lldb.internal.wavelane.job";
/// How often waits look for Ctrl-C, and for ranks that don't stop.
static constexpr auto kInterval = std::chrono::milliseconds(200);
static constexpr auto kInterruptAgain = std::chrono::seconds(2);
/// Many ranks on few cores need longer; an interrupt too many would stop the
/// job again later.
static constexpr auto kInterruptAgainForEach = std::chrono::milliseconds(50);
static constexpr auto kLauncherPatience = std::chrono::seconds(3);
/// From the end of a launcher to those of its ranks.
static constexpr auto kEndsPatience = std::chrono::seconds(1);
/// Longer than a resume takes.
static constexpr auto kStandingPatience = std::chrono::seconds(5);
static constexpr auto kStopPatience = std::chrono::seconds(20);

//===-- All jobs ----------------------------------------------------------===//

// Neither is destroyed: threads may outlive main.
static std::mutex &GetRegistryMutex() {
  static std::mutex &mutex = *new std::mutex;
  return mutex;
}

static std::map<Debugger *, std::shared_ptr<Job>> &GetRegistry() {
  static auto &registry = *new std::map<Debugger *, std::shared_ptr<Job>>;
  return registry;
}

std::shared_ptr<Job> Job::Find(Debugger &debugger) {
  std::lock_guard<std::mutex> guard(GetRegistryMutex());
  auto found = GetRegistry().find(&debugger);
  return found == GetRegistry().end() ? nullptr : found->second;
}

llvm::Expected<std::shared_ptr<Job>> Job::Create(const TargetSP &target_sp,
                                                 llvm::StringRef address) {
  std::shared_ptr<Job> before = Find(target_sp->GetDebugger());
  if (before && before->IsAlive() && !before->HasEnded())
    return llvm::createStringError("a job is already being debugged: `rank "
                                   "list` shows it, `job kill` ends "
                                   "it");
  std::shared_ptr<Job> job(new Job(target_sp));
  auto socket = JobSocket::Create(*job, address);
  if (!socket)
    return socket.takeError();
  job->m_socket = std::move(*socket);
  if (before) {
    // What the user has set in a rank of the last job holds for the next one.
    before->SynchronizeBreakpoints();
    before->End();
  }
  std::lock_guard<std::mutex> guard(GetRegistryMutex());
  GetRegistry()[&target_sp->GetDebugger()] = job;
  return job;
}

void Job::Clear(Debugger *debugger) {
  std::vector<std::shared_ptr<Job>> gone;
  {
    std::lock_guard<std::mutex> guard(GetRegistryMutex());
    for (auto it = GetRegistry().begin(); it != GetRegistry().end();) {
      if (!debugger || it->first == debugger) {
        gone.push_back(it->second);
        it = GetRegistry().erase(it);
      } else {
        ++it;
      }
    }
  }
  for (auto &job : gone) {
    job->Leave();
    job->End();
  }
}

JobBroadcaster::JobBroadcaster(Debugger &debugger)
    : Broadcaster(debugger.GetBroadcasterManager(),
                  JobEvent::BroadcasterClass) {
  CheckInWithManager();
}

Job::Job(const TargetSP &target_sp)
    : m_debugger(target_sp->GetDebugger()), m_hub_wp(target_sp),
      m_listener_sp(Listener::MakeListener(kListenerName)),
      m_broadcaster(m_debugger), m_breakpoints(target_sp) {
  m_listener_sp->StartListeningForEvents(
      target_sp.get(), Target::eBroadcastBitBreakpointChanged);
  m_thread = std::thread([this] { Run(); });
}

Job::~Job() { End(); }

/// Ends all threads, and forgets the targets of the ranks.
void Job::End() {
  m_socket.reset();
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_exit = true;
  }
  m_changed.notify_all();
  m_launcher.reset();
  if (m_thread.joinable())
    m_thread.join();
  for (const RankSP &rank : GetRanks()) {
    if (rank->reader.joinable())
      rank->reader.join();
    if (rank->coupling_sp)
      rank->coupling_sp->SetInterrupt(nullptr);
    TargetList &targets = m_debugger.GetTargetList();
    for (TargetSP target_sp :
         {rank->coupling_sp ? rank->coupling_sp->GetGPUTarget() : nullptr,
          rank->GetTarget()})
      if (target_sp)
        targets.DeleteTarget(target_sp);
  }
}

//===-- Ranks -------------------------------------------------------------===//

template <typename Condition> bool Job::HasAny(Condition condition) const {
  return llvm::any_of(
      m_ranks, [&](const auto &entry) { return condition(*entry.second); });
}

std::vector<RankSP> Job::GetRanks() const {
  std::lock_guard<std::mutex> guard(m_mutex);
  std::vector<RankSP> ranks;
  for (const auto &[number, rank] : m_ranks)
    ranks.push_back(rank);
  return ranks;
}

RankSP Job::FindRank(uint32_t number) const {
  std::lock_guard<std::mutex> guard(m_mutex);
  auto found = m_ranks.find(number);
  return found == m_ranks.end() ? nullptr : found->second;
}

RankSP Job::FindRank(const Target &target) const {
  std::lock_guard<std::mutex> guard(m_mutex);
  for (const auto &[number, rank] : m_ranks)
    if (rank->GetTarget().get() == &target ||
        (rank->coupling_sp &&
         rank->coupling_sp->GetGPUTarget().get() == &target))
      return rank;
  return nullptr;
}

uint32_t Job::GetSize() const {
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_size;
}

llvm::Expected<std::vector<RankSP>>
Job::ParseRanks(llvm::StringRef text) const {
  std::vector<RankSP> all = GetRanks();
  if (text == "all" || text == "*")
    return all;
  std::map<uint32_t, RankSP> known, chosen;
  for (const RankSP &rank : all)
    known[rank->GetNumber()] = rank;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [from, to] = part.split('-');
    uint32_t first, last;
    if (from.getAsInteger(10, first) ||
        (part.contains('-') ? to.getAsInteger(10, last)
                            : (last = first, false)) ||
        last < first)
      return llvm::createStringError(
          "'" + text +
          "' isn't a list of ranks: give numbers and ranges "
          "without spaces, as 0-3,7, or all");
    for (uint64_t number = first; number <= last; ++number) {
      auto found = known.find(uint32_t(number));
      if (found == known.end())
        return llvm::createStringError(
            llvm::formatv("there is no rank {0}: `rank list` shows them",
                          number)
                .str());
      chosen.insert(*found);
    }
  }
  std::vector<RankSP> ranks;
  for (const auto &[number, rank] : chosen)
    ranks.push_back(rank);
  return ranks;
}

bool Job::IsAlive() const {
  if (m_launcher && m_launcher->IsAlive())
    return true;
  std::lock_guard<std::mutex> guard(m_mutex);
  return HasAny([](const Rank &rank) { return rank.IsAlive(); });
}

bool Job::HasEnded() const {
  std::lock_guard<std::mutex> guard(m_mutex);
  return !m_ranks.empty() &&
         !HasAny([](const Rank &rank) { return rank.IsAlive(); });
}

bool Job::IsRunning() const {
  std::lock_guard<std::mutex> guard(m_mutex);
  return HasAny(
      [](const Rank &rank) { return rank.state == Rank::State::Running; });
}

//===-- How ranks come ----------------------------------------------------===//

llvm::Error Job::Launch(const std::vector<std::string> &words) {
  Environment environment = Host::GetEnvironment();
  std::string folder;
  if (TargetSP hub_sp = m_hub_wp.lock()) {
    environment = hub_sp->GetEnvironment();
    folder = hub_sp->GetLaunchWorkingDirectory().str();
  }
  environment[job::AddressVariable] = m_socket->GetAddress();
  environment[job::SecretVariable] = m_socket->GetSecret();
  m_command = llvm::join(words, " ");
  auto launcher = Launcher::Start(*this, words, environment, folder);
  if (!launcher)
    return launcher.takeError();
  m_launcher = std::move(*launcher);
  return llvm::Error::success();
}

llvm::Error Job::Attach(const std::string &rank_program,
                        llvm::ArrayRef<Attached> processes,
                        llvm::ArrayRef<std::string> shell) {
  // Command lines can be seen by others.
  const std::string secret =
      m_socket->GetAddress() + "\n" + m_socket->GetSecret() + "\n";
  m_attached = processes.vec();
  for (const Attached &one : processes) {
    std::vector<std::string> words;
    if (!one.host.empty()) {
      words = shell.vec();
      words.push_back(one.host);
    }
    for (const std::string &word :
         {rank_program, std::string("--job-from-input"),
          std::string("--attach"), std::to_string(one.pid),
          std::string("--rank"), std::to_string(one.rank)})
      words.push_back(word);
    if (llvm::Error error = m_attach_starts.Start(one.rank, words, secret))
      return error;
  }
  return llvm::Error::success();
}

/// Why those that haven't come won't; empty as long as any may.
std::string Job::DescribeUnattached() {
  std::string text;
  for (const Attached &one : m_attached) {
    // Its end first: one that ends has reported before.
    const std::string end = m_attach_starts.FindEnd(one.rank);
    if (m_ranks.count(one.rank))
      continue;
    if (end.empty())
      return "";
    text += llvm::formatv("{0}rank {1}, process {2}{3}: {4}",
                          text.empty() ? "" : "\n", one.rank, one.pid,
                          one.host.empty() ? "" : " on " + one.host, end);
  }
  return text;
}

llvm::Expected<job::Terms> Job::Admit(const job::Registration &registration) {
  job::Terms terms;
  namespace setting = ::wavelane::server::packets::setting;
  const llvm::json::Object settings =
      GetProcessAMDGPUProperties().GetServerSettings();
  if (auto device = settings.getString(setting::Device))
    terms.Device = device->str();
  if (auto runtime = settings.getString(setting::Runtime))
    terms.Runtime = runtime->str();
  terms.EndsWithDebugger = GetProcessAMDGPUProperties().EndsRanksWithLLDB() &&
                           registration.Source != kAttached;
  std::lock_guard<std::mutex> guard(m_mutex);
  if (m_exit)
    return llvm::createStringError("the job has ended");
  auto known = m_ranks.find(registration.Rank);
  if (known != m_ranks.end() && known->second->IsAlive())
    return llvm::createStringError(
        llvm::formatv("rank {0} has reported already, as process {1} on {2}; "
                      "this is process {3} on {4}",
                      registration.Rank, known->second->registration.Pid,
                      known->second->registration.Host, registration.Pid,
                      registration.Host)
            .str());
  m_ranks[registration.Rank] = std::make_shared<Rank>(registration);
  if (registration.Size)
    m_size = std::max(m_size, *registration.Size);
  return terms;
}

void Job::Refused(const std::string &why) { Print("warning: " + why + "\n"); }

std::string Job::DescribeOtherProgram(const Rank &rank) {
  std::lock_guard<std::mutex> guard(m_mutex);
  const llvm::StringRef program =
      llvm::sys::path::filename(rank.registration.Program);
  for (const auto &[number, other] : m_ranks) {
    const llvm::StringRef others =
        llvm::sys::path::filename(other->registration.Program);
    if (others == program || std::exchange(m_reported_programs, true))
      continue;
    return llvm::formatv("rank {0} runs {1}, and rank {2} runs {3}",
                         rank.GetNumber(), program, number, others);
  }
  return "";
}

void Job::Joined(const job::Registration &registration, int fd) {
  RankSP rank = FindRank(registration.Rank);
  if (!rank)
    return;
  if (const std::string text = DescribeOtherProgram(*rank); !text.empty())
    Print("warning: " + text + "\n");
  rank->fd = fd;
  llvm::Error error = Connect(rank);
  bool runs;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (error) {
      rank->state = Rank::State::Ended;
      rank->end = "couldn't be connected: " + llvm::toString(std::move(error));
    }
    runs = m_runs && !m_holds_late && rank->state == Rank::State::Stopped;
  }
  m_changed.notify_all();
  if (!rank->end.empty()) {
    Print(llvm::formatv("error: rank {0} {1}\n", registration.Rank, rank->end)
              .str());
    return;
  }
  Announce(JobEvent::Kind::Joined, rank);
  if (runs)
    llvm::consumeError(Resume(rank));
}

llvm::Error Job::Connect(const RankSP &rank) {
  TargetList &targets = m_debugger.GetTargetList();
  TargetSP target_sp;
  {
    // Creating a target selects it.
    static std::mutex &mutex = *new std::mutex;
    std::lock_guard<std::mutex> guard(mutex);
    TargetSP selected_sp = targets.GetSelectedTarget();
    Status error =
        targets.CreateTarget(m_debugger, rank->registration.Program,
                             /*triple_str=*/"", eLoadDependentsNo,
                             /*platform_options=*/nullptr, target_sp);
    if (selected_sp)
      targets.SetSelectedTarget(selected_sp);
    if (error.Fail())
      return error.takeError();
  }
  llvm::consumeError(
      target_sp->SetLabel("rank " + std::to_string(rank->GetNumber())));
  // When several targets load the same modules at once, and preload their
  // symbols, LLDB's threads may wait for each other.
  target_sp->SetPreloadSymbols(false);
  std::shared_ptr<GPUCoupling> coupling_sp =
      GPUCoupling::GetOrCreate(*target_sp);
  rank->listener_sp = Listener::MakeListener(kListenerName);
  coupling_sp->SetReader(rank->listener_sp);
  // One that doesn't stop would keep the others running.
  coupling_sp->SetInterrupt([this] {
    if (GetProcessAMDGPUProperties().RunsJobAsOne())
      Interrupt();
  });
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    rank->target_wp = target_sp;
    rank->coupling_sp = coupling_sp;
    if (m_exit)
      return llvm::createStringError("the job has ended");
    rank->reader = std::thread([this, rank] { Run(rank); });
  }
  CountNeighbors(rank->registration.Host);
  m_breakpoints.Add(target_sp, rank->GetNumber());
  m_listener_sp->StartListeningForEvents(
      target_sp.get(), Target::eBroadcastBitBreakpointChanged);
  ProcessSP process_sp =
      target_sp->CreateProcess(m_debugger.GetListener(), "gdb-remote",
                               /*crash_file=*/nullptr, /*can_connect=*/true);
  if (!process_sp)
    return llvm::createStringError("LLDB's process plugin is missing");
  process_sp->HijackProcessEvents(rank->listener_sp);
  Status error = process_sp->ConnectRemote("fd://" + std::to_string(rank->fd));
  if (error.Fail())
    return error.takeError();
  std::unique_lock<std::mutex> lock(m_mutex);
  m_changed.wait_for(lock, kStopPatience, [&] {
    return rank->state != Rank::State::Connecting || m_exit;
  });
  if (rank->state == Rank::State::Connecting)
    return llvm::createStringError("it doesn't stop");
  return llvm::Error::success();
}

void Job::CountNeighbors(const std::string &host) {
  std::lock_guard<std::mutex> guard(m_mutex);
  std::vector<std::shared_ptr<GPUCoupling>> couplings;
  for (const auto &[number, rank] : m_ranks)
    if (rank->registration.Host == host && rank->coupling_sp && rank->IsAlive())
      couplings.push_back(rank->coupling_sp);
  for (const auto &coupling_sp : couplings)
    coupling_sp->SetGPUCount(unsigned(couplings.size()));
}

bool Job::WaitForRanks(uint32_t count, std::chrono::seconds patience,
                       std::string &why) {
  std::unique_lock<std::mutex> lock(m_mutex);
  size_t known = 0;
  Clock::time_point last = Clock::now();
  while (true) {
    const uint32_t wanted = count ? count : m_size;
    const bool connects = HasAny(
        [](const Rank &rank) { return rank.state == Rank::State::Connecting; });
    if (wanted && m_ranks.size() >= wanted && !connects)
      return true;
    if (!m_launcher_end.empty() && !connects) {
      why = m_launcher_end;
      return false;
    }
    if (std::string ends = connects ? "" : DescribeUnattached();
        !ends.empty()) {
      why = std::move(ends);
      return false;
    }
    if (m_ranks.size() != known) {
      known = m_ranks.size();
      last = Clock::now();
    }
    if (Clock::now() - last > patience) {
      if (!wanted && known)
        return true; // the launcher doesn't say how many there are
      std::vector<uint32_t> missing;
      for (uint32_t number = 0; number < wanted; ++number)
        if (!m_ranks.count(number))
          missing.push_back(number);
      why = missing.empty()
                ? "no rank has reported"
                : NameRanks(missing) +
                      (missing.size() == 1 ? " hasn't" : " haven't") +
                      " reported";
      why += " for " + std::to_string(patience.count()) + " s";
      return false;
    }
    lock.unlock();
    const bool interrupted = m_debugger.InterruptRequested();
    lock.lock();
    if (interrupted) {
      why = "interrupted";
      return false;
    }
    m_changed.wait_for(lock, kInterval);
  }
}

void Job::SynchronizeBreakpoints() {
  // A GPU's go to all hosts, and from there to their GPUs.
  const auto share_in_ranks = [ranks = GetRanks()] {
    for (const RankSP &rank : ranks)
      if (rank->coupling_sp)
        rank->coupling_sp->SynchronizeBreakpoints();
  };
  share_in_ranks();
  m_breakpoints.Synchronize();
  share_in_ranks();
}

//===-- Running -----------------------------------------------------------===//

llvm::Error Job::Resume() {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_runs = true;
  }
  return Resume(GetRanks());
}

llvm::Error Job::Resume(llvm::ArrayRef<RankSP> ranks) {
  m_breakpoints.Synchronize();
  std::vector<RankSP> chosen;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    for (const RankSP &rank : ranks) {
      if (rank->state != Rank::State::Stopped || rank->is_core)
        continue;
      rank->state = Rank::State::Running;
      rank->has_reason = false;
      rank->may_stop_again = std::exchange(rank->is_interrupted, false);
      chosen.push_back(rank);
    }
    m_stops = false;
    m_has_news = !chosen.empty();
  }
  std::map<std::string, std::vector<uint32_t>> failures;
  // The ranks that run already keep the servers of the others from the
  // processor.
  ForEachInParallel(chosen, [&](const RankSP &rank) {
    ProcessSP process_sp = rank->GetProcess();
    Status error = process_sp ? process_sp->Resume()
                              : Status::FromErrorString("its target is gone");
    if (error.Success())
      return;
    std::lock_guard<std::mutex> guard(m_mutex);
    if (rank->state == Rank::State::Running)
      rank->state = Rank::State::Stopped;
    failures[error.AsCString()].push_back(rank->GetNumber());
  });
  Announce(JobEvent::Kind::Running, chosen);
  std::string text;
  for (const auto &[why, numbers] : failures)
    text += (text.empty() ? "" : "; ") + NameRanks(numbers) +
            " can't be resumed: " + why;
  return text.empty() ? llvm::Error::success() : llvm::createStringError(text);
}

void Job::Interrupt() {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_stops = true;
    m_stop_began = Clock::now();
  }
  InterruptRunning();
}

void Job::InterruptRunning() {
  std::vector<RankSP> running;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_interrupted = Clock::now();
    for (const auto &[number, rank] : m_ranks)
      if (rank->state == Rank::State::Running) {
        rank->is_interrupted = true;
        running.push_back(rank);
      }
  }
  for (const RankSP &rank : running)
    if (ProcessSP process_sp = rank->GetProcess())
      process_sp->SendAsyncInterrupt();
}

void Job::Expect() {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_is_awaited = true;
}

void Job::WaitForStop() {
  std::unique_lock<std::mutex> lock(m_mutex);
  bool interrupted = false;
  while (HasAny(
      [](const Rank &rank) { return rank.state == Rank::State::Running; })) {
    m_changed.wait_for(lock, kInterval);
    if (interrupted || m_exit)
      continue;
    lock.unlock();
    interrupted = m_debugger.InterruptRequested();
    if (interrupted)
      Interrupt();
    lock.lock();
  }
  // What the launcher says in the end is about the ranks.
  const bool has_launcher = m_launcher && m_launcher->IsAlive();
  if (has_launcher && !HasAny([](const Rank &rank) { return rank.IsAlive(); }))
    m_changed.wait_for(lock, kLauncherPatience,
                       [&] { return !m_launcher_end.empty() || m_exit; });
  m_is_awaited = false;
}

//===-- Events ------------------------------------------------------------===//

void Job::Run() {
  while (true) {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      if (m_exit)
        return;
    }
    EventSP event_sp;
    if (m_listener_sp->GetEvent(event_sp, kInterval) && event_sp)
      m_breakpoints.Synchronize();
    LookAtOverdue();
  }
}

void Job::Run(const RankSP &rank) {
  while (true) {
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      if (m_exit)
        return;
    }
    EventSP event_sp;
    if (rank->listener_sp->GetEvent(event_sp, kInterval) && event_sp)
      HandleEvent(rank, event_sp);
    LookAtStanding(rank);
  }
}

void Job::HandleEvent(const RankSP &rank, const EventSP &event_sp) {
  if (event_sp->GetType() != Process::eBroadcastBitStateChanged)
    return;
  ProcessSP process_sp =
      Process::ProcessEventData::GetProcessFromEvent(event_sp.get());
  // A script may delete the target; a process doesn't check its weak reference
  // to it.
  TargetSP target_sp = process_sp ? process_sp->CalculateTarget() : nullptr;
  if (!target_sp)
    return;
  const bool is_host = process_sp == rank->GetProcess();
  switch (Process::ProcessEventData::GetStateFromEvent(event_sp.get())) {
  case eStateStopped:
  case eStateCrashed:
  case eStateSuspended: {
    if (Process::ProcessEventData::GetRestartedFromEvent(event_sp.get()))
      return;
    bool pop_process_io_handler = true;
    Process::HandleProcessStateChangedEvent(event_sp, /*stream=*/nullptr,
                                            SelectMostRelevantFrame,
                                            pop_process_io_handler);
    if (rank->coupling_sp->IsStopped())
      HandleStop(rank);
    return;
  }
  case eStateExited:
  case eStateDetached:
  case eStateUnloaded:
    if (is_host)
      HandleEnd(rank, *process_sp);
    return;
  case eStateRunning:
  case eStateStepping: {
    // The user has resumed it alone.
    std::unique_lock<std::mutex> lock(m_mutex);
    if (is_host && rank->state == Rank::State::Stopped) {
      rank->state = Rank::State::Running;
      m_has_news = true;
      lock.unlock();
      Announce(JobEvent::Kind::Running, rank);
    }
    return;
  }
  default:
    return;
  }
}

/// Whether a rank has stopped since the last time: both sides report a stop,
/// and the second event may come when the job has resumed the rank, or is about
/// to. LLDB takes a process as stopped until it has read that it runs.
bool Job::IsNewStop(Rank &rank) {
  ProcessSP host_sp = rank.GetProcess();
  const uint32_t stop = host_sp ? host_sp->GetLastNaturalStopID() : 0;
  const bool is_new = rank.taken_stop != stop;
  rank.taken_stop = stop;
  std::lock_guard<std::mutex> guard(m_mutex);
  return is_new || rank.state != Rank::State::Running;
}

/// Whether a rank stops because of an interrupt that has crossed its last stop:
/// nobody has asked for this one.
bool Job::IsStray(Rank &rank, bool has_reason) {
  std::lock_guard<std::mutex> guard(m_mutex);
  return rank.state == Rank::State::Running &&
         std::exchange(rank.may_stop_again, false) && !has_reason && !m_stops &&
         !rank.is_interrupted && GetProcessAMDGPUProperties().RunsJobAsOne();
}

void Job::HandleStop(const RankSP &rank) {
  if (!IsNewStop(*rank))
    return;
  ProcessSP host_sp = rank->GetProcess(), gpu_sp = rank->GetGPU();
  const bool host_has = host_sp && rank->coupling_sp->HasReason(*host_sp);
  const bool gpu_has = gpu_sp && rank->coupling_sp->HasReason(*gpu_sp);
  bool stops_others = false, all_stopped = false;
  if (IsStray(*rank, host_has || gpu_has) && host_sp &&
      host_sp->Resume().Success())
    return;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (rank->state == Rank::State::Connecting) {
      rank->state = Rank::State::Stopped;
      m_changed.notify_all();
      return;
    }
    if (rank->state == Rank::State::Ended)
      return;
    const bool is_new = rank->state == Rank::State::Running;
    rank->state = Rank::State::Stopped;
    rank->has_reason = host_has || gpu_has;
    rank->shows_gpu = gpu_has || (rank->shows_gpu && gpu_sp && !host_has);
    if (is_new)
      rank->stop_number = ++m_stop_count;
    const bool others_run = HasAny(
        [](const Rank &other) { return other.state == Rank::State::Running; });
    stops_others =
        others_run && !m_stops && GetProcessAMDGPUProperties().RunsJobAsOne();
    all_stopped = !others_run || !GetProcessAMDGPUProperties().RunsJobAsOne();
  }
  if (stops_others)
    Interrupt();
  if (all_stopped)
    AllStopped();
}

void Job::HandleEnd(const RankSP &rank, Process &process) {
  std::string text;
  bool all_stopped = false;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (rank->state == Rank::State::Ended)
      return;
    // A server that has detached waits for the end of the connection.
    ::shutdown(rank->fd, SHUT_RDWR);
    const bool was_connecting = rank->state == Rank::State::Connecting;
    rank->state = Rank::State::Ended;
    const int status = process.GetExitStatus();
    const char *how = process.GetExitDescription();
    // The end of a GPU's connection may be reported first.
    if (process.GetState() == eStateDetached ||
        (m_is_detached && status == 0 && !(how && *how))) {
      rank->end = "detached";
      rank->ended_well = true;
    } else {
      rank->end = "exited with status " + std::to_string(status);
      // A launcher may have been faster than `job kill`.
      if (m_is_killed || (how && llvm::StringRef(how) == "killed"))
        rank->end = "was killed";
      else if (how && *how)
        rank->end = status == -1 ? std::string("is gone: ") + how
                                 : rank->end + " (" + how + ")";
      rank->ended_well = status == 0 && !(how && *how);
    }
    if (rank->ended_well)
      m_ended_well.push_back(rank->GetNumber());
    else
      text = llvm::formatv("rank {0} {1}{2}\n", rank->GetNumber(), rank->end,
                           was_connecting ? ", before it began" : "");
    m_has_news = true;
    m_changed.notify_all();
    all_stopped = !HasAny(
        [](const Rank &other) { return other.state == Rank::State::Running; });
  }
  if (!text.empty())
    Print(text);
  Announce(JobEvent::Kind::Ended, rank);
  if (all_stopped)
    AllStopped();
  LookIfOver();
}

void Job::LookAtStanding(const RankSP &rank) {
  bool is_running = false;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    is_running = rank->state == Rank::State::Running;
  }
  if (!is_running || !rank->coupling_sp->IsStopped())
    rank->standing_since.reset();
  else if (!rank->standing_since)
    rank->standing_since = Clock::now();
  else if (Clock::now() - *rank->standing_since > kStandingPatience)
    HandleStop(rank);
}

void Job::LookAtOverdue() {
  std::vector<uint32_t> stuck;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (!m_stops ||
        Clock::now() - m_interrupted <
            kInterruptAgain + m_ranks.size() * kInterruptAgainForEach)
      return;
    for (const auto &[number, rank] : m_ranks)
      if (rank->state == Rank::State::Running)
        stuck.push_back(number);
    if (stuck.empty()) {
      m_stops = false;
      return;
    }
    if (Clock::now() - m_stop_began < kStopPatience)
      stuck.clear();
    else
      m_stop_began = Clock::now();
  }
  if (!stuck.empty())
    Print("warning: " + NameRanks(stuck) +
          (stuck.size() == 1 ? " doesn't stop\n" : " don't stop\n"));
  InterruptRunning();
}

void Job::AllStopped() {
  bool shows = false;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_stops = false;
    // Ranks that are still to be detached aren't reported.
    shows = m_has_news && !m_is_awaited && !m_is_killed &&
            !(m_is_detached &&
              HasAny([](const Rank &rank) { return rank.IsAlive(); }));
  }
  m_changed.notify_all();
  if (shows) {
    StreamString text;
    ShowStop(text);
    Print(text.GetString().str());
  }
  AnnounceStop();
}

//===-- What the user sees ------------------------------------------------===//

void Job::Print(const std::string &text) {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (m_is_killed)
      return;
  }
  StreamSP stream_sp = m_debugger.GetAsyncOutputStream();
  stream_sp->PutCString(text);
  stream_sp->Flush();
}

void Job::Printed(llvm::StringRef text) { Print(text.str()); }

void Job::LauncherEnded(const std::string &how) {
  const auto is_left = [&] {
    return HasAny([](const Rank &rank) { return rank.IsAlive(); });
  };
  bool is_alive;
  {
    std::unique_lock<std::mutex> lock(m_mutex);
    m_launcher_end = "the launcher " + how;
    m_changed.notify_all();
    // Their ends may be on their way.
    m_changed.wait_for(lock, kEndsPatience,
                       [&] { return m_exit || !is_left(); });
    is_alive = is_left();
  }
  if (is_alive)
    Print(m_launcher_end + ", and left ranks\n");
  LookIfOver();
}

/// The selected rank if it has stopped for a reason, or else the first that
/// has; otherwise the selected one.
RankSP Job::ChooseShown() {
  TargetSP target_sp = m_debugger.GetTargetList().GetSelectedTarget();
  RankSP selected = target_sp ? FindRank(*target_sp) : nullptr;
  RankSP first, any;
  std::lock_guard<std::mutex> guard(m_mutex);
  if (selected && selected->state == Rank::State::Stopped &&
      selected->has_reason)
    return selected;
  for (const auto &[number, rank] : m_ranks) {
    if (rank->state != Rank::State::Stopped)
      continue;
    if (!any)
      any = rank;
    if (rank->has_reason && (!first || rank->stop_number < first->stop_number))
      first = rank;
  }
  if (first)
    return first;
  return selected && selected->state == Rank::State::Stopped ? selected : any;
}

/// Of a rank that was only interrupted, the thread that runs the program is
/// selected, once for each stop: LLDB has selected any.
static void SelectProgramsThread(Rank &rank) {
  ProcessSP host_sp = rank.GetProcess();
  if (rank.state != Rank::State::Stopped || rank.has_reason || !host_sp ||
      std::exchange(rank.placed_stop, host_sp->GetLastNaturalStopID()) ==
          host_sp->GetLastNaturalStopID())
    return;
  if (ThreadSP thread_sp = GetShownThread(*host_sp))
    host_sp->GetThreadList().SetSelectedThreadByID(thread_sp->GetID());
}

void Job::Select(Rank &rank) {
  SelectProgramsThread(rank);
  if (TargetSP target_sp = rank.GetShownTarget())
    m_debugger.GetTargetList().SetSelectedTarget(target_sp);
}

void Job::Announce(const JobEvent &event) {
  if (m_broadcaster.EventTypeHasListeners(JobEvent::Bit))
    m_broadcaster.BroadcastEvent(
        JobEvent::Bit, std::make_shared<EventDataBytes>(event.Format()));
}

void Job::Announce(JobEvent::Kind kind, llvm::ArrayRef<RankSP> ranks) {
  JobEvent event;
  event.kind = kind;
  for (const RankSP &rank : ranks)
    if (TargetSP target_sp = rank->GetTarget())
      event.targets.push_back(target_sp->GetGloballyUniqueID());
  Announce(event);
}

void Job::AnnounceStop() {
  JobEvent event;
  event.kind = JobEvent::Kind::Stopped;
  std::vector<RankSP> ranks = GetRanks();
  if (auto shown = llvm::find(ranks, ChooseShown()); shown != ranks.end())
    std::rotate(ranks.begin(), shown, shown + 1);
  std::lock_guard<std::mutex> guard(m_mutex);
  for (const RankSP &rank : ranks) {
    TargetSP target_sp = rank->GetShownTarget();
    if (rank->state != Rank::State::Stopped || !target_sp)
      continue;
    event.targets.push_back(target_sp->GetGloballyUniqueID());
    if (!rank->has_reason)
      event.interrupted.push_back(event.targets.back());
  }
  if (!event.targets.empty())
    Announce(event);
}

void Job::LookIfOver() {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    const bool launcher_runs = !m_command.empty() && m_launcher_end.empty();
    if (launcher_runs ||
        HasAny([](const Rank &rank) { return rank.IsAlive(); }))
      return;
  }
  Announce(JobEvent::Kind::Over, {});
}

static void PrintStop(Stream &out, Process &process) {
  process.GetStatus(out);
  ThreadSP thread_sp = process.GetThreadList().GetSelectedThread();
  const uint32_t frame =
      thread_sp ? thread_sp->GetSelectedFrameIndex(SelectMostRelevantFrame) : 0;
  process.GetThreadStatus(out, /*only_threads_with_stop_reason=*/true, frame,
                          /*num_frames=*/1, /*num_frames_with_source=*/1,
                          /*stop_format=*/true);
}

void Job::ShowStop(Stream &out) {
  std::vector<uint32_t> ended, reasons, others;
  bool is_detached = false;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (!std::exchange(m_has_news, false))
      return;
    is_detached = m_is_detached;
    ended = std::exchange(m_ended_well, {});
    for (const auto &[number, rank] : m_ranks)
      if (rank->state == Rank::State::Stopped)
        (rank->has_reason ? reasons : others).push_back(number);
  }
  llvm::sort(ended);
  if (!ended.empty())
    out << NameRanks(ended)
        << (is_detached ? " detached\n" : " exited with status 0\n");
  if (reasons.empty() && others.empty()) {
    if (!is_detached && !IsRunning())
      out << "the job has ended\n";
    return;
  }
  RankSP shown = ChooseShown();
  if (!shown)
    return;
  Select(*shown);
  if (reasons.empty())
    out << NameRanks(others) << " interrupted\n";
  else
    out << NameRanks(reasons) << " stopped"
        << (others.empty() ? "" : ", with " + NameRanks(others)) << "\n";
  out << "rank " << std::to_string(shown->GetNumber()) << ": ";
  if (TargetSP target_sp = shown->GetShownTarget())
    if (ProcessSP process_sp = target_sp->GetProcessSP())
      PrintStop(out, *process_sp);
}

//===-- The end -----------------------------------------------------------===//

void Job::Kill() {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_is_killed = true;
  }
  for (const RankSP &rank : GetRanks()) {
    ProcessSP process_sp = rank->IsAlive() ? rank->GetProcess() : nullptr;
    if (process_sp)
      process_sp->Destroy(/*force_kill=*/true);
    if (!rank->is_core)
      continue;
    // Nobody reads its events.
    std::lock_guard<std::mutex> guard(m_mutex);
    rank->state = Rank::State::Ended;
    rank->end = "closed";
  }
  // A launcher ends when its ranks have.
  if (m_launcher)
    m_launcher->End(kLauncherPatience);
  WaitForEnds();
}

void Job::Leave() {
  bool is_attached;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    is_attached = HasAny(
        [](const Rank &rank) { return rank.registration.Source == kAttached; });
    m_is_killed = true;
  }
  if (is_attached)
    Detach();
  else
    Kill();
}

void Job::Detach() {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_is_detached = true;
  }
  for (const RankSP &rank : GetRanks())
    if (rank->IsAlive() && !rank->is_core)
      if (ProcessSP process_sp = rank->GetProcess())
        process_sp->Detach(/*keep_stopped=*/false);
  WaitForEnds();
}

void Job::WaitForEnds() {
  std::unique_lock<std::mutex> lock(m_mutex);
  m_changed.wait_for(lock, kStopPatience, [&] {
    return !HasAny(
        [](const Rank &rank) { return rank.IsAlive() && !rank.is_core; });
  });
}
