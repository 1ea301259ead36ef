//===-- CheckSession.h - the checks of a device -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device calls. It exists only if something is checked.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_CHECKSESSION_H
#define WAVELANE_SIMULATOR_CHECK_CHECKSESSION_H

#include "Blocks.h"
#include "CallStacks.h"
#include "Check.h"
#include "Counter.h"
#include "Findings.h"
#include "InitCheck.h"
#include "MemoryCheck.h"
#include "RaceCheck.h"
#include "Symbols.h"
#include "SyncCheck.h"
#include "WaitCheck.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Simulator/ISA/Observer.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"

#include <functional>
#include <set>

namespace wavelane::check {

class Session : public Reporter, private isa::Observer {
public:
  /// \param Read  The program's memory; it may be a core's.
  Session(Options Wanted, pid_t Program, simulator::ReadMemory Read);
  ~Session() override;
  /// Adds a check to those that are wanted, before the first launch.
  void add(std::unique_ptr<Check> C);

  /// What the program says about its memory and its code. \return false if the
  /// message is malformed.
  bool noteMemory(llvm::ArrayRef<uint8_t> Message);
  bool noteCode(llvm::ArrayRef<uint8_t> Message);
  /// The same from what a driver sees of a program that tells nothing. Memory
  /// that the program also reports is known better.
  void pagesMapped(uint64_t Address, uint64_t Size, bool IsVideo);
  void pagesUnmapped(uint64_t Address);
  void addCode(uint64_t Base, const std::string &Uri) {
    Arrays.forget();
    Names.addCode(Base, 0, Uri);
  }
  void moved(uint64_t To, uint64_t From, uint64_t Size);
  /// Over a driver: called before a launch is looked at.
  std::function<void()> BeforeLaunch;
  bool noteOrder(const simulator::OrderNote &N);
  /// Whether accesses of the host's are seen, of its memory in allocations
  /// that OnHostMemory is called with.
  void watchHost(bool Works) { SeesHost = Works; }
  std::function<void(uint64_t Address, uint64_t Size)> OnHostMemory;
  /// The program itself has accessed the byte at \a Address, by an instruction
  /// at \a PC with the stack pointer \a SP.
  void hostAccessed(uint64_t Address, bool Writes, uint64_t PC, uint64_t SP);
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
  void setStops(bool On) {
    Stops = On;
    Stop = nullptr;
  }
  /// The last finding that stops something, once; null if there is none.
  const ReportedFinding *takeStop();
  /// Answers a debugger's request (simulator::MessageType::CheckRequest).
  llvm::Expected<llvm::json::Object> answer(llvm::StringRef Request);
  bool checksSync() const { return OfSync != nullptr; }
  /// Whether no wave can ever go on, which is then reported.
  bool isStuck(uint64_t NowNs, llvm::function_ref<HostState()> Host,
               std::string &Why) {
    return OfSync && OfSync->isStuck(NowNs, Host, Why);
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
  bool needsAccesses(const isa::AccessBounds &B) override;
  bool needsRows(uint64_t PC) override;
  bool needsRegisters(isa::InstClass Class,
                      const std::vector<isa::RegisterRange> &Reads,
                      const std::vector<isa::RegisterRange> &Writes) override;
  uint64_t state() override;
  bool enters(const isa::StraightCode &Code, uint64_t Exec, uint64_t &State,
              isa::PlannedRows &Rows) override;
  bool mayGoOn(uint64_t State) override;
  void left(const isa::StraightCode &Last, size_t Steps, uint64_t Exec,
            uint64_t State, uint64_t Next,
            const isa::PlannedRows &Rows) override;
  isa::QuietRows quietRows() override {
    return QuietBy ? QuietBy->quietRows() : isa::QuietRows();
  }
  bool before(const isa::WaveState &Wave,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &Wave,
             const isa::ObservedInstruction &I) override;
  void appendFinding(const ReportedFinding &T);
  void reportLeaks();
  void followHost(const Allocation &Block);
  Frame kernelFrame(uint64_t PC, uint32_t Stack);
  /// The only place that knows the classes of checks.
  std::unique_ptr<Check> make(CheckId Id);
  SyncCheck::SourceOrder compareInSource(SyncCheck::CodePlace A,
                                         SyncCheck::CodePlace B);
  bool isChosen(const Launch &L);
  /// Bits of isa::observe for the wave that runs, at its next instruction.
  unsigned wants() const;
  /// The same for translated code.
  unsigned translatedWants();
  void setWants();
  /// A check's part of a state() of translated code.
  static uint64_t stateOf(uint64_t All, size_t Guard);

  /// A check that looks at instructions.
  struct Look {
    Check *Of = nullptr;
    isa::Observer *By = nullptr;
    unsigned Wants = 0;      ///< Check::observes() of the running wave
    unsigned Translated = 0; ///< Check::translatedObserves()
  };
  /// So many checks can allow translated code, with 32 bits each of a state.
  static constexpr size_t MostGuards = 2;

  Options Wanted;
  std::string ProgramPath;
  Symbols Names;
  ArrayBounds Arrays;
  CallStacks Calls;
  Blocks Memory;
  Findings Found;
  llvm::Regex KernelPattern;
  std::vector<std::unique_ptr<Check>> Checks;
  std::vector<Look> Looks;           ///< those of Checks that look
  llvm::SmallVector<Look, 2> Guards; ///< those that allow translated code
  isa::Observer *QuietBy = nullptr;  ///< the one with observe::QuietRows
  bool Varies = false;               ///< Check::observesVary() of any
  MemoryCheck *OfMemory = nullptr;   ///< one of Checks
  Counter *OfLines = nullptr;        ///< one of Checks
  RaceCheck *OfRaces = nullptr;      ///< one of Checks
  SyncCheck *OfSync = nullptr;       ///< one of Checks
  isa::Executor *RunsOn = nullptr;   ///< the running wave's
  unsigned Wants = 0;                ///< what the running wave is observed for
  WaveInfo *Running = nullptr;       ///< the wave that runs
  uint64_t Launches = 0, RuntimesLaunches = 0, LastNumber = 0;
  uint64_t LeftOut = 0; ///< of Launches, those that aren't chosen
  bool HasFailed = false, Stops = false;
  bool LeaksAreReported = false;
  bool IsQuiet = false; ///< a runtime's kernel runs
  /// Whether what the host itself does is seen; not set over AMD's runtime.
  std::optional<bool> SeesHost;
  std::set<uint64_t> InVideo;     ///< pages that the driver has allocated there
  unsigned StopOn = CountBit - 1; ///< bits of checks
  Suppressions Ignored;           ///< what doesn't stop
  const ReportedFinding *Stop = nullptr; ///< see takeStop()
  int ReportFile = -1;                   ///< locked until the report is written
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_CHECKSESSION_H
