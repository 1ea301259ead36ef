//===-- Tutorial.cpp - wavelane tutorial ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts tutorial.py in LLDB, whose Python every installation has.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Installation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace wavelane::command {

cl::SubCommand Tutorial("tutorial",
                        "copies five short programs with their sources into a "
                        "folder, and walks through a lesson with each");

static cl::opt<std::string> Folder(cl::Positional, cl::desc("FOLDER"),
                                   cl::sub(Tutorial), cl::cat(Category));
static cl::opt<std::string> Lesson(cl::Positional, cl::desc("[LESSON]"),
                                   cl::sub(Tutorial), cl::cat(Category));

static int fail(const Twine &Text, int Code = 1) {
  WithColor::error(errs(), "wavelane tutorial") << Text << '\n';
  return Code;
}

int runTutorial() {
  if (Folder.empty())
    return fail("give a folder to copy the programs to: wavelane tutorial "
                "~/wavelane-tutorial",
                UsageError);
  // The number of a lesson would become a folder of that name.
  if (Lesson.empty() && all_of(StringRef(Folder), isDigit) &&
      !sys::fs::exists(Folder))
    return fail("give a folder before the lesson: wavelane tutorial "
                "~/wavelane-tutorial " +
                    StringRef(Folder),
                UsageError);
  const std::string Own = ownFolder() + "/share/tutorial";
  for (const char *Name : {"/tutorial.py", "/lessons.json", "/programs.zip"})
    if (!sys::fs::exists(Own + Name))
      return fail(Own + Name +
                  " is missing: the installation is incomplete, install it "
                  "again; a build needs 'ninja wavelane-session'");
  if (const std::string Fault = faultOf("lldb"); !Fault.empty())
    return fail(Fault);
  std::string Command = "tutorial " + quoteForLLDB(ownFolder() + "/bin") + " " +
                        quoteForLLDB(Folder);
  if (!Lesson.empty())
    Command += " " + quoteForLLDB(Lesson);
  return become("lldb",
                {"--no-lldbinit", "--batch", "--source-quietly", "-o",
                 "command script import " + quoteForLLDB(Own + "/tutorial.py"),
                 "-o", Command});
}

} // namespace wavelane::command
