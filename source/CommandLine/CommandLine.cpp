//===-- CommandLine.cpp - LLVM's command line for users -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/CommandLine/CommandLine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;

namespace wavelane::commandline {

namespace {
/// Keeps what is written to standard error: LLVM's errors about the values of
/// options go nowhere else.
class Captured {
public:
  Captured() : Real(dup(2)), File(memfd_create("errors", MFD_CLOEXEC)) {
    if (Real >= 0 && File >= 0)
      dup2(File, 2);
  }
  ~Captured() { end(); }

  std::string end() {
    if (Real < 0)
      return {};
    dup2(Real, 2);
    close(Real);
    Real = -1;
    std::string Text;
    char Buffer[1024];
    off_t At = 0;
    for (ssize_t Count; (Count = pread(File, Buffer, sizeof Buffer, At)) > 0;
         At += Count)
      Text.append(Buffer, size_t(Count));
    close(File);
    return Text;
  }

private:
  int Real, File;
};
} // namespace

std::string inOneLine(StringRef Errors, StringRef Program) {
  std::string Line, Nearest;
  StringRef Unknown;
  for (StringRef Error : split(Errors.trim(), '\n')) {
    StringRef Text = Error;
    Text.consume_front((Program + ": ").str());
    if (Text.consume_front("Did you mean '")) {
      // LLVM proposes the nearest option even for words that are like none.
      const StringRef Option = Text.split('\'').first;
      if (Unknown.edit_distance(Option) <= Unknown.size() / 3)
        Nearest = Option.str();
    } else if (Text.contains("may not occur within a group")) {
      // "--output" begins as "-o" does.
      Nearest = Text.split("the ").second.split(' ').first.str();
    } else if (Text.starts_with("Unknown") && Unknown.empty()) {
      Line = Error.str();
      Unknown = Text.split('\'').second.split('\'').first;
    } else if (Text.starts_with("Must ") || Text.starts_with("Can ")) {
      if (Unknown.empty())
        Line += ": " + Text.split(": See").first.str();
    } else if (Line.empty()) {
      Line = Error.rtrim('!').str();
    }
  }
  if (!StringRef(Line).contains("--help"))
    Line += ".  Try: '" + Program.str() + " --help'";
  if (!Unknown.empty() && !Nearest.empty())
    Line += "  Did you mean '" + Nearest + "'?";
  return Line;
}

bool parse(ArrayRef<const char *> Words, StringRef Overview) {
  std::string Errors;
  raw_string_ostream Stream(Errors);
  // Help ends the program, so it must not be captured: only errors are.
  Captured Standard;
  const bool IsFine = cl::ParseCommandLineOptions(
      int(Words.size()), Words.data(), Overview, &Stream);
  const std::string Direct = Standard.end();
  if (!IsFine)
    errs() << inOneLine(Direct + Errors, Words[0]) << '\n';
  return IsFine;
}

} // namespace wavelane::commandline
