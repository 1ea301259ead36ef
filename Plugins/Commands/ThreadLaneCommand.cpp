//===-- ThreadLaneCommand.cpp - thread lane -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "Commands/Base/LazyGroup.h"
#include "Commands/Lane/LaneCommands.h"
#include "Commands/Time/TimeCommands.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

class ThreadLaneCommand : public LazyGroup {
public:
  explicit ThreadLaneCommand(CommandInterpreter &interpreter)
      : LazyGroup(
            interpreter, "thread lane",
            "Commands for the lanes of a thread: those of a GPU wave, or the "
            "iterations that a widened loop runs at once.",
            R"(
Each wave of a GPU is a thread; each of its lanes runs one work-item. A CPU
thread has lanes if debug information says that a vectorized loop runs several
iterations at once. One lane of each thread is its focus lane: `p`,
`frame variable` and all other commands show that lane's values. Setting the
register `lane` changes it as `thread lane select` does.

Examples:

(lldb) thread lane list                       which lanes run here
(lldb) thread lane select 17                  or: thread lane 17
(lldb) frame variable i
(lldb) thread lane print i                    i in every lane
(lldb) thread lane find x[i] < 0              the lanes for which it holds
(lldb) thread lane select --where 'i == 777'  look at the first of them
(lldb) thread lane apply 0-3 frame variable   a command in lanes 0 to 3
(lldb) thread lane backtrace --lanes inactive where the others continue
(lldb) thread lane name producer              a name for the focus lane
(lldb) thread lane origin t                   where t comes from
)") {}

  /// `thread lane 3` selects lane 3.
  void Execute(const char *args_string, CommandReturnObject &result) override {
    const llvm::StringRef args = llvm::StringRef(args_string).ltrim();
    if (!args.empty() && llvm::isDigit(args.front()))
      GetSubcommandObject("select")->Execute(args_string, result);
    else
      LazyGroup::Execute(args_string, result);
  }

protected:
  void LoadSubcommands() override {
    CommandInterpreter &interpreter = GetCommandInterpreter();
    LoadSubCommand("apply", MakeLaneApplyCommand(interpreter));
    LoadSubCommand("backtrace", MakeLaneBacktraceCommand(interpreter));
    LoadSubCommand("find", MakeLaneFindCommand(interpreter));
    LoadSubCommand("info", MakeLaneInfoCommand(interpreter));
    LoadSubCommand("list", MakeLaneListCommand(interpreter));
    LoadSubCommand("name", MakeLaneNameCommand(interpreter));
    LoadSubCommand("next", MakeLaneStepCommand(interpreter, /*forward=*/true));
    LoadSubCommand("origin", MakeLaneOriginCommand(interpreter));
    LoadSubCommand("previous",
                   MakeLaneStepCommand(interpreter, /*forward=*/false));
    LoadSubCommand("print", MakeLanePrintCommand(interpreter));
    LoadSubCommand("select", MakeLaneSelectCommand(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeThreadLaneCommand(CommandInterpreter &interpreter) {
  return std::make_shared<ThreadLaneCommand>(interpreter);
}
