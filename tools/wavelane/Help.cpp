//===-- Help.cpp - help and completion of wavelane ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of them are made from what the commands have registered, and from the
// tables of the programs that execute the others.
//
//===----------------------------------------------------------------------===//

#include "../wavelane-dwarf/DwarfOptionTable.h"
#include "../wavelane-run/RunOptionTable.h"
#include "CommandHelp.h"
#include "Commands.h"
#include "DebugOptions.h"
#include "Installation.h"
#include "ManualFacts.h"
#include "WebHelp.h"
#include "wavelane/CommandLine/Words.h"
#include "wavelane/GPU/Processors.h"
#include "wavelane/Protocol/Device/Checks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace wavelane::command {

cl::SubCommand Help("help", "describes the commands, or one of them");

static cl::opt<std::string> Topic(cl::Positional, cl::desc("[COMMAND]"),
                                  cl::sub(Help), cl::cat(Category));
static cl::opt<std::string>
    Completion("completion",
               cl::desc("Prints a completion script for bash, zsh or fish"),
               cl::value_desc("SHELL"), cl::sub(Help), cl::cat(Category));
static cl::opt<std::string> Manual("man", cl::desc("Writes the manual's pages"),
                                   cl::value_desc("FOLDER"), cl::sub(Help),
                                   cl::cat(Category));
static cl::opt<bool>
    Web("web",
        cl::desc("Opens the pages and the reference of all commands, settings, "
                 "JSON and keys, which need no network"),
        cl::sub(Help), cl::cat(Category));

/// The options of a forwarded command, of its program's own table.
static std::vector<OptionHelp> optionsOf(const Forwarded &Command) {
  const StringRef Program = Command.Program;
  std::vector<OptionHelp> Options;
  if (Program == "wavelane-run")
    append_range(Options, runOptions());
  if (Program == "wavelane-dwarf")
    for (const dwarfoptions::Option &Each : dwarfoptions::All)
      Options.push_back(
          {"--" + Each.Name.str(), Each.Value.str(), Each.Text.str(), ""});
#ifdef WAVELANE_HAS_LLDB
  if (Program == "lldb")
    Options = debugOptions();
#endif
  return Options;
}

static CommandHelp describe(const Forwarded &Command) {
  CommandHelp Described = {
      Command.Name, Command.Summary, Command.Usage, optionsOf(Command), {}};
  Described.More =
      run(ownProgram(Command.Program), {Command.Help}, pythonVariables()).Text;
  return Described;
}

bool hasOption(const Forwarded &Command, ArrayRef<std::string> Arguments,
               StringRef Name) {
  if (Arguments.empty() || !StringRef(Arguments[0]).starts_with("-"))
    return false;
  const std::vector<OptionHelp> Options = optionsOf(Command);
  for (size_t I = 0; I < Arguments.size(); ++I) {
    const StringRef Word = Arguments[I];
    if (!Word.starts_with("-") || Word == "--")
      return false;
    if (Word.split('=').first == Name)
      return true;
    if (any_of(Options, [&](const OptionHelp &Option) {
          return Option.Name == Word && !Option.Value.empty();
        }))
      ++I;
  }
  return false;
}

static CommandHelp describe(cl::SubCommand &Command) {
  CommandHelp Described;
  Described.Name = Command.getName().str();
  Described.Summary = Command.getDescription().str();
  Described.Usage = Command.OptionsMap.empty() ? "" : "[OPTION...]";
  for (cl::Option *Positional : Command.PositionalOpts)
    Described.Usage += " " + Positional->HelpStr.str();
  if (Command.ConsumeAfterOpt)
    Described.Usage += " " + Command.ConsumeAfterOpt->HelpStr.str();
  for (const auto &Entry : cl::getRegisteredOptions(Command)) {
    const cl::Option *Option = Entry.second;
    if (!is_contained(Option->Categories, &Category))
      continue;
    const bool TakesValue =
        Option->getValueExpectedFlag() != cl::ValueDisallowed &&
        !Option->ValueStr.empty();
    Described.Options.push_back(
        {(Entry.first.size() == 1 ? "-" : "--") + Entry.first.str(),
         TakesValue ? Option->ValueStr.str() : "", Option->HelpStr.str(), ""});
  }
  sort(Described.Options, [](const OptionHelp &A, const OptionHelp &B) {
    return A.Name < B.Name;
  });
  return Described;
}

static std::vector<CommandHelp> describeAll() {
  std::vector<CommandHelp> All;
  for (const Forwarded &Command : forwarded())
    All.push_back(describe(Command));
  for (cl::SubCommand *Command : ownCommands())
    All.push_back(describe(*Command));
  return All;
}

//===-- For people --------------------------------------------------------===//

