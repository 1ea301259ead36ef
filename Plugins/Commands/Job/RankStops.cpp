//===-- RankStops.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RankStops.h"
#include "Commands/Base/CommandUtil.h"
#include "RankScope.h"
#include "Session/Job/Job.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/Watchpoint.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Utility/Args.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// A range of numbers is no longer than this.
static constexpr watch_id_t kMostNumbers = 1000;

thread_local RankScope *RankScope::t_current = nullptr;

/// Runs a command about the selected target.
static CommandReturnObject Run(Debugger &debugger, const std::string &line,
                               const TargetSP &target_sp) {
  CommandReturnObject own(/*colors=*/false);
  debugger.GetCommandInterpreter().HandleCommand(
      line.c_str(), eLazyBoolNo,
      ExecutionContext(target_sp.get(),
                       /*fill_current_process_thread_frame=*/true),
      own);
  return own;
}

//===-- Breakpoints -------------------------------------------------------===//

static break_id_t GetLastBreakpoint(const TargetSP &target_sp) {
  BreakpointSP last_sp =
      target_sp ? target_sp->GetLastCreatedBreakpoint() : nullptr;
  return last_sp ? last_sp->GetID() : 0;
}

static void NameNewBreakpoints(const TargetSP &target_sp, break_id_t last,
                               const std::string &name) {
  if (!target_sp)
    return;
  for (break_id_t id = last + 1; id <= GetLastBreakpoint(target_sp); ++id) {
    Status error;
    if (BreakpointSP breakpoint_sp = target_sp->GetBreakpointByID(id))
      target_sp->AddNameToBreakpoint(breakpoint_sp, name, error);
  }
}

bool lldb_private::wavelane::SetBreakpointOfRanks(Debugger &debugger,
                                                  llvm::StringRef line,
                                                  CommandReturnObject &result) {
  static thread_local bool is_nested = false;
  RankScope *scope = RankScope::Get();
  std::shared_ptr<Job> job =
      scope && !is_nested ? Job::Find(debugger) : nullptr;
  TargetSP target_sp = debugger.GetTargetList().GetSelectedTarget();
  RankSP rank = job && target_sp ? job->FindRank(*target_sp) : nullptr;
  if (!rank || scope->GetRanks().size() == job->GetRanks().size())
    return false;
  if (!scope->breakpoint_text) {
    // The GPU's side gets the host's, or the other way round.
    TargetSP host_sp = rank->GetTarget();
    const break_id_t last = GetLastBreakpoint(host_sp);
    job->HoldBreakpoints(true);
    is_nested = true;
    CommandReturnObject own = Run(debugger, line.str(), target_sp);
    is_nested = false;
    if (rank->coupling_sp)
      rank->coupling_sp->SynchronizeBreakpoints();
    NameNewBreakpoints(host_sp, last,
                       JobBreakpoints::MakeName(scope->GetRanks()));
    job->HoldBreakpoints(false);
    job->SynchronizeBreakpoints();
    if (!own.Succeeded()) {
      result.AppendError(own.GetErrorString(/*with_diagnostics=*/false));
      return true;
    }
    scope->breakpoint_text = own.GetOutputString().rtrim().str();
  }
  // The first rank has set it for all.
  result.AppendMessage(*scope->breakpoint_text);
  result.SetStatus(eReturnStatusSuccessFinishResult);
  return true;
}

//===-- Watchpoints -------------------------------------------------------===//

static watch_id_t GetLastWatchpoint(Target &target) {
  WatchpointSP last_sp = target.GetLastCreatedWatchpoint();
  return last_sp ? last_sp->GetID() : 0;
}

/// The same command with another rank's numbers of watchpoints.
/// \return None if the rank has none of them.
static std::optional<std::string>
TranslateNumbers(const Args &words, const RankWatchpoints &watchpoints,
                 const RankWatchpoints::Place &from,
                 const RankWatchpoints::Place &to) {
  // The command's name, and the rest.
  std::vector<std::string> line{(words[0].ref() + " " + words[1].ref()).str()};
  bool has_number = false, is_known = false, is_value = false;
  for (size_t i = 2; i < words.GetArgumentCount(); ++i) {
    const llvm::StringRef text = words[i].ref();
    auto [from_text, to_text] = text.split('-');
    uint32_t first = 0, last = 0;
    if (!is_value && !from_text.getAsInteger(10, first) &&
        !(to_text.empty() ? from_text : to_text).getAsInteger(10, last)) {
      has_number = true;
      for (watch_id_t id = watch_id_t(first);
           id <= watch_id_t(last) && id - watch_id_t(first) < kMostNumbers;
           ++id)
        if (auto own = watchpoints.Find(from, id, to)) {
          is_known = true;
          line.push_back(std::to_string(*own));
        }
      continue;
    }
    // --condition and --ignore-count have values.
    is_value = !is_value && text.starts_with("-") && !text.contains('=') &&
               text.ltrim('-').find_first_of("ci") == 0;
    line.push_back(text.str());
  }
  if (has_number && !is_known)
    return std::nullopt;
  // Who deletes all has been asked.
  if (!has_number && words[1].ref() == "delete")
    line.push_back("--force");
  std::vector<const char *> pointers;
  for (const std::string &word : line)
    pointers.push_back(word.c_str());
  pointers.push_back(nullptr);
  return QuoteCommand(pointers.data());
}

