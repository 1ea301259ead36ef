//===-- LaneFindCommand.cpp - thread lane find ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneCommands.h"
#include "LaneExpressionCommand.h"
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

class LaneFindCommand : public LaneExpressionCommand {
public:
  explicit LaneFindCommand(CommandInterpreter &interpreter)
      : LaneExpressionCommand(
            interpreter, "thread lane find",
            "Find the active lanes for which an expression holds.",
            "thread lane find [--select] [--all-threads] [--json] "
            "[--] <expression>",
            g_options) {
    SetHelpLong(R"(
The expression is evaluated once for every active lane, with that lane's
values. `thread lane select --where` also selects the first lane found.

Examples:

(lldb) thread lane find i == 777
(lldb) thread lane find --select t < 0
(lldb) thread lane find --all-waves x[i] != x[i]
)");
  }

protected:
  void Run(const std::string &expression,
           CommandReturnObject &result) override {
    const bool all_threads = m_options.Has('w') || m_options.Has('a');
    const LaneSearch search =
        LaneSearch::Run(m_exe_ctx, expression, all_threads);
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
    // Behind JSON, which has it, a note would be more text.
    if (!m_options.Has('j'))
      search.Note(result);
    search.Warn(result);
    result.SetStatus(eReturnStatusSuccessFinishResult);
    if (!m_options.Has('s') || !first)
      return;
    ThreadList &threads = m_exe_ctx.GetProcessRef().GetThreadList();
    threads.SetSelectedThreadByID(first->tid);
    SetFocusLane(*threads.GetSelectedThread(), first->lanes.front());
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeLaneFindCommand(CommandInterpreter &interpreter) {
  return std::make_shared<LaneFindCommand>(interpreter);
}