/// Text in lines of 80 columns, all but the first with an indent.
static void wrap(raw_ostream &Out, StringRef Text, unsigned Indent) {
  unsigned Column = Indent;
  bool First = true;
  for (StringRef Word : split(Text, ' ')) {
    if (!First && Column + 1 + Word.size() > 80) {
      Out << '\n';
      Out.indent(Indent);
      Column = Indent;
      First = true;
    }
    if (!First) {
      Out << ' ';
      ++Column;
    }
    Out << Word;
    Column += unsigned(Word.size());
    First = false;
  }
  Out << '\n';
}

int printHelpOnProgram(StringRef Page) {
  const auto *Found = find_if(otherPrograms(),
                              [&](const Program &P) { return P.Page == Page; });
  assert(Found != otherPrograms().end() && "no such program");
  outs() << "usage: " << Page << (Found->Usage.empty() ? "" : " ")
         << Found->Usage << '\n';
  wrap(outs(), Found->Description, 0);
  return 0;
}

static void printOverview() {
  outs() << "usage: wavelane COMMAND [ARGUMENT...]\n"
            "Debugs GPU programs by waves and lanes, on a simulated GPU or a "
            "real one.\n\n";
  const auto Print = [](StringRef Name, StringRef Summary) {
    outs() << "  " << left_justify(Name, 9);
    wrap(outs(), Summary, 11);
  };
  for (const Forwarded &Command : forwarded())
    Print(Command.Name, Command.Summary);
  for (cl::SubCommand *Command : ownCommands())
    Print(Command->getName(), Command->getDescription());
  outs() << "\n'wavelane help COMMAND' describes one; 'wavelane --version' "
            "prints all versions.\n";
}

static void printCommand(const CommandHelp &Command) {
  outs() << "usage: wavelane " << Command.Name << ' '
         << StringRef(Command.Usage).ltrim() << '\n';
  std::string Summary = Command.Summary + ".";
  Summary[0] = toUpper(Summary[0]);
  wrap(outs(), Summary, 0);
  if (!Command.More.empty()) {
    outs() << '\n' << Command.More;
    return;
  }
  for (const OptionHelp &Option : Command.Options) {
    outs() << "  "
           << left_justify(Option.Name + (Option.Value.empty() ? "" : " ") +
                               Option.Value,
                           24);
    wrap(outs(), Option.Text, 26);
  }
}

std::string likeCommand(StringRef Name) {
  std::vector<StringRef> Names;
  for (const Forwarded &Command : forwarded())
    Names.push_back(Command.Name);
  for (cl::SubCommand *Command : ownCommands())
    Names.push_back(Command->getName());
  return words::didYouMean(Name, Names);
}

int printHelpOn(StringRef Name) {
  if (Name.empty()) {
    printOverview();
    return 0;
  }
  for (const Forwarded &Command : forwarded())
    if (Command.Name == Name) {
      printCommand(describe(Command));
      return 0;
    }
  for (cl::SubCommand *Command : ownCommands())
    if (Command->getName() == Name) {
      printCommand(describe(*Command));
      return 0;
    }
  WithColor::error(errs(), "wavelane help")
      << "unknown command '" << Name << "': wavelane help lists them"
      << likeCommand(Name) << '\n';
  return UsageError;
}

//===-- Completion --------------------------------------------------------===//

static std::string joinNames(ArrayRef<CommandHelp> All) {
  return join(map_range(All, [](const CommandHelp &C) { return C.Name; }), " ");
}

static std::string joinOptions(const CommandHelp &Command) {
  return join(
      map_range(Command.Options, [](const OptionHelp &O) { return O.Name; }),
      " ");
}

/// What an option may be followed by; empty if it is anything, or a file.
static std::vector<std::string> valuesOf(const OptionHelp &Option) {
  std::vector<std::string> Values;
  if (Option.Name == "--gpu" || Option.Name == "--device")
    for (const gpu::Processor &Processor : gpu::devices()) {
      if (Processor.isModeled() || Option.Name == "--gpu")
        Values.push_back(Processor.Name);
    }
  else if (Option.Name == "--check")
    for (StringRef Word : check::listWords())
      Values.push_back(Word.str());
  else if (Option.Name == "--runtime")
    Values = {"auto", "amd", "wavelane"};
  else if (Option.Name == "--schedule")
    Values = {"random", "chaos"};
  else if (Option.Name == "--leak-check")
    Values = {"full", "no"};
  else if (Option.Name == "--completion")
    Values = {"bash", "zsh", "fish"};
  return Values;
}

