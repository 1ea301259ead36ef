//===-- Manual.cpp - the pages of the manual ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs' own help says, and what ManualFacts.cpp adds.
//
//===----------------------------------------------------------------------===//

#include "CommandHelp.h"
#include "Installation.h"
#include "ManualFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace wavelane::command {

/// Text for troff: nothing in it is a request.
static std::string troff(StringRef Text) {
  std::string Escaped;
  bool AtStart = true;
  for (char C : Text) {
    if (AtStart && (C == '.' || C == '\''))
      Escaped += "\\&";
    Escaped += C == '\\' ? "\\e" : C == '-' ? "\\-" : std::string(1, C);
    AtStart = C == '\n';
  }
  return Escaped;
}

static void writeHead(raw_ostream &Out, StringRef Page, StringRef Summary) {
  Out << ".TH " << Page.upper() << " 1 \"\" \"Wavelane " << WAVELANE_VERSION
      << "\"\n.SH NAME\n"
      << troff(Page) << " \\- " << troff(Summary) << "\n.SH SYNOPSIS\n";
}

static void writeEntry(raw_ostream &Out, StringRef Name, StringRef Text) {
  Out << ".TP\n\\fB" << troff(Name) << "\\fR\n" << troff(Text) << '\n';
}

static void writeEntries(raw_ostream &Out, StringRef Title,
                         ArrayRef<Entry> Entries) {
  Out << ".SH " << Title << '\n';
  if (Entries.empty())
    Out << "None.\n";
  for (const Entry &TheEntry : Entries)
    writeEntry(Out, TheEntry.Name, TheEntry.Text);
}

static void writeFacts(raw_ostream &Out, StringRef Page) {
  const auto *Facts = find_if(
      manualFacts(), [&](const ManualFacts &F) { return F.Page == Page; });
  if (Facts == manualFacts().end())
    report_fatal_error("the manual has no facts about " + Page);
  writeEntries(Out, "EXAMPLES", Facts->Examples);
  writeEntries(Out, "EXIT STATUS", Facts->ExitStatus);
  std::vector<Entry> Variables;
  copy_if(
      environmentVariables(), std::back_inserter(Variables),
      [&](const Entry &E) { return is_contained(Facts->Environment, E.Name); });
  if (Variables.size() != Facts->Environment.size())
    report_fatal_error("the manual names an unknown variable in " + Page);
  writeEntries(Out, "ENVIRONMENT", Variables);
  writeEntries(Out, "FILES", Facts->Files);
  Out << ".SH SEE ALSO\n"
      << (Page == "wavelane" ? troff("'wavelane help --web' opens the pages.\n")
                             : std::string("\\fBwavelane\\fR(1)\n"));
}

static std::string pageOf(const CommandHelp &Command) {
  std::string Text;
  raw_string_ostream Out(Text);
  const std::string Page = "wavelane-" + Command.Name;
  writeHead(Out, Page, Command.Summary);
  Out << "\\fBwavelane " << troff(Command.Name) << "\\fR "
      << troff(Command.Usage) << '\n';
  std::string Summary = Command.Summary + ".";
  Summary[0] = toUpper(Summary[0]);
  Out << ".SH DESCRIPTION\n" << troff(Summary) << '\n';
  if (!Command.More.empty() || !Command.Options.empty())
    Out << ".SH OPTIONS\n";
  if (!Command.More.empty())
    Out << ".nf\n" << troff(Command.More) << ".fi\n";
  else
    for (const OptionHelp &Option : Command.Options)
      Out << ".TP\n\\fB" << troff(Option.Name) << "\\fR " << troff(Option.Value)
          << '\n'
          << troff(Option.Text) << '\n';
  writeFacts(Out, Page);
  return Text;
}

/// \return nothing if the program doesn't say what its options are.
static std::string pageOf(const Program &TheProgram) {
  std::string Text;
  raw_string_ostream Out(Text);
  writeHead(Out, TheProgram.Page, TheProgram.Summary);
  Out << "\\fB" << troff(TheProgram.Page) << "\\fR " << troff(TheProgram.Usage)
      << "\n.SH DESCRIPTION\n"
      << troff(TheProgram.Description) << '\n';
  if (!TheProgram.File.empty()) {
    const Output Help =
        run(ownFolder() + "/" + TheProgram.File.str(), {TheProgram.Help.str()});
    if (Help.Code != 0)
      return {};
    Out << ".nf\n" << troff(Help.Text) << ".fi\n";
  }
  writeFacts(Out, TheProgram.Page);
  return Text;
}

static std::string overview(ArrayRef<CommandHelp> All) {
  std::string Text;
  raw_string_ostream Out(Text);
  writeHead(Out, "wavelane", "debugs GPU programs by waves and lanes");
  Out << "\\fBwavelane\\fR COMMAND [ARGUMENT...]\n.SH COMMANDS\n";
  for (const CommandHelp &Command : All)
    writeEntry(Out, Command.Name,
               Command.Summary + ": wavelane-" + Command.Name + "(1)");
  Out << ".SH PROGRAMS\n";
  for (const Program &TheProgram : otherPrograms())
    writeEntry(Out, TheProgram.Page, TheProgram.Summary);
  writeFacts(Out, "wavelane");
  return Text;
}

int writeManual(const std::string &Folder, ArrayRef<CommandHelp> All) {
  const auto Fail = [](const Twine &Why) {
    WithColor::error(errs(), "wavelane help") << Why << '\n';
    return 1;
  };
  if (std::error_code Error = sys::fs::create_directories(Folder))
    return Fail(Folder + ": " + Error.message());
  std::string Why;
  const auto Write = [&](const Twine &Page, const std::string &Text) {
    const std::string File = (Folder + "/" + Page + ".1").str();
    std::error_code Error;
    raw_fd_ostream Out(File, Error);
    if (!Error) {
      Out << Text;
      Out.close();
      Error = Out.error();
      Out.clear_error();
    }
    if (Error)
      Why = File + ": " + Error.message();
    else if (Text.empty())
      Why = File + ": the program doesn't print its help";
  };
  Write("wavelane", overview(All));
  for (const CommandHelp &Command : All)
    Write("wavelane-" + Twine(Command.Name), pageOf(Command));
  for (const Program &TheProgram : otherPrograms())
    Write(TheProgram.Page, pageOf(TheProgram));
  return Why.empty() ? 0 : Fail(Why);
}

} // namespace wavelane::command
