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

/// What a person types for a pattern of Words.def.
class TypedForm {
public:
  explicit TypedForm(llvm::StringRef pattern) { Read(pattern, m_text); }

  const std::string &GetText() const { return m_text; }

  /// A command with the groups that it names.
  std::string Apply(llvm::StringRef command) const {
    std::string text;
    for (size_t i = 0; i < command.size(); ++i) {
      const size_t group = i + 1 < command.size() && command[i] == '\\'
                               ? size_t(command[i + 1] - '1')
                               : m_groups.size();
      if (group < m_groups.size()) {
        text += m_groups[group];
        ++i;
      } else {
        text += command[i];
      }
    }
    return text;
  }

private:
  /// Drops the quantifier in front, and says whether what it is of may be
  /// missing.
  static bool TakeQuantifier(llvm::StringRef &pattern) {
    if (pattern.consume_front("+"))
      return false;
    return pattern.consume_front("?") || pattern.consume_front("*");
  }

  void Read(llvm::StringRef pattern, std::string &text) {
    while (!pattern.empty()) {
      if (pattern[0] == '(') {
        ReadGroup(pattern, text);
      } else if (pattern[0] == '[') {
        const llvm::StringRef set = pattern.take_front(
            pattern.find(']', pattern.starts_with("[^]") ? 3 : 2) + 1);
        pattern = pattern.drop_front(set.size());
        TakeQuantifier(pattern);
        text += set.starts_with("[0-9") ? "NUMBER" : "NAME";
      } else if (pattern.consume_front(".")) {
        text += TakeQuantifier(pattern) ? "[...]" : "...";
      } else {
        pattern.consume_front("\\");
        const char c = pattern[0];
        pattern = pattern.drop_front();
        // "breakpoints?" is shown as breakpoints, " *" as a blank.
        TakeQuantifier(pattern);
        text += c;
      }
    }
  }

  void ReadGroup(llvm::StringRef &pattern, std::string &text) {
    size_t end = 1;
    for (unsigned depth = 1; end < pattern.size(); ++end)
      if (pattern[end] == '(')
        ++depth;
      else if (pattern[end] == ')' && --depth == 0)
        break;
    const llvm::StringRef inner = pattern.slice(1, end);
    pattern = pattern.drop_front(end + 1);
    const bool is_optional = TakeQuantifier(pattern);
    const size_t index = m_groups.size();
    m_groups.emplace_back();
    std::string shown;
    Read(inner, shown);
    if (is_optional && !shown.empty()) {
      llvm::StringRef rest(shown);
      const bool has_blank = rest.consume_front(" ");
      const bool has_brackets = rest.starts_with("[") && rest.ends_with("]");
      shown = (has_blank ? " " : "") +
              (has_brackets ? rest.str() : "[" + rest.str() + "]");
    }
    m_groups[index] = shown;
    text += shown;
  }

  std::string m_text;
  std::vector<std::string> m_groups;
};

class AliasesCommand : public CommandObjectParsed {
public:
  explicit AliasesCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "wavelane aliases",
                            "List the commands of gdb, ROCgdb and cuda-gdb "
                            "that are known here.",
                            "wavelane aliases") {
    SetHelpLong(R"(
Each line is what is typed, and the command of LLDB's that is run for it, what
it does ("="), or what it says instead ("!"); [...] may be left out. The first
line that fits decides. Aliases and commands of your own with these names
replace them.

Example:

(lldb) wavelane aliases
)");
  }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    for (const Word &word : GetWords()) {
      const TypedForm form(word.pattern);
      std::string typed = word.name;
      if (*word.pattern)
        typed += " " + form.GetText();
      std::string what =
          word.commands ? form.Apply(word.commands)
                        : (word.action ? "= " : "! ") + std::string(word.text);
      std::replace(what.begin(), what.end(), '\n', ';');
      result.AppendMessage(llvm::formatv("{0,-44}  {1}", typed, what).str());
    }
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeAliasesCommand(CommandInterpreter &interpreter) {
  return std::make_shared<AliasesCommand>(interpreter);
}
