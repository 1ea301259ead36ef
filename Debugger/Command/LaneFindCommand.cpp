//===-- LaneFindCommand.cpp - thread lane find ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneCommands.h"
#include "LaneSearch.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/Process.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("select", 's', "Select the first lane found, and its thread."),
    Switch("all-threads", 'w',
           "Search all threads (waves) that are in the same function."),
    Switch("all-waves", 'a', "The same as --all-threads."),
    Switch("json", 'j', "Print JSON."),
};

class LaneFindCommand : public StoppedCommand<CommandObjectRaw> {
public:
  explicit LaneFindCommand(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "thread lane find",
                       "Find the active lanes for which an expression holds.",
                       "thread lane find [--select] [--all-threads] [--json] "
                       "[--] <expression>",
                       FrameCommandFlags),
        m_options(g_options) {
    SetHelpLong(R"(
The expression is evaluated once for every active lane, with that lane's
values. `thread lane select --where` also selects the first lane found.

Examples:

(lldb) thread lane find i == 777
(lldb) thread lane find --select t < 0
(lldb) thread lane find --all-waves x[i] != x[i]
)");
  }
  Options *GetOptions() override { return &m_options; }
  bool WantsCompletion() override { return true; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    CompleteVariables(m_interpreter, request);
  }

protected:
  void DoExecute(llvm::StringRef command,
                 CommandReturnObject &result) override {
    std::optional<std::string> expression = TakeOptions(
        *this, m_options, command, "an expression", m_exe_ctx, result);
    if (!expression)
      return;
    const bool all_threads = m_options.Has('w') || m_options.Has('a');
    const LaneSearch search =
        LaneSearch::Run(m_exe_ctx, *expression, all_threads);
    if (!search.Check(result))
      return;
    const LanesFound *first = search.GetFirst();
    if (m_options.Has('j'))
      AppendJSON(result, search.found);
    else if (!first)
      result.AppendMessage(LaneSearch::DescribeNone(all_threads));
    else
      for (const LanesFound &found : search.found)
        if (!found.lanes.empty())
          result.AppendMessage(FormatThread(found.thread, found.wave) +
                               ": lanes " + FormatRuns(found.lanes));
    search.Warn(result);
    result.SetStatus(eReturnStatusSuccessFinishResult);
    if (!m_options.Has('s') || !first)
      return;
    ThreadList &threads = m_exe_ctx.GetProcessRef().GetThreadList();
    threads.SetSelectedThreadByID(first->tid);
    SetFocusLane(*threads.GetSelectedThread(), first->lanes.front());
  }

private:
  SimpleOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeLaneFindCommand(CommandInterpreter &interpreter) {
  return std::make_shared<LaneFindCommand>(interpreter);
}
