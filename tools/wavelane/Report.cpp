//===-- Report.cpp - wavelane report --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of the debugger's command `wavelane report`, without a session: of a
// core, of the cores of a job's ranks, or of a program where it stops first.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Installation.h"

#include "wavelane/Formats/Files/OutputFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace wavelane::command {

cl::SubCommand ReportPage(
    "report",
    "writes a page about a core's waves, or about a program's where it faults "
    "or reaches a breakpoint: progress, lines, divergence, values");

static cl::opt<std::string> File("o", cl::desc("The page (wavelane.html)"),
                                 cl::value_desc("FILE"),
                                 cl::init("wavelane.html"), cl::sub(ReportPage),
                                 cl::cat(Category));
static cl::opt<std::string>
    Break("break", cl::desc("Stops at this line, or in this function"),
          cl::value_desc("FILE:LINE|NAME"), cl::sub(ReportPage),
          cl::cat(Category));
static cl::list<std::string>
    Variables("variable", cl::desc("Shows its values over lanes and waves"),
              cl::value_desc("EXPRESSION"), cl::sub(ReportPage),
              cl::cat(Category));
static cl::opt<std::string> Subject(cl::Positional, cl::desc("PROGRAM|CORE..."),
                                    cl::sub(ReportPage), cl::cat(Category));
static cl::list<std::string> Rest(cl::ConsumeAfter, cl::desc("[ARGUMENT...]"),
                                  cl::sub(ReportPage), cl::cat(Category));

static int fail(const Twine &Text, int Code = 1) {
  WithColor::error(errs(), "wavelane report") << Text << '\n';
  return Code;
}

int runReport() {
  if (Subject.empty())
    return fail("no program or core given: wavelane report PROGRAM",
                UsageError);
  file_magic Magic;
  if (std::error_code Error = identify_magic(Subject, Magic))
    return fail(Subject + ": " + Error.message());
  // The command's own file: what is at FILE may be a device, or an older page.
  SmallString<128> Folder;
  if (std::error_code Error =
          sys::fs::createUniqueDirectory("wavelane-report", Folder))
    return fail("can't make a temporary folder: " + Error.message());
  const scope_exit RemoveFolder(
      [&] { (void)sys::fs::remove_directories(Folder); });
  const std::string Page = (Folder + "/page.html").str();
  std::string Command = "wavelane report " + quoteForLLDB(Page);
  for (const std::string &Variable : Variables)
    Command += " --variable " + quoteForLLDB(Variable);
  std::vector<std::string> Words = {"--batch"};
  if (Magic == file_magic::elf_core && Rest.empty()) {
    Words.insert(Words.end(), {"-c", Subject, "-o", Command});
  } else if (Magic == file_magic::elf_core) {
    // The cores of a job's ranks.
    std::string Open = "job core " + quoteForLLDB(Subject);
    for (const std::string &Core : Rest)
      Open += " " + quoteForLLDB(Core);
    Words.insert(Words.end(), {"-o", Open, "-o", Command});
  } else {
    if (!Break.empty()) {
      const auto [Name, Line] = StringRef(Break).rsplit(':');
      unsigned Number;
      Words.insert(Words.end(),
                   {"-o", Line.getAsInteger(10, Number)
                              ? "breakpoint set -n " + quoteForLLDB(Break)
                              : "breakpoint set -f " + quoteForLLDB(Name) +
                                    " -l " + Line.str()});
    }
    Words.insert(Words.end(), {"-o", "run", "-o", Command, "-o", "kill", "-k",
                               Command, "-k", "kill", "--", Subject});
    Words.insert(Words.end(), Rest.begin(), Rest.end());
  }
  if (const std::string Fault = faultOf("lldb"); !Fault.empty())
    return fail(Fault);
  Expected<files::OutputFile> Saved = files::OutputFile::create(File);
  if (!Saved)
    return fail("can't write " + toString(Saved.takeError()));
  const Output Result = run(ownProgram("lldb"), Words, pythonVariables());
  if (auto Text = MemoryBuffer::getFile(Page)) {
    if (Error Failed = Saved->writeAndKeep(
            [&](raw_ostream &Out) { Out << (*Text)->getBuffer(); }))
      return fail("can't write " + toString(std::move(Failed)));
    // What goes to standard output is the page alone.
    errs() << "wrote " << File << '\n';
    return 0;
  }
  StringRef Why = StringRef(Result.Text).rsplit("error: ").second;
  if (!Why.empty() && !Why.contains("uses a GPU now"))
    return fail(Why.split('\n').first);
  return fail(
      Break.empty()
          ? Subject +
                " ended without a fault: --break FILE:LINE says where to stop"
          : Subject + " never stopped at " + Break);
}

} // namespace wavelane::command
