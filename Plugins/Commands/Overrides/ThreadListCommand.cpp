//===-- ThreadListCommand.cpp - thread list, of many waves ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Base/CommandUtil.h"
#include "Core/Record/NameStyle.h"
#include "Overrides.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ThreadAMDGPU.h"
#include "Session/Job/FoldedWaves.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Utility/State.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

/// Up to this many waves are shown one by one.
constexpr uint32_t MaxUnfolded = 32;
/// Up to this many runs of thread numbers are shown in a line.
constexpr size_t MaxRuns = 6;

std::string FormatThreads(llvm::ArrayRef<ThreadAMDGPU *> waves) {
  std::vector<uint32_t> threads;
  for (ThreadAMDGPU *wave : waves)
    threads.push_back(wave->GetIndexID());
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
      : CommandObjectParsed(interpreter, "thread list",
                            plain_sp->GetHelp().str().c_str(),
                            "thread list [--all]",
                            eCommandRequiresProcess | eCommandTryTargetAPILock |
                                eCommandProcessMustBeLaunched),
        m_plain_sp(plain_sp), m_options(g_options) {
    SetHelpLong(
        "If a GPU has more than 32 waves, a line is shown for all waves of the "
        "same kernel at the same line in the same state; `thread list --all` "
        "shows each wave, `gpu wave list` a table. While the waves run, it is "
        "that table.");
  }

  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    if (!command.empty()) {
      result.AppendError("'thread list' takes no arguments");
      return;
    }
    auto *process = dynamic_cast<ProcessAMDGPU *>(m_exe_ctx.GetProcessPtr());
    if (process && StateIsRunningState(process->GetState())) {
      m_interpreter.HandleCommand("gpu wave list", eLazyBoolNo, result);
      return;
    }
    if (!process || m_options.Has('a') ||
        process->GetThreadList().GetSize() <= MaxUnfolded) {
      NameStyleScope brief(NameStyle::eBrief);
      m_plain_sp->Execute("", result);
      if (process && process->GetThreadList().GetSize() == 0)
        result.AppendMessage(
            process->HasEndedSimulation()
                ? "all waves have finished; "
                  "'reverse-continue' goes back to them"
            : process->IsNonStop()
                ? "no wave is held: 'gpu wave list' shows those that run, "
                  "'process interrupt' holds them"
                : "no wave is on the GPU: 'continue' resumes the program");
      return;
    }
    Stream &out = result.GetOutputStream();
    process->GetStatus(out);
    const std::vector<WaveFold> folds = FoldWaves(*process);
    for (const WaveFold &fold : folds)
      out.Format("{0} {1}: {2} of {3} at {4}, {5}\n", fold.selected ? '*' : ' ',
                 FormatThreads(fold.waves),
                 FormatCount(fold.waves.size(), "wave"),
                 ShortenName(fold.kernel), fold.place, fold.state);
    out.PutCString("  ('thread list --all' shows each wave)\n");
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  CommandObjectSP m_plain_sp;
  SimpleOptions m_options;
};

} // namespace

void lldb_private::wavelane::ReplaceThreadList(
    CommandInterpreter &interpreter) {
  CommandObjectSP thread_sp = interpreter.GetCommandSPExact("thread");
  CommandObjectMultiword *group =
      thread_sp ? thread_sp->GetAsMultiwordCommand() : nullptr;
  if (!group)
    return;
  CommandObject::CommandMap &commands = GetSubcommands(*group);
  auto found = commands.find("list");
  if (found != commands.end())
    found->second = std::make_shared<ListThreads>(interpreter, found->second);
}
