//===-- CommandMain.cpp - wavelane, one command for all programs ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called as wavelane-lldb, wavelane-lldb-dap or wavelane-lldb-server, it starts
// that program of its installation.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "DebugOptions.h"
#include "Installation.h"
#include "wavelane/CommandLine/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace wavelane::command;

cl::OptionCategory wavelane::command::Category("options");

ArrayRef<Forwarded> wavelane::command::forwarded() {
  static const Forwarded All[] = {
      {"run",
       "runs a GPU program on the simulated GPU",
       "wavelane-run",
       {},
       "--help",
       "[OPTION...] PROGRAM [ARGUMENT...]"},
      {"debug",
       "debugs a program in LLDB",
       "lldb",
       {},
       "--help",
       "[LLDB'S OPTION...] PROGRAM [ARGUMENT...]"},
      {"check",
       "runs a program and finds bad accesses, races, uninitialized values and "
       "deadlocks; all checks, or those that --check names",
       "wavelane-run",
       {"--check", "all"},
       "--help",
       "[OPTION...] PROGRAM [ARGUMENT...]"},
      {"count",
       "runs a program and prints what each source line costs",
       "wavelane-run",
       {"--count"},
       "--help",
       "[OPTION...] PROGRAM [ARGUMENT...]"},
      {"dwarf",
       "evaluates, explains and assembles DWARF expressions",
       "wavelane-dwarf",
       {},
       "--help",
       "COMMAND [OPTION...] ..."}};
  return All;
}

ArrayRef<cl::SubCommand *> wavelane::command::ownCommands() {
  static cl::SubCommand *const All[] = {&Compile,  &Doctor, &ReportPage,
                                        &Tutorial, &WhyNot, &Help};
  return All;
}

/// wavelane-lldb and its like: asked for their version, they print all.
static int startLLDB(StringRef Name, std::vector<std::string> Arguments) {
  if (Arguments.size() == 1 &&
      (Arguments[0] == "--version" || Arguments[0] == "-v" ||
       (Name == "lldb-server" && Arguments[0] == "version"))) {
    printVersions();
    return 0;
  }
  // It has no options, and would begin to serve.
  if (Name == "lldb-mcp" && !Arguments.empty()) {
    if (Arguments[0] == "--help" || Arguments[0] == "-h")
      return printHelpOnProgram("wavelane-lldb-mcp");
    WithColor::error(errs(), "wavelane-lldb-mcp")
        << "unknown argument '" << Arguments[0] << "': it takes none\n";
    return UsageError;
  }
  if (const std::string Fault = faultOf(Name); !Fault.empty()) {
    WithColor::error(errs(), "wavelane-" + Name.str()) << Fault << '\n';
    return 127;
  }
  return become(Name, Arguments);
}

/// wavelane-annotate-lanes is written in Python.
static int startAnnotator(const std::vector<std::string> &Arguments) {
  ErrorOr<std::string> Python = sys::findProgramByName("python3");
  if (!Python) {
    WithColor::error(errs(), "wavelane-annotate-lanes")
        << "there is no python3 in PATH: sudo apt-get install python3\n";
    return 127;
  }
  std::vector<std::string> Words = {ownFolder() + "/share/annotate-lanes"};
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
  return becomeProgram(*Python, Words);
}

static int forward(const Forwarded &Command,
                   std::vector<std::string> Arguments) {
  if (Arguments.size() == 1 &&
      (Arguments[0] == "--help" || Arguments[0] == "-h"))
    return printHelpOn(Command.Name);
  if (Command.Program == StringRef("lldb")) {
    if (!Arguments.empty() && !StringRef(Arguments[0]).starts_with("-")) {
      const bool IsName = !StringRef(Arguments[0]).contains('/');
      if (!sys::fs::exists(Arguments[0]) &&
          !(IsName && sys::findProgramByName(Arguments[0]))) {
        WithColor::error(errs(), "wavelane debug")
            << "there is no program " << Arguments[0] << '\n';
        return 1;
      }
      // What follows a program are its own arguments.
      Arguments.insert(Arguments.begin(), "--");
    }
#ifdef WAVELANE_HAS_LLDB
    if (const std::string Fault = faultInDebugOptions(Arguments);
        !Fault.empty()) {
      WithColor::error(errs(), "wavelane debug") << Fault << '\n';
      return UsageError;
    }
#endif
    return startLLDB(Command.Program, std::move(Arguments));
  }
  if (Command.First.empty() || !hasOption(Command, Arguments, Command.First[0]))
    Arguments.insert(Arguments.begin(), Command.First.begin(),
                     Command.First.end());
  return become(Command.Program, Arguments);
}

int main(int Count, char **Words) {
  InitLLVM Init(Count, Words);
  // What LLDB opens next would otherwise be its input or output.
  (void)sys::Process::FixupStandardFileDescriptors();
  std::vector<std::string> Arguments(Words + 1, Words + Count);
  StringRef Name = sys::path::filename(Words[0]);
  if (Name == "wavelane-annotate-lanes")
    return startAnnotator(Arguments);
  if (Name.consume_front("wavelane-"))
    return startLLDB(Name, std::move(Arguments));
  for (const Forwarded &Command : forwarded())
    if (!Arguments.empty() && Arguments[0] == Command.Name)
      return forward(Command, {Arguments.begin() + 1, Arguments.end()});

  static cl::list<std::string> Unused(cl::Positional, cl::Hidden);
  cl::SetVersionPrinter([](raw_ostream &) { printVersions(); });
  cl::HideUnrelatedOptions(Category, cl::SubCommand::getTopLevel());
  for (cl::SubCommand *Sub : ownCommands())
    cl::HideUnrelatedOptions(Category, *Sub);
  // LLVM's list of commands lacks those that others execute.
  if (Arguments.empty() || Arguments[0] == "--help" || Arguments[0] == "-h")
    return printHelpOn("");
  if (!StringRef(Arguments[0]).starts_with("-") &&
      none_of(cl::getRegisteredSubcommands(), [&](cl::SubCommand *Sub) {
        return Sub->getName() == Arguments[0];
      })) {
    WithColor::error(errs(), "wavelane")
        << "unknown command '" << Arguments[0] << "': wavelane help lists them"
        << likeCommand(Arguments[0]) << '\n';
    return UsageError;
  }
  if (StringRef(Arguments[0]).starts_with("-") && Arguments[0] != "--version") {
    WithColor::error(errs(), "wavelane")
        << "unknown option '" << Arguments[0]
        << "': wavelane help lists the commands\n";
    return UsageError;
  }
  if (Arguments.size() > 1 &&
      (Arguments[1] == "--help" || Arguments[1] == "-h"))
    return printHelpOn(Arguments[0]);
  if (Arguments[0] == Compile.getName())
    Arguments = orderForCompile(Arguments);
  // LLVM's errors begin with this name, and say that its --help helps.
  const std::string Shown = "wavelane " + Arguments[0];
  std::vector<const char *> Pointers = {
      StringRef(Arguments[0]).starts_with("-") ? Words[0] : Shown.c_str()};
  for (const std::string &Argument : Arguments)
    Pointers.push_back(Argument.c_str());
  if (!wavelane::commandline::parse(Pointers, ""))
    return UsageError;
  if (Compile)
    return runCompile();
  if (Doctor)
    return runDoctor();
  if (ReportPage)
    return runReport();
  if (Tutorial)
    return runTutorial();
  if (WhyNot)
    return runWhyNot();
  return runHelp();
}
