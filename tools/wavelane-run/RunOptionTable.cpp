//===-- RunOptionTable.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunOptionTable.h"

#include "wavelane/Protocol/Device/Checks.h"
#include "wavelane/RuntimeChoice/RuntimeHelp.h"
#include "llvm/ADT/STLExtras.h"

#include <vector>

using namespace llvm;

static std::vector<RunOption> makeOptions() {
  using wavelane::check::CountBit;
  std::vector<RunOption> All;
  auto Add = [&](RunSubject Subject, std::string Name, std::string Value,
                 std::string Text, std::string More = "") {
    All.push_back(
        {{std::move(Name), std::move(Value), std::move(Text), std::move(More)},
         Subject});
  };
  Add(RunSubject::Run, "--device", "GPU,...",
      "the GPUs to simulate (one that the program has code for)");
  Add(RunSubject::Run, "--cus", "N",
      "their number of compute units, 1 to 512 (4), less on some GPUs");
  Add(RunSubject::Run, "--runtime", "RUNTIME",
      "the program's runtime: amd, wavelane or auto",
      std::string("amd is the one that is installed, wavelane a small one for "
                  "HIP programs; auto is the default, or $WAVELANE_RUNTIME: ") +
          wavelane::runtimechoice::AutoHelp);
  Add(RunSubject::Run, "--no-translate", "",
      "doesn't translate GPU code that runs often into the host's",
      "It is slower, with the same results.");
  Add(RunSubject::Run, "--verify", "",
      "compares translated code with the interpreter",
      "It compares each piece before it runs: a wave stops at the first "
      "instruction that differs, with the lane and both values.");
  Add(RunSubject::Run, "--threads", "N",
      "how many of the host's threads execute workgroups at the same time (its "
      "cores, up to 4)");
  Add(RunSubject::Run, "--explain", "",
      "says which runtime the program gets, and why, and runs nothing");
  Add(RunSubject::Schedule, "--schedule", "N|random|chaos",
      "the seed of the order in which waves run",
      "The same seed gives the same run. random tries random "
      "schedules, chaos also delays waves: both print the seed of the first "
      "with another result.");
  Add(RunSubject::Schedule, "--tries", "N",
      "how many random schedules are tried (10)");
  Add(RunSubject::Record, "--record", "FILE", "keeps the run in a file",
      "'lldb -c FILE' opens it, forward and backward, also on another "
      "machine.");
  Add(RunSubject::Record, "--record-limit", "MIB",
      "the memory that the recording may take (1024)",
      "The oldest part is dropped first.");
  Add(RunSubject::Check, "--check", "LIST",
      wavelane::check::listOf(CountBit - 1, ", ") +
          ", separated by commas, or all, which leaves out " +
          wavelane::check::listOf(~wavelane::check::BitsOfAll &
                                  (CountBit - 1)));
  Add(RunSubject::Check, "--kernel", "REGEX",
      "checks the kernels whose names it matches");
  Add(RunSubject::Check, "--launches", "LIST",
      "checks these launches, as 3-5,8 (the first is 1)");
  Add(RunSubject::Check, "--max", "N",
      "prints at most N findings, and counts the rest (100)");
  Add(RunSubject::Check, "--shadow-limit", "MIB",
      "the memory that race and init may take for shadows, each (512)");
  Add(RunSubject::Check, "--leak-check", "KIND",
      "full: also finds memory that is never freed (no)");
  Add(RunSubject::Check, "--suppressions", "FILE",
      "doesn't report what the file lists");
  Add(RunSubject::Check, "--suggest", "FILE",
      "writes a file of suppressions for the findings");
  Add(RunSubject::Check, "--json", "FILE", "writes the findings as JSON");
  Add(RunSubject::Check, "--sarif", "FILE", "writes the findings as SARIF");
  Add(RunSubject::Check, "--html", "FILE", "writes the findings as a page");
  Add(RunSubject::Check, "--error-exitcode", "N",
      "the exit code if there are findings");
  Add(RunSubject::Count, "--count", "", "counts for each source line",
      "Counted are instructions, mean active lanes, bytes, transactions, bank "
      "conflicts and divergences; they are in the files above, too.");
  Add(RunSubject::Count, "--lcov", "FILE", "writes which lines ran");
  return All;
}

ArrayRef<RunOption> runOptions() {
  static const std::vector<RunOption> All = makeOptions();
  return All;
}

const RunOption *findRunOption(StringRef Name) {
  const auto *Found = find_if(
      runOptions(), [&](const RunOption &Each) { return Each.Name == Name; });
  return Found == runOptions().end() ? nullptr : Found;
}
