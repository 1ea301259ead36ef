//===-- DeviceMain.cpp - wavelane-gpu -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Started by the program's HIP runtime, or by the library that simulates the
// driver for AMD's runtime. They pass a socket and a memory file as
// descriptors.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "ShortFiles.h"
#include "wavelane/Formats/JSON/Parse.h"
#include "wavelane/Job/Launchers.h"
#include "wavelane/MemoryLimit/MemoryShare.h"
#include "wavelane/MemoryLimit/MemoryWatch.h"
#include "wavelane/Protocol/Device/FaultNotes.h"
#include "wavelane/Protocol/Device/MemoryLimit.h"
#include "wavelane/Protocol/Device/RunOptions.h"
#include "wavelane/Protocol/Device/TranslateOption.h"
#include "wavelane/Protocol/Server/UserVariables.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/prctl.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;

static int usage(const char *Why) {
  fprintf(stderr,
          "wavelane-gpu: %s\n"
          "The HIP runtime starts this program; to run a HIP program use\n"
          "  wavelane-run [--device GPU,...] [--cus N] PROGRAM [ARGUMENT...]\n",
          Why);
  return 2;
}

static bool number(const char *Text, unsigned long Max, unsigned long &Out) {
  char *End = nullptr;
  errno = 0;
  Out = strtoul(Text, &End, 10);
  return !errno && End != Text && !*End && Out <= Max;
}

/// Reads the options that wavelane-run has written.
static llvm::Error readCheckFolder(const std::string &Folder,
                                   wavelane::check::Options &Out) {
  Out.Folder = Folder;
  const std::string Path = Folder + "/" + wavelane::check::OptionsFile;
  auto Text = llvm::MemoryBuffer::getFile(Path);
  if (Text.getError() == std::errc::no_such_file_or_directory)
    return llvm::Error::success(); // a debugger chooses checks only
  if (!Text)
    return llvm::createStringError(Path + ": " + Text.getError().message());
  auto Parsed = wavelane::parseJSON((*Text)->getBuffer());
  if (!Parsed)
    return Parsed.takeError();
  return Out.fromJSON(*Parsed);
}

/// The program's rank, which the device inherits from it; none outside of a job
/// of several.
static std::optional<uint32_t> findRank() {
  auto Place = wavelane::job::findPlace(
      [](const char *Name) { return secure_getenv(Name); });
  if (!Place) {
    llvm::consumeError(Place.takeError());
    return std::nullopt;
  }
  return Place->Size == 1 ? std::nullopt : std::optional(Place->Rank);
}

static_assert(MostThreads == Scheduler::MaxThreads);