static void printBash(ArrayRef<CommandHelp> All) {
  outs() << "_wavelane() {\n"
            "  local word=${COMP_WORDS[COMP_CWORD]} options= values=\n"
            "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
            "    COMPREPLY=($(compgen -W '"
         << joinNames(All) << "' -- \"$word\"))\n    return\n  fi\n"
         << "  case ${COMP_WORDS[1]} in\n";
  for (const CommandHelp &Command : All)
    outs() << "    " << Command.Name << ") options='"
           << (Command.Name == "help" ? joinNames(All) + " " : "")
           << joinOptions(Command) << "' ;;\n";
  outs() << "  esac\n  case ${COMP_WORDS[COMP_CWORD-1]} in\n";
  StringSet<> Seen;
  for (const CommandHelp &Command : All)
    for (const OptionHelp &Option : Command.Options)
      if (const auto Values = valuesOf(Option);
          !Values.empty() && Seen.insert(Option.Name).second)
        outs() << "    " << Option.Name << ") values='" << join(Values, " ")
               << "' ;;\n";
  // Without a proposal, bash completes the names of files.
  outs() << "  esac\n  COMPREPLY=()\n  if [ -n \"$values\" ]; then\n"
            "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
            "  elif [[ $word == -* || ${COMP_WORDS[1]} == help ]]; then\n"
            "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n  fi\n}\n"
            "complete -o default -F _wavelane wavelane\n";
}

/// In single quotes of a shell, in brackets for zsh.
static std::string shell(StringRef Text) {
  std::string Escaped;
  for (char C : Text)
    Escaped += C == '\''                      ? std::string("'\\''")
               : StringRef("[]:").contains(C) ? std::string("\\") + C
                                              : std::string(1, C);
  return Escaped;
}

static void printZsh(ArrayRef<CommandHelp> All) {
  outs() << "#compdef wavelane\n_wavelane() {\n  local -a commands=(\n";
  for (const CommandHelp &Command : All)
    outs() << "    '" << Command.Name << ':' << shell(Command.Summary) << "'\n";
  outs() << "  )\n  if (( CURRENT == 2 )); then\n"
            "    _describe command commands\n    return\n  fi\n"
            "  local name=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
            "  case $name in\n";
  for (const CommandHelp &Command : All) {
    outs() << "    " << Command.Name << ")\n      _arguments -S";
    for (const OptionHelp &Option : Command.Options) {
      outs() << " \\\n        '" << Option.Name << '[' << shell(Option.Text)
             << ']';
      const std::vector<std::string> Values = valuesOf(Option);
      if (!Values.empty())
        outs() << ':' << shell(Option.Value) << ":(" << join(Values, " ")
               << ')';
      else if (!Option.Value.empty())
        outs() << ':' << shell(Option.Value) << ":_files";
      outs() << '\'';
    }
    if (Command.Name == "help")
      outs() << " \\\n        '1:command:(" << joinNames(All) << ")'";
    else
      outs() << " \\\n        '*:file:_files'";
    outs() << " ;;\n";
  }
  outs() << "  esac\n}\nif [ \"$funcstack[1]\" = _wavelane ]; then\n"
            "  _wavelane \"$@\"\nelse\n  compdef _wavelane wavelane\nfi\n";
}

static void printFish(ArrayRef<CommandHelp> All) {
  const auto Quote = [](StringRef Text) {
    std::string Escaped;
    for (char C : Text)
      Escaped += (C == '\'' || C == '\\' ? "\\" : "") + std::string(1, C);
    return "'" + Escaped + "'";
  };
  for (const CommandHelp &Command : All)
    outs() << "complete -c wavelane -f -n __fish_use_subcommand -a "
           << Command.Name << " -d " << Quote(Command.Summary) << '\n';
  for (const CommandHelp &Command : All) {
    const std::string Seen =
        " -n '__fish_seen_subcommand_from " + Command.Name + "'";
    for (const OptionHelp &Option : Command.Options) {
      const StringRef Name = StringRef(Option.Name).ltrim('-');
      outs() << "complete -c wavelane" << Seen
             << (Name.size() == 1 ? " -s " : " -l ") << Name
             << (Option.Value.empty() ? "" : " -r");
      if (const auto Values = valuesOf(Option); !Values.empty())
        outs() << " -f -a " << Quote(join(Values, " "));
      outs() << " -d " << Quote(Option.Text) << '\n';
    }
    if (Command.Name == "help")
      outs() << "complete -c wavelane -f" << Seen << " -a "
             << Quote(joinNames(All)) << '\n';
  }
}

int runHelp() {
  if (Web)
    return openPages();
  if (!Manual.empty() || !Completion.empty()) {
    const std::vector<CommandHelp> All = describeAll();
    if (!Manual.empty())
      return writeManual(Manual, All);
    if (Completion == "bash")
      printBash(All);
    else if (Completion == "zsh")
      printZsh(All);
    else if (Completion == "fish")
      printFish(All);
    else {
      WithColor::error(errs(), "wavelane help")
          << "no completion for '" << Completion
          << "': it must be bash, zsh or fish\n";
      return UsageError;
    }
    return 0;
  }
  return printHelpOn(Topic);
}

} // namespace wavelane::command
