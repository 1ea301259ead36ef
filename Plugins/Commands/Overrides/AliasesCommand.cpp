//===-- AliasesCommand.cpp - wavelane aliases -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Base/CommandUtil.h"
#include "Overrides.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObjectMultiword.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

struct Alias {
  const char *name, *command;
};

constexpr Alias g_aliases[] = {
    {"lane", "thread lane"},
    {"lanes", "thread lane list"},
    {"wave", "thread select"},
    {"waves", "gpu wave list"},
    {"agents", "gpu agent list"},
    {"queues", "gpu queue list"},
    {"dispatches", "gpu dispatch list"},
    {"workgroups", "gpu workgroup list"},
};

/// What `info` shows, as other debuggers have it.
constexpr Alias g_infos[] = {
    {"lanes", "thread lane list"},        {"threads", "thread list"},
    {"waves", "gpu wave list"},           {"agents", "gpu agent list"},
    {"queues", "gpu queue list"},         {"dispatches", "gpu dispatch list"},
    {"workgroups", "gpu workgroup list"},
};

/// `info lanes` and so on.
class InfoCommands : public CommandObjectMultiword {
public:
  explicit InfoCommands(CommandInterpreter &interpreter)
      : CommandObjectMultiword(interpreter, "info",
                               "Lists of lanes, waves and other objects.",
                               "info <subcommand> [<options>]") {
    for (const Alias &info : g_infos)
      if (CommandObjectSP command_sp =
              interpreter.GetCommandSPExact(info.command))
        LoadSubCommand(info.name, command_sp);
  }
};

class AliasesCommand : public CommandObjectParsed {
public:
  explicit AliasesCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "wavelane aliases",
                            "Add short names for commands on waves and lanes.",
                            "wavelane aliases") {
    std::string help = "\nThe names of this session become:\n\n";
    for (const Alias &alias : g_aliases)
      help += llvm::formatv("  {0,-16}  {1}\n", alias.name, alias.command);
    for (const Alias &info : g_infos)
      help += llvm::formatv("  info {0,-11}  {1}\n", info.name, info.command);
    help += R"(
Aliases and commands of your own are kept. Put the command into ~/.lldbinit,
which LLDB reads when it starts, to have the names in every session.

Example:

(lldb) wavelane aliases
)";
    SetHelpLong(help);
  }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    for (const Alias &alias : g_aliases) {
      if (m_interpreter.CommandExists(alias.name) ||
          m_interpreter.AliasExists(alias.name) ||
          m_interpreter.UserCommandExists(alias.name)) {
        result.AppendWarningWithFormat("'%s' is already a command\n",
                                       alias.name);
        continue;
      }
      CommandObjectSP command_sp =
          m_interpreter.GetCommandSPExact(alias.command);
      if (!command_sp || !m_interpreter.AddAlias(alias.name, command_sp)) {
        result.AppendErrorWithFormatv("'{0}' can't be an alias of '{1}'",
                                      alias.name, alias.command);
        return;
      }
      result.AppendMessage(
          llvm::formatv("{0,-16}  {1}", alias.name, alias.command).str());
    }
    AddInfo(result);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  void AddInfo(CommandReturnObject &result) {
    Status error = m_interpreter.AddUserCommand(
        "info", std::make_shared<InfoCommands>(m_interpreter),
        /*can_replace=*/false);
    if (error.Fail()) {
      result.AppendWarning("'info' is already a command\n");
      return;
    }
    for (const Alias &info : g_infos)
      result.AppendMessage(
          llvm::formatv("info {0,-11}  {1}", info.name, info.command).str());
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeAliasesCommand(CommandInterpreter &interpreter) {
  return std::make_shared<AliasesCommand>(interpreter);
}