int main(int Count, char **Arguments) {
  // The program has made options of this environment, which is its own.
  if (llvm::Error Wrong = protocol::checkVariables()) {
    fprintf(stderr, "wavelane-gpu: %s\n",
            llvm::toString(std::move(Wrong)).c_str());
    return 2;
  }
  DeviceOptions Options;
  unsigned long Socket = 0, Memory = 0, Pid = 0, Units = Options.ComputeUnits;
  memorylimit::Watched Limited = {"wavelane-gpu", MemoryLimitVariable,
                                  memorylimit::deviceShare(), std::nullopt};
  for (int I = 1; I < Count; ++I) {
    const std::string Name = Arguments[I];
    if (I + 1 == Count)
      return usage(("option " + Name + " is unknown or lacks a value").c_str());
    const char *Value = Arguments[++I];
    bool Good = true;
    if (Name == "--socket")
      Good = number(Value, 1 << 20, Socket);
    else if (Name == "--arena" || Name == "--driver") {
      Good = number(Value, 1 << 20, Memory);
      Options.IsDriver = Name == "--driver";
    } else if (Name == "--core") {
      unsigned long On = 0;
      Good = number(Value, 1, On);
      Options.IsCore = On;
    } else if (Name == "--pid")
      Good = number(Value, 1u << 30, Pid);
    else if (Name == "--cus")
      Good = number(Value, MostComputeUnits, Units) && Units;
    else if (Name == "--record")
      Options.RecordFile = Value;
    else if (Name == "--record-limit") {
      unsigned long MiB = 0;
      Good = number(Value, MostRecordLimit, MiB) && MiB;
      Options.RecordLimit = uint64_t(MiB) << 20;
    } else if (Name == MemoryLimitOption) {
      unsigned long MiB = 0;
      Good = number(Value, MostMemoryLimit, MiB) && MiB;
      Limited.Chosen = uint64_t(MiB) << 20;
    } else if (Name == "--schedule") {
      unsigned long Number = 0;
      Good = number(Value, ScheduleLimit, Number);
      Options.Schedule = Number;
    } else if (Name == "--threads") {
      unsigned long Threads = 0;
      Good = number(Value, MostThreads, Threads);
      Options.Threads = unsigned(Threads);
    } else if (Name == LateFaultsOption) {
      unsigned long Instructions = 0;
      Good = number(Value, MostLateFaults, Instructions);
      Options.LateFaults = unsigned(Instructions);
    } else if (Name == "--translate") {
      unsigned long On = 1;
      Options.Verifies = llvm::StringRef(Value) == VerifyTranslation;
      Good = Options.Verifies || number(Value, 1, On);
      Options.Translates = On;
    } else if (Name == "--check") {
      auto Checks = wavelane::check::parseList(Value);
      if (!Checks)
        return usage(llvm::toString(Checks.takeError()).c_str());
      Options.Checked.Checks = *Checks;
    } else if (Name == "--check-folder") {
      if (llvm::Error Bad = readCheckFolder(Value, Options.Checked))
        return usage(llvm::toString(std::move(Bad)).c_str());
      Limited.Note = std::string(Value) + "/" + MemoryLimitNote;
    } else if (Name == "--device") {
      std::string Why;
      if (!parseProcessors(Value, Options.Agents, Why))
        return usage(Why.c_str());
    } else
      return usage(("unknown option " + Name).c_str());
    if (!Good)
      return usage(("bad value for " + Name + ": " + Value).c_str());
  }
  // A debugger warns of its own.
  if (!Options.IsCore)
    for (const std::string &Mistyped : protocol::findMistyped())
      fprintf(stderr, "wavelane-gpu: warning: %s\n", Mistyped.c_str());
  if (!Socket || (!Memory && !Options.IsCore) || !Pid)
    return usage("must be started by a HIP runtime");
  if (const std::string Why =
          whyTooManyUnits(Options.Agents, Units, !Options.IsDriver);
      !Why.empty()) {
    fprintf(stderr, "wavelane-gpu: WAVELANE_CUS is '%lu': %s\n", Units,
            Why.c_str());
    return 2;
  }
  Options.ComputeUnits = unsigned(Units);
  Options.Checked.Rank = findRank();

  // Ctrl-C is for the program; the device ends with the program.
  setsid();
  signal(SIGPIPE, SIG_IGN);
  surviveShortFiles();
  prctl(PR_SET_NAME, "wavelane-gpu");
  prctl(PR_SET_TIMERSLACK, 1000); // its short waits are a program's
  memorylimit::watchMemory(std::move(Limited));
  memorylimit::allowMemory(Options.RecordLimit);
  if (Options.Checked.Checks)
    memorylimit::allowMemory(
        2 * (Options.Checked.ShadowLimit << 20)); // race and init

  int Code = 1;
  {
    std::string Error;
    Device D(Options, uint32_t(Pid));
    if (D.start(int(Socket), int(Memory), Error))
      Code = D.run();
    else
      fprintf(stderr, "wavelane-gpu: %s\n", Error.c_str());
  }
  // The thread that translates may not have ended.
  fflush(nullptr);
  _exit(Code);
}
