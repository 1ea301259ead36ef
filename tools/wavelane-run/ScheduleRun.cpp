//===-- ScheduleRun.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScheduleRun.h"

#include "wavelane/Protocol/Device/RunOptions.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <unistd.h>

using namespace llvm;
using namespace wavelane::simulator;

Error ScheduleRun::take(StringRef Name, StringRef Value) {
  if (Name == "--tries") {
    HasTries = true;
    if (Value.getAsInteger(10, Tries) || Tries < 1 || Tries > 1000000)
      return createStringError("--tries must be a number from 1 to 1000000");
    return Error::success();
  }
  Kind = Value == "random" ? Random : Value == "chaos" ? Chaos : One;
  if (Kind == One && (Value.getAsInteger(10, Number) || Number > ScheduleLimit))
    return createStringError("--schedule must be random, chaos or a number up "
                             "to " +
                             Twine(ScheduleLimit));
  return Error::success();
}

static void choose(uint64_t Number) {
  setenv(ScheduleVariable, std::to_string(Number).c_str(), 1);
}

namespace {
/// Keeps what the program writes to its standard output.
class KeptOutput {
public:
  /// \return false if there is no file for it.
  bool begin() {
    fflush(stdout);
    FILE *Made = tmpfile();
    if (!Made)
      return false;
    File.reset(Made);
    Old = dup(STDOUT_FILENO);
    return Old >= 0 && dup2(fileno(Made), STDOUT_FILENO) >= 0;
  }
  std::string end() {
    fflush(stdout);
    dup2(Old, STDOUT_FILENO);
    close(Old);
    std::string Text;
    char Bytes[4096];
    if (fseek(File.get(), 0, SEEK_SET) != 0)
      return Text;
    while (const size_t Got = fread(Bytes, 1, sizeof(Bytes), File.get()))
      Text.append(Bytes, Got);
    return Text;
  }

private:
  struct FileCloser {
    void operator()(FILE *F) const { fclose(F); }
  };
  std::unique_ptr<FILE, FileCloser> File;
  int Old = -1;
};
} // namespace

/// The first line that differs.
static std::string describe(StringRef Usual, StringRef Other) {
  SmallVector<StringRef, 0> A, B;
  Usual.split(A, '\n');
  Other.split(B, '\n');
  size_t Line = 0;
  while (Line < A.size() && Line < B.size() && A[Line] == B[Line])
    ++Line;
  auto Get = [&](const SmallVectorImpl<StringRef> &Lines) {
    return Line < Lines.size() ? "'" + Lines[Line].take_front(100).str() + "'"
                               : std::string("nothing");
  };
  return "line " + std::to_string(Line + 1) + " of its output is " + Get(B) +
         ", not " + Get(A);
}

int ScheduleRun::run(function_ref<Outcome()> Run) const {
  if (Kind != One)
    return search(Run);
  choose(Number);
  const Outcome R = Run();
  if (!R.HasRun)
    return R.ExitCode;
  fprintf(stderr, "wavelane-run: schedule %llu\n",
          static_cast<unsigned long long>(Number));
  return R.ExitCode;
}

int ScheduleRun::search(function_ref<Outcome()> Run) const {
  auto RunKept = [&](Outcome &R, std::string &Text) {
    KeptOutput Output;
    if (!Output.begin()) {
      fprintf(stderr, "wavelane-run: cannot keep the program's output: %s\n",
              strerror(errno));
      return false;
    }
    R = Run();
    Text = Output.end();
    return true;
  };
  Outcome Usual, Second;
  std::string UsualText, SecondText;
  choose(0);
  if (!RunKept(Usual, UsualText))
    return 126;
  fwrite(UsualText.data(), 1, UsualText.size(), stdout);
  fflush(stdout);
  if (!Usual.HasRun || Usual.ExitCode == 128 + SIGINT)
    return Usual.ExitCode;
  // Times and addresses are no result.
  if (!RunKept(Second, SecondText))
    return 126;
  const bool IsSteady = SecondText == UsualText;
  if (!IsSteady)
    fprintf(stderr, "wavelane-run: the output differs in each run, so only "
                    "exit codes and findings are compared\n");
  std::random_device Seed;
  for (uint64_t I = 0; I < Tries; ++I) {
    const uint64_t Tried =
        (1 + Seed() % (ScheduleLimit / 2 - 1)) * 2 + (Kind == Chaos);
    Outcome R;
    std::string Text;
    choose(Tried);
    if (!RunKept(R, Text))
      return 126;
    std::string Why;
    if (R.ExitCode != Usual.ExitCode)
      Why = "its exit code is " + std::to_string(R.ExitCode) + ", not " +
            std::to_string(Usual.ExitCode);
    else if (R.Findings != Usual.Findings)
      Why = "it has " + std::to_string(R.Findings) + " findings, not " +
            std::to_string(Usual.Findings);
    else if (IsSteady && Text != UsualText)
      Why = describe(UsualText, Text);
    else
      continue;
    fprintf(stderr,
            "wavelane-run: schedule %llu differs from the usual one: %s\n"
            "wavelane-run: --schedule %llu repeats it; in a session, "
            "'settings set plugin.process.amdgpu.schedule %llu'\n",
            static_cast<unsigned long long>(Tried), Why.c_str(),
            static_cast<unsigned long long>(Tried),
            static_cast<unsigned long long>(Tried));
    return R.ExitCode ? R.ExitCode : 1;
  }
  fprintf(stderr, "wavelane-run: %llu schedule%s gave the usual result\n",
          static_cast<unsigned long long>(Tries), Tries == 1 ? "" : "s");
  return Usual.ExitCode;
}
