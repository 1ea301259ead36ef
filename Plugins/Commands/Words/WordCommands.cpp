//===-- WordCommands.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WordCommands.h"
#include "Commands/Base/CommandOverrides.h"
#include "Commands/Base/CommandUtil.h"
#include "WordTable.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

llvm::ArrayRef<Word> lldb_private::wavelane::GetWords() {
  static constexpr Word g_words[] = {
#define RUNS(WORD, PATTERN, COMMANDS)                                          \
  {WORD, PATTERN, COMMANDS, nullptr, nullptr},
#define SAYS(WORD, PATTERN, TEXT) {WORD, PATTERN, nullptr, TEXT, nullptr},
#define DOES(WORD, PATTERN, FUNCTION, TEXT)                                    \
  {WORD, PATTERN, nullptr, TEXT, FUNCTION},
#include "Words.def"
  };
  return g_words;
}

/// Does what Words.def says of a word with \a arguments behind it.
/// \return False if no entry matches.
static bool RunWord(CommandInterpreter &interpreter, llvm::StringRef name,
                    llvm::StringRef arguments, CommandReturnObject &result) {
  arguments = arguments.trim();
  for (const Word &word : GetWords()) {
    if (name != word.name)
      continue;
    const llvm::Regex pattern("^" + std::string(word.pattern) + "$");
    llvm::SmallVector<llvm::StringRef, 4> groups;
    if (!pattern.match(arguments, &groups))
      continue;
    if (word.action) {
      word.action(interpreter, groups, result);
    } else if (word.text) {
      result.AppendError(word.text);
    } else {
      llvm::SmallVector<llvm::StringRef, 2> lines;
      llvm::StringRef(word.commands).split(lines, '\n');
      for (llvm::StringRef line : lines) {
        const std::string command =
            llvm::StringRef(pattern.sub(line, arguments)).trim().str();
        if (!interpreter.HandleCommand(command.c_str(), eLazyBoolNo, result))
          break;
      }
    }
    return true;
  }
  return false;
}

namespace {

/// What a word that LLDB doesn't have is an alias of.
class WordCommand : public CommandObjectRaw {
public:
  WordCommand(CommandInterpreter &interpreter, const std::string &word)
      : CommandObjectRaw(interpreter, "_" + word,
                         "Another debugger's command: `wavelane aliases` says "
                         "what is run for it.",
                         word + " ..."),
        m_word(word) {
    SetHelpLong("\n`wavelane aliases` lists what is run for '" + word +
                "' with each argument.\n");
  }

  bool WantsCompletion() override { return true; }

  /// Of a word that may be short for a group of LLDB's, such as `break`.
  void HandleCompletion(CompletionRequest &request) override {
    const llvm::StringRef group_name =
        llvm::StringSwitch<llvm::StringRef>(m_word)
            .Case("break", "breakpoint")
            .Case("watch", "watchpoint")
            .Case("set", "settings")
            .Default("");
    if (CommandObjectSP group_sp =
            group_name.empty() ? nullptr
                               : m_interpreter.GetCommandSPExact(group_name))
      group_sp->HandleCompletion(request);
  }

protected:
  void DoExecute(llvm::StringRef arguments,
                 CommandReturnObject &result) override {
    if (!RunWord(m_interpreter, m_word, arguments, result))
      result.AppendErrorWithFormatv("'{0} {1}' isn't a command: `wavelane "
                                    "aliases` lists those with '{0}'",
                                    m_word, arguments.trim());
  }

private:
  const std::string m_word;
};

/// A group of LLDB's commands with more than its subcommands.
class WordGroup : public CommandObjectMultiword {
public:
  /// \param group  LLDB's own, which this replaces.
  WordGroup(CommandInterpreter &interpreter, CommandObjectMultiword &group)
      : CommandObjectMultiword(
            interpreter, group.GetCommandName().str().c_str(),
            group.GetHelp().str().c_str(), group.GetSyntax().str().c_str()) {
    m_subcommand_dict = GetSubcommands(group);
    SetHelpLong(group.GetHelpLong());
  }

  void Execute(const char *arguments, CommandReturnObject &result) override {
    if (!RunWord(m_interpreter, GetCommandName(), arguments, result))
      CommandObjectMultiword::Execute(arguments, result);
  }
};

} // namespace

