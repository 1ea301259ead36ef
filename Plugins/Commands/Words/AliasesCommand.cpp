//===-- AliasesCommand.cpp - wavelane aliases -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WordCommands.h"
#include "WordTable.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandReturnObject.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

class AliasesCommand : public CommandObjectParsed {
public:
  explicit AliasesCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(
            interpreter, "wavelane aliases",
            "List the commands of gdb, ROCgdb and cuda-gdb that work here.",
            "wavelane aliases") {
    SetHelpLong(R"(
Each line is what is typed, as a regular expression, and the command of LLDB's
that is run. Aliases and commands of your own with these names replace them.

Example:

(lldb) wavelane aliases
)");
  }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    for (const Word &word : GetWords()) {
      if (!word.commands)
        continue;
      std::string typed = word.name;
      if (*word.pattern)
        typed += std::string(" ") + word.pattern;
      result.AppendMessage(
          llvm::formatv("{0,-44}  {1}", typed, word.commands).str());
    }
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeAliasesCommand(CommandInterpreter &interpreter) {
  return std::make_shared<AliasesCommand>(interpreter);
}
