//===-- ThreadListCommand.cpp - thread list, of many waves ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandUtil.h"
#include "Commands.h"
#include "Format/SourcePlace.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ThreadAMDGPU.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/ThreadPlan.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

/// Up to this many waves are shown one by one.
constexpr uint32_t MaxUnfolded = 32;
/// Up to this many runs of thread numbers are shown in a line.
constexpr size_t MaxRuns = 6;

/// Waves of one kernel at the same line in the same state.
struct Fold {
  std::string kernel, place, state;
  std::vector<uint32_t> threads;
  bool selected = false;
};

class FoldedWaves {
  static constexpr bool WithColumn = false;

public:
  explicit FoldedWaves(ProcessAMDGPU &process) : m_process(process) {}

  std::vector<Fold> Make() {
    std::map<std::array<std::string, 3>, size_t> known;
    std::vector<Fold> folds;
    ThreadSP selected_sp = m_process.GetThreadList().GetSelectedThread();
    for (const ThreadSP &thread_sp : m_process.GetThreadList().Threads()) {
      auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get());
      if (!wave)
        continue;
      std::array<std::string, 3> key{wave->GetKernel().GetStringRef().str(),
                                     FindPlace(*wave), FindState(*wave)};
      auto [at, is_new] = known.try_emplace(key, folds.size());
      if (is_new)
        folds.push_back({key[0], key[1], key[2], {}, false});
      Fold &fold = folds[at->second];
      fold.threads.push_back(wave->GetIndexID());
      fold.selected |= thread_sp == selected_sp;
    }
    return folds;
  }

private:
  /// The line, or the address if there is no line. Cached because thousands of
  /// waves are at few addresses.
  std::string FindPlace(ThreadAMDGPU &wave) {
    // After a step, the wave may be shown at the call of an inlined function.
    if (wave.GetCompletedPlan())
      if (StackFrameSP frame_sp = wave.GetStackFrameAtIndex(0)) {
        const LineEntry &line =
            frame_sp->GetSymbolContext(eSymbolContextLineEntry).line_entry;
        if (line.IsValid() && line.line)
          return FormatLine(line, WithColumn);
      }
    const addr_t address = wave.GetAddress();
    auto [found, is_new] = m_places.try_emplace(address);
    if (!is_new)
      return found->second;
    Target &target = m_process.GetTarget();
    found->second =
        SourcePlace::Find(target, address).Format(target, address, WithColumn);
    return found->second;
  }

  static std::string FindState(ThreadAMDGPU &wave) {
    StopInfoSP info_sp = wave.GetStopInfo();
    const char *reason = info_sp ? info_sp->GetDescription() : nullptr;
    std::string state = reason && *reason
                            ? std::string("stop reason = ") + reason
                            : "stopped with the others";
    if (wave.GetResumeState() == eStateSuspended)
      state += ", suspended";
    return state;
  }

  ProcessAMDGPU &m_process;
  llvm::DenseMap<addr_t, std::string> m_places;
};

std::string FormatThreads(const std::vector<uint32_t> &threads) {
  return (threads.size() == 1 ? "thread #" : "threads #") +
         FormatRuns(threads, MaxRuns);
}

constexpr OptionDefinition g_options[] = {
    Switch("all", 'a', "Show each wave, however many there are."),
};

/// LLDB's command, which folds waves if there are many.
class ListThreads : public CommandObjectParsed {
public:
  ListThreads(CommandInterpreter &interpreter, CommandObjectSP plain_sp)
      : CommandObjectParsed(
            interpreter, "thread list", plain_sp->GetHelp().str().c_str(),
            "thread list [--all]",
            eCommandRequiresProcess | eCommandTryTargetAPILock |
                eCommandProcessMustBeLaunched | eCommandProcessMustBePaused),
        m_plain_sp(plain_sp), m_options(g_options) {
    SetHelpLong(
        "If a GPU has more than 32 waves, a line is shown for all waves of the "
        "same kernel at the same line in the same state; `thread list --all` "
        "shows each wave, `gpu wave list` a table.");
  }

  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    if (!command.empty()) {
      result.AppendError("'thread list' takes no arguments");
      return;
    }
    auto *process = dynamic_cast<ProcessAMDGPU *>(m_exe_ctx.GetProcessPtr());
    if (!process || m_options.Has('a') ||
        process->GetThreadList().GetSize() <= MaxUnfolded) {
      m_plain_sp->Execute("", result);
      return;
    }
    Stream &out = result.GetOutputStream();
    process->GetStatus(out);
    const std::vector<Fold> folds = FoldedWaves(*process).Make();
    for (const Fold &fold : folds)
      out.Format("{0} {1}: {2} of {3} at {4}, {5}\n", fold.selected ? '*' : ' ',
                 FormatThreads(fold.threads),
                 FormatCount(fold.threads.size(), "wave"),
                 ShortenName(fold.kernel), fold.place, fold.state);
    out.PutCString("  ('thread list --all' shows each wave)\n");
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  CommandObjectSP m_plain_sp;
  SimpleOptions m_options;
};

/// Gives access to the map of subcommands: LLDB's public functions can't
/// replace its own subcommands.
struct Subcommands : CommandObjectMultiword {
  static CommandMap &Of(CommandObjectMultiword &group) {
    return group.*(&Subcommands::m_subcommand_dict);
  }
};

} // namespace

void lldb_private::wavelane::ReplaceThreadList(
    CommandInterpreter &interpreter) {
  CommandObjectSP thread_sp = interpreter.GetCommandSPExact("thread");
  CommandObjectMultiword *group =
      thread_sp ? thread_sp->GetAsMultiwordCommand() : nullptr;
  if (!group)
    return;
  CommandObject::CommandMap &commands = Subcommands::Of(*group);
  auto found = commands.find("list");
  if (found != commands.end())
    found->second = std::make_shared<ListThreads>(interpreter, found->second);
}