/// `b PLACE if CONDITION`: LLDB's own command doesn't know the condition.
static bool BreakIf(void *baton, const char **argv,
                    CommandReturnObject &result) {
  // A raw command comes as one string.
  if (!argv || !argv[0])
    return false;
  llvm::SmallVector<llvm::StringRef, 4> groups;
  static const llvm::Regex g_condition("^([^ ]+)( .*[^ ])? +if +(.*[^ ]) *$");
  const std::string line = argv[1] ? QuoteCommand(argv) : argv[0];
  if (!g_condition.match(line, &groups))
    return false;
  auto *debugger = static_cast<Debugger *>(baton);
  TargetSP target_sp = debugger->GetTargetList().GetSelectedTarget();
  auto last = [&] {
    BreakpointSP breakpoint_sp =
        target_sp ? target_sp->GetLastCreatedBreakpoint() : nullptr;
    return breakpoint_sp ? breakpoint_sp->GetID() : 0;
  };
  const break_id_t before = last();
  CommandInterpreter &interpreter = debugger->GetCommandInterpreter();
  const std::string place = (groups[1] + groups[2]).str();
  if (!interpreter.HandleCommand(place.c_str(), eLazyBoolNo, result) ||
      last() == before)
    return true;
  const std::string id = std::to_string(last()), condition = groups[3].str();
  const char *words[] = {"breakpoint",      "modify",   "--condition",
                         condition.c_str(), id.c_str(), nullptr};
  interpreter.HandleCommand(QuoteCommand(words).c_str(), eLazyBoolNo, result);
  return true;
}

/// `p ARRAY@COUNT`.
static bool PrintElements(void *baton, const char **argv,
                          CommandReturnObject &result) {
  if (!argv || !argv[0])
    return false;
  llvm::SmallVector<llvm::StringRef, 4> groups;
  static const llvm::Regex g_elements(
      "^[^ ]+ +(-- +)?([A-Za-z_(*$].*[])A-Za-z0-9_]) *@ *([0-9]+) *$");
  const std::string line = argv[1] ? QuoteCommand(argv) : argv[0];
  if (!g_elements.match(line, &groups))
    return false;
  const std::string command = llvm::formatv(
      "expression --element-count {0} -- &({1})", groups[3], groups[2]);
  static_cast<Debugger *>(baton)->GetCommandInterpreter().HandleCommand(
      command.c_str(), eLazyBoolNo, result);
  return true;
}

void lldb_private::wavelane::AddWords(Debugger &debugger) {
  CommandInterpreter &interpreter = debugger.GetCommandInterpreter();
  llvm::StringSet<> names;
  for (const Word &word : GetWords())
    names.insert(word.name);
  for (const auto &entry : names) {
    const std::string name = entry.getKey().str();
    CommandObjectSP known_sp = interpreter.GetCommandSPExact(name);
    CommandObjectMultiword *group =
        known_sp ? known_sp->GetAsMultiwordCommand() : nullptr;
    if (group) {
      group->SetRemovable(true);
      interpreter.AddCommand(name,
                             std::make_shared<WordGroup>(interpreter, *group),
                             /*can_replace=*/true);
    } else if (!known_sp && !interpreter.AliasExists(name)) {
      // Unlike a command, an alias can be replaced by both of a user's own.
      CommandObjectSP word_sp =
          std::make_shared<WordCommand>(interpreter, name);
      interpreter.AddAlias(name, word_sp);
    }
  }
  auto alias = [&](llvm::StringRef name, llvm::StringRef command) {
    CommandObjectSP command_sp = interpreter.GetCommandSPExact(command);
    if (command_sp && !interpreter.AliasExists(name))
      interpreter.AddAlias(name, command_sp);
  };
#define ALIAS(WORD, COMMAND) alias(WORD, COMMAND);
#include "Words.def"
  auto override = [&](llvm::StringRef name,
                      CommandOverrideCallbackWithResult with) {
    if (CommandObjectSP command_sp = interpreter.GetCommandSPExact(name))
      OverrideCommand(*command_sp, with, &debugger);
  };
  override("_regexp-break", BreakIf);
  override("_regexp-tbreak", BreakIf);
  override("dwim-print", PrintElements);
}
