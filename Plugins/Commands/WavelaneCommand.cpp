//===-- WavelaneCommand.cpp - wavelane ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "Commands/Base/LazyGroup.h"
#include "Commands/Report/ReportCommand.h"
#include "Commands/WhyNot/WhyNotCommand.h"
#include "Commands/Words/WordCommands.h"
#include "lldb/Interpreter/CommandInterpreter.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

class WavelaneCommand : public LazyGroup {
public:
  explicit WavelaneCommand(CommandInterpreter &interpreter)
      : LazyGroup(interpreter, "wavelane",
                  "Commands for all of a program's waves and lanes at once.",
                  R"(
`help gpu`, `help thread lane` and `help dwarf` describe Wavelane's other
commands.

Examples:

(lldb) wavelane report out.html --variable i
(lldb) wavelane why-not saxpy.hip:14          a breakpoint stops nothing
(lldb) wavelane aliases                       what works of gdb, ROCgdb, cuda-gdb
)") {}

  // `wavelane 3`, often abbreviated, is meant to select a wave.
  void Execute(const char *args_string, CommandReturnObject &result) override {
    uint32_t number;
    if (!llvm::StringRef(args_string).trim().getAsInteger(10, number)) {
      result.AppendErrorWithFormat("'wavelane' has no subcommand '%u': `thread "
                                   "select %u` selects a wave "
                                   "\n",
                                   number, number);
      return;
    }
    LazyGroup::Execute(args_string, result);
  }

protected:
  void LoadSubcommands() override {
    CommandInterpreter &interpreter = GetCommandInterpreter();
    LoadSubCommand("aliases", MakeAliasesCommand(interpreter));
    LoadSubCommand("report", MakeReportCommand(interpreter));
    LoadSubCommand("why-not", MakeWhyNotCommand(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeWavelaneCommand(CommandInterpreter &interpreter) {
  return std::make_shared<WavelaneCommand>(interpreter);
}
