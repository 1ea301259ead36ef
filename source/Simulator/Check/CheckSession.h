//===-- CheckSession.h - the checks of a device -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device calls. It exists only if something is checked.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_CHECKSESSION_H
#define WAVELANE_SIMULATOR_CHECK_CHECKSESSION_H

#include "CheckObserver.h"
#include "CheckSet.h"
#include "ChosenLaunches.h"
#include "Findings.h"
#include "ProgramMemory.h"
#include "ReportFiles.h"
#include "StopFilter.h"
#include "Symbols.h"

#include "llvm/Support/JSON.h"

#include <functional>
#include <map>
#include <utility>

namespace wavelane::check {

class Session : public Reporter {
public:
  /// \param Read  The program's memory; it may be a core's.
  /// \param ReadGlobal  Memory as the GPU sees it.
  Session(Options Wanted, pid_t Program, simulator::ReadMemory Read,
          simulator::ReadMemory ReadGlobal);
  /// Adds a check to those that are wanted, before the first launch.
  void add(std::unique_ptr<Check> C);

  /// What the program says about its memory.
  ProgramMemory &memory() { return Memory; }
  /// Takes a simulator::OrderNote, with return addresses of the host after it.
  /// \param N  That note, with the number of the ring's queue, plus 1, for its
  ///     ring.
  /// \return false if it is malformed.
  bool noteOrder(const simulator::OrderNote &N, llvm::ArrayRef<uint8_t> Stack);
  /// A kernel that couldn't be launched. \return false if the message is
  /// malformed.
  bool noteFailedLaunch(llvm::ArrayRef<uint8_t> Message);
  /// What it says about its code. \return false if the message is malformed.
  bool noteCode(llvm::ArrayRef<uint8_t> Message);
  /// The same, from what a driver sees of a program that reports nothing.
  void addCode(uint64_t Base, const std::string &Uri) {
    Arrays.forget();
    Names.addCode(Base, 0, Uri);
  }
  /// Over a driver: called before a launch is looked at.
  std::function<void()> BeforeLaunch;
  /// The pages are those of a core.
  void coreLoaded();

  /// \a L without Number and IsChecked, which are set here.
  LaunchRef launchBegins(Launch L);
  void launchEnds(const LaunchRef &L);
  void waveBegins(const WaveInfo &W);
  void waveEnds(const WaveInfo &W);
  /// Before \a W runs on \a On.
  void waveRuns(WaveInfo &W, isa::Executor &On);
  void arrives(const WaveInfo &W, uint64_t PC, bool Grid);
  void released(const WaveInfo &W, bool Grid);
  /// Whether a finding from now on stops its wave, or the program's call, in
  /// front of a debugger.
  void setStops(bool On) { Stops.setActive(On); }
  /// The last finding that stops something, once; null if there is none.
  const ReportedFinding *takeStop() { return Stops.take(); }
  /// Answers a debugger's request (simulator::MessageType::CheckRequest).
  llvm::Expected<llvm::json::Object> answer(llvm::StringRef Request);
  bool checksSync() const { return Checks.Sync != nullptr; }
  /// Whether no wave can ever go on, which is then reported.
  bool isStuck(uint64_t NowNs, llvm::function_ref<HostState()> Host,
               std::string &Why) {
    return Checks.Sync && Checks.Sync->isStuck(NowNs, Host, Why);
  }
  /// The lanes of a wave that really execute the instruction at \a PC, a bit
  /// each.
  uint64_t executingLanes(const isa::WaveState &W, uint64_t PC);
  /// A kernel has failed: the program won't free its memory.
  void failed() { HasFailed = true; }
  /// A new number for a wave or a workgroup.
  uint64_t newNumber() { return ++LastNumber; }
  /// The program has ended: writes the report.
  void finish();

private:
  bool report(const FindingKey &Key, unsigned Lanes,
              llvm::function_ref<Finding()> Describe) override;
  void notChecked(const std::string &What) override;
  void reportLeaks();
  Frame kernelFrame(uint64_t PC, uint32_t Stack);
  /// The only place that knows the classes of checks.
  std::unique_ptr<Check> make(CheckId Id);
  SyncCheck::SourceOrder compareInSource(SyncCheck::CodePlace A,
                                         SyncCheck::CodePlace B);
  /// The lines of `check count` that a debugger asks for.
  llvm::Error addLines(const llvm::json::Object &Request,
                       llvm::json::Object &Answer);

  Options Wanted;
  std::string ProgramPath;
  Symbols Names;
  CallStacks Calls;
  ArrayBounds Arrays;
  ProgramMemory Memory{Checks, Names, *this};
  Findings Found;
  StopFilter Stops;
  ReportFiles Files;
  ChosenLaunches Launches;
  /// By queue and packet: the stacks of launches that haven't begun.
  std::map<std::pair<uint32_t, uint64_t>, std::vector<uint64_t>> HostStacks;
  CheckObserver Observer{Calls};
  CheckSet Checks;
  uint64_t LastNumber = 0; ///< of a wave or a workgroup
  bool HasFailed = false, LeaksAreReported = false;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_CHECKSESSION_H
