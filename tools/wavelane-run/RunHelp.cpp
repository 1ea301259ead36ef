//===-- RunHelp.cpp - the help of wavelane-run ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunCommandLine.h"
#include "RunOptionTable.h"

#include "wavelane/GPU/Processors.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <cstring>
#include <string>

/// Prints an option, and what it does in lines as long as those of the help.
static void printOption(const RunOption &Option) {
  constexpr size_t Indent = 20, Width = 90;
  const std::string Name =
      "  " + Option.Name + (Option.Value.empty() ? "" : " ") + Option.Value;
  const std::string Text =
      Option.Text + (Option.More.empty() ? "" : ". " + Option.More);
  size_t Column = Name.size() < Indent ? Indent : Width;
  printf("%-*s", Column == Indent ? int(Indent) : 0, Name.c_str());
  bool IsFirst = Column == Indent;
  for (llvm::StringRef Word : llvm::split(Text, ' ')) {
    if (Column + 1 + Word.size() > Width) {
      printf("\n%*s", int(Indent), "");
      Column = Indent;
      IsFirst = true;
    }
    printf("%s%s", IsFirst ? "" : " ", Word.str().c_str());
    Column += Word.size() + !IsFirst;
    IsFirst = false;
  }
  printf("\n");
}

static void printOptions(RunSubject Subject) {
  for (const RunOption &Each : runOptions())
    if (Each.Subject == Subject)
      printOption(Each);
}

void printHelp() {
  printf("usage: wavelane-run [OPTION...] PROGRAM [ARGUMENT...]\n"
         "Runs a GPU program on Wavelane's simulated GPU. The exit code is the "
         "program's.\n");
  for (RunSubject Subject :
       {RunSubject::Run, RunSubject::Schedule, RunSubject::Record})
    printOptions(Subject);
  printf("Checks, which are reported on the standard error output:\n");
  printOptions(RunSubject::Check);
  printf("Counts:\n");
  printOptions(RunSubject::Count);
  printf("GPUs:");
  // No line is longer than the others.
  size_t Column = 80;
  for (const wavelane::gpu::Processor &P : wavelane::gpu::devices()) {
    if (!P.isModeled())
      continue;
    if (Column + strlen(P.Name) + 1 > 78)
      Column = size_t(printf("\n ")) - 1;
    Column += size_t(printf(" %s", P.Name));
  }
  printf("\n");
}