namespace {
/// Runs one command about watchpoints in each rank.
class WatchpointChange {
public:
  WatchpointChange(Debugger &debugger, Job &job, const RankSP &selected,
                   bool is_gpu, llvm::StringRef line)
      : m_debugger(debugger), m_job(job), m_selected(selected),
        m_is_gpu(is_gpu), m_line(line.str()), m_words(line),
        m_sets(m_words.GetArgumentCount() > 1 && m_words[1].ref() == "set") {}

  void Run(CommandReturnObject &result);

private:
  /// The side that the command is about.
  TargetSP GetSide(const RankSP &rank) const {
    ProcessSP process_sp = m_is_gpu ? rank->GetGPU() : rank->GetProcess();
    return process_sp ? process_sp->CalculateTarget() : nullptr;
  }
  bool Run(const RankSP &rank, std::string &text);

  Debugger &m_debugger;
  Job &m_job;
  const RankSP m_selected;
  const bool m_is_gpu;
  const std::string m_line;
  const Args m_words;
  const bool m_sets;
  RankWatchpoints::Group m_made;
};
} // namespace

/// \param[out] text What the command says; empty if it isn't for this rank.
bool WatchpointChange::Run(const RankSP &rank, std::string &text) {
  TargetSP target_sp = GetSide(rank);
  if (!target_sp) {
    text = "it doesn't use a GPU now";
    return false;
  }
  const RankWatchpoints::Place place{rank->GetNumber(), m_is_gpu};
  std::optional<std::string> line = m_line;
  if (!m_sets && rank != m_selected)
    line = TranslateNumbers(m_words, m_job.GetWatchpoints(),
                            {m_selected->GetNumber(), m_is_gpu}, place);
  if (!line)
    return true;
  const watch_id_t last = GetLastWatchpoint(*target_sp);
  m_debugger.GetTargetList().SetSelectedTarget(target_sp);
  CommandReturnObject own = ::Run(m_debugger, *line, target_sp);
  if (const watch_id_t made = GetLastWatchpoint(*target_sp);
      own.Succeeded() && m_sets && made > last)
    m_made[place] = made;
  text = own.Succeeded() ? own.GetOutputString().str() : own.GetErrorString();
  text = llvm::StringRef(text).rtrim().str();
  return own.Succeeded();
}

void WatchpointChange::Run(CommandReturnObject &result) {
  std::string text;
  TargetSP side_sp = GetSide(m_selected);
  const size_t count = side_sp ? side_sp->GetWatchpointList().GetSize() : 0;
  const bool has_own = Run(m_selected, text);
  if (!side_sp) {
    result.AppendError(text);
  } else if (!has_own) {
    // It is an error's text already.
    result.GetErrorStream() << text << "\n";
    result.SetStatus(eReturnStatusFailed);
  } else {
    result.AppendMessage(text);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }
  // Nobody has confirmed, or what isn't right here isn't elsewhere.
  const bool is_canceled = m_words[1].ref() == "delete" && side_sp &&
                           side_sp->GetWatchpointList().GetSize() == count;
  if (!m_sets && (!has_own || is_canceled))
    return;
  std::vector<uint32_t> done;
  std::map<std::string, std::vector<uint32_t>> failures;
  for (const RankSP &rank : m_job.GetRanks()) {
    if (rank == m_selected || rank->state != Rank::State::Stopped)
      continue;
    if (!Run(rank, text))
      failures[text].push_back(rank->GetNumber());
    else if (!text.empty())
      done.push_back(rank->GetNumber());
  }
  if (side_sp)
    m_debugger.GetTargetList().SetSelectedTarget(side_sp);
  if (m_sets)
    m_job.GetWatchpoints().Add(std::move(m_made));
  if (!done.empty())
    result.AppendMessage("also in " + NameRanks(done));
  for (const auto &[why, ranks] : failures)
    result.AppendWarning(NameRanks(ranks) + ": " + why);
}

bool lldb_private::wavelane::ChangeWatchpointsOfRanks(
    Debugger &debugger, llvm::StringRef line, CommandReturnObject &result) {
  static thread_local bool is_nested = false;
  std::shared_ptr<Job> job =
      is_nested || RankScope::Get() ? nullptr : Job::Find(debugger);
  TargetSP selected_sp = debugger.GetTargetList().GetSelectedTarget();
  RankSP rank = job && selected_sp ? job->FindRank(*selected_sp) : nullptr;
  if (!rank || rank->is_core || rank->state != Rank::State::Stopped)
    return false;
  is_nested = true;
  WatchpointChange(debugger, *job, rank,
                   /*is_gpu=*/rank->GetTarget() != selected_sp, line)
      .Run(result);
  is_nested = false;
  return true;
}
