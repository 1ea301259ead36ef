//===-- WhyNot.cpp - wavelane why-not -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The debugger's command `wavelane why-not`, without a session.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Installation.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace wavelane::command {

cl::SubCommand
    WhyNot("why-not",
           "says why a breakpoint on a source line of a program stops nothing");

static cl::opt<std::string> Place(cl::Positional, cl::desc("FILE:LINE"),
                                  cl::sub(WhyNot), cl::cat(Category));
static cl::opt<std::string> Program(cl::Positional, cl::desc("PROGRAM"),
                                    cl::sub(WhyNot), cl::cat(Category));

static cl::opt<bool> JSON("json", cl::desc("Prints a JSON object"),
                          cl::sub(WhyNot), cl::cat(Category));

static int fail(const Twine &Text, int Code = 1) {
  WithColor::error(errs(), "wavelane why-not") << Text << '\n';
  return Code;
}

int runWhyNot() {
  const auto [File, Number] = StringRef(Place).rsplit(':');
  unsigned Line = 0;
  const bool IsPlace = !File.empty() && !Number.getAsInteger(10, Line);
  if (IsPlace && !Line)
    return fail(Place + ": lines are counted from 1", UsageError);
  if (!IsPlace || Program.empty())
    return fail("give a line and a program: wavelane why-not saxpy.hip:14 "
                "./saxpy",
                UsageError);
  sys::fs::file_status Status;
  if (std::error_code Error = sys::fs::status(Program, Status))
    return fail(Program + ": " + Error.message());
  if (const std::string Fault = faultOf("lldb"); !Fault.empty())
    return fail(Fault);
  return become("lldb",
                {"--no-lldbinit", "--batch", "--source-quietly", "-o",
                 "wavelane why-not " + std::string(JSON ? "--json " : "") +
                     "--program " + quoteForLLDB(Program) + " -- " +
                     quoteForLLDB(Place)});
}

} // namespace wavelane::command
