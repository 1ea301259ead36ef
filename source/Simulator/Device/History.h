//===-- History.h - what a device has done, and can repeat ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording is a log of which wave has executed how many instructions, in
// their order, with snapshots from time to time. Going back restores the last
// snapshot before, and executes the log's instructions again. What the program
// or a debugger does in between is in the snapshots or in the log, so that
// nothing depends on time or on how waves were scheduled.
//
// A position is the number of instructions that all waves together have
// executed since the recording began. What a debugger writes counts as one.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_HISTORY_H
#define WAVELANE_SIMULATOR_DEVICE_HISTORY_H

#include "BackSearch.h"
#include "DeviceMemory.h"
#include "HistoryStreams.h"
#include "HostActions.h"
#include "Origin.h"
#include "PageHistory.h"
#include "Queue.h"
#include "Recorder.h"
#include "wavelane/GPU/MachineCode.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace wavelane::simulator {

class HistoryFile;
class Scheduler;

class History : public Recorder {
public:
  History(DeviceMemory &Memory, const Agents &All, const Queues &TheQueues,
          Scheduler &Waves);
  ~History() override;

  /// Memory as the GPU with this index sees it, recorded.
  /// \param Inner  Must outlive the history.
  isa::MemoryAccess &wrap(isa::MemoryAccess &Inner);
  /// Sets the mapping of device memory in this process.
  bool map(uint8_t *Base, uint64_t Size) { return Pages.map(Base, Size); }

  //===-- Recording, called by the scheduler
  //-------------------------------===//

  void start();
  void stop() override;
  bool isRecording() const override { return Recording && !Away; }
  /// How many instructions are between two snapshots.
  void setInterval(uint64_t Instructions) { Interval = Instructions; }
  /// How many bytes the recording may use.
  void setLimit(uint64_t Bytes) { Limit = Bytes; }

  void starts(Queue &Q) override;
  void begins(Queue &Q, Wave &W) override;
  void ends(Wave &W, const isa::StepResult &R) override;
  /// Code is kept as other memory is: no debugger writes traps into it, and the
  /// program may free it.
  void keepCode() { KeepsCode = true; }
  void passes(Wave &W, const isa::StepResult &R) override;
  void goesBack(Wave &W) override;
  void reaps(const Queue &Q) override { note(Entry::Reaped, Q.Id); }
  void arrives(const Wave &W) override { note(Entry::Arrived, W.Number); }
  void abandons(const Queue &Q) override { note(Entry::Abandoned, Q.Id); }
  bool load(Queue &Q, Wave &W) override;
  /// The program reports a copy (simulator::MemoryNote).
  /// \return false if it is malformed.
  bool noteCopy(llvm::ArrayRef<uint8_t> Note) {
    return !isRecording() || Actions.addNote(Note, Now);
  }
  /// A debugger, or the host while waves run, is about to write memory.
  void noteWrite(uint64_t Address, uint8_t *To, llvm::ArrayRef<uint8_t> Bytes,
                 bool ByHost);
  /// A queue for copies has copied, or filled if \a From is 0.
  void copied(uint64_t To, uint64_t From, uint64_t Size);
  void makeDueSnapshot() override;

  /// Whether there are no waves, and no packets that start some.
  /// \return Whether this is new.
  bool setIdle(bool On) { return !std::exchange(IsIdle, On) && On; }

  //===-- For debuggers ---------------------------------------------------===//

  /// Whether the queues are in the past, and must not run.
  bool isAway() const { return Away; }
  void returnToPresent();
  /// What comes after the current position is forgotten: it is the present.
  llvm::Error startNewFuture();
  /// Whether waves have executed anything that can be gone back to.
  bool hasRun() const { return Recording && Now > begin(); }
  /// Without a program: goes to the last position at which there is a wave,
  /// and makes it the present.
  llvm::Error goToEnd();
  /// What the device has accessed.
  void forEachSpan(llvm::function_ref<void(const isa::MemorySpan &)> Do) const {
    for (const auto &Entry : Seen)
      Do(Entry.second);
  }
  /// What of it has been executed.
  void forEachCode(llvm::function_ref<void(const isa::MemorySpan &)> Do) const {
    for (const auto &Entry : Executed)
      Do(Entry.second);
  }
  /// Lets the past access a span.
  void noteSpan(const isa::MemorySpan &S) { join(Seen, S); }
  const uint8_t *hostOf(uint64_t Page) const { return Pages.hostOf(Page); }
  /// Writes the recording as it is.
  llvm::Error write(const HistoryPlaces &Places, const HistoryOutput &Write);
  /// Reads one that was written, with the present, for a device that has the
  /// same agents and queues.
  /// \return A warning if only a part of it can be read; may be empty.
  llvm::Expected<std::string> read(const HistoryHosts &Hosts,
                                   const HistoryInput &Read);
  /// Answers a request (simulator::MessageType::HistoryRequest).
  llvm::Expected<llvm::json::Object> answer(llvm::StringRef Request);

private:
  friend class HistoryFile;
  /// s_trap's operand in a debugger's breakpoints.
  static constexpr uint32_t BreakpointTrap = 1;
  class RecordedMemory;
  /// What a debugger has changed.
  struct DebuggerChange {
    /// Of State, only the PC: the debugger has done a branch itself.
    bool OnlyPC = false;
    isa::WaveState State;
    std::vector<uint8_t> LDS;
    uint64_t Address = 0; ///< of bytes in memory
    std::vector<uint8_t> Bytes;
    uint64_t size() const {
      return sizeof(*this) + State.VGPR.size() * 4 + LDS.size() + Bytes.size();
    }
  };
  struct Entry {
    enum What : uint8_t { Ran, Changed, Wrote, Reaped, Abandoned, Arrived };
    uint64_t Position; ///< before it
    uint32_t Number;   ///< the wave's, or the queue's; Wrote: 1 by the host
    uint32_t Count;    ///< by which the position advances
    uint32_t PC;       ///< Ran: the lower half, afterwards
    What Kind;
    std::shared_ptr<const DebuggerChange> Change;
    uint64_t size() const {
      return sizeof(*this) + (Change ? Change->size() : 0);
    }
  };
  struct SavedQueue {
    uint32_t Id;
    unsigned NextWave;
    bool Failed;
    uint32_t GridSemaphore;
    std::unique_ptr<Dispatch> Current; ///< without Resident: just started
    /// In the present: what amd_queue_t says about private memory.
    std::vector<uint8_t> Scratch = {};
  };
  struct SavedAgent {
    std::vector<Agent::UnitUse> Units;
    std::vector<std::vector<bool>> SlotUsed;
  };
  struct Snapshot {
    uint64_t Position = 0;
    uint64_t LogIndex = 0; ///< of the first entry after it
    uint64_t Clock = 0;    ///< of the first value read after it
    uint32_t Epoch = 0;
    uint32_t NextNumber = 0;
    std::vector<SavedQueue> Queues;
    std::vector<SavedAgent> Agents;
    uint64_t Bytes = 0;
  };

  // Recording.
  /// Nothing is known yet of where memory is.
  void beginRun();
  void ran(Wave &W, uint64_t Count);
  void note(Entry::What Kind, uint32_t Number, uint32_t Count = 0,
            uint32_t PC = 0,
            std::shared_ptr<const DebuggerChange> Change = nullptr);
  /// \param Starting  The queue whose dispatch hasn't begun yet, or null.
  void makeSnapshot(const Queue *Starting);
  /// Whether the next one would take too much of what is allowed.
  bool areTooMany(const Queue *Starting) const;
  /// Copies the waves and what they share.
  Snapshot copyWaves(const Queue *Starting) const;
  uint64_t bytes() const;
  void dropOldest();
  /// Ends what a debugger has done to a wave to hold it.
  static void letGo(Wave &W);
  static std::unique_ptr<Dispatch> copy(const Dispatch &From, bool WithWaves,
                                        uint64_t &Bytes);
  uint64_t readClock(isa::MemoryAccess &Inner, bool RealTime);

  // In the past.
  /// A place where a wave would have stopped.
  struct Hit {
    uint64_t Position;
    uint32_t Number;
    uint64_t PC;
    protocol::HitKind Why;
    uint64_t Lanes;
    uint32_t Code; ///< which watchpoints, exceptions or trap, as in StepResult
  };
  /// What is looked for while instructions are repeated.
  struct Search {
    std::vector<uint64_t> Breakpoints; ///< sorted
    bool Stops = false;                ///< collect hits
    uint32_t Traced = ~0u;             ///< the wave whose instructions to list
    std::vector<Hit> Hits;
    std::vector<ExecutedStep> Trace;
    Origin *Look = nullptr; ///< is notified of each instruction
    bool AddsPoints = true;
  };
  struct Trap {
    uint64_t Address;
    std::vector<uint8_t> Original;
  };
  llvm::Error leavePresent();
  void enter(size_t Which);
  void enter(const Snapshot &S);
  /// Notes where the waves are, so that they can soon be here again.
  void addPoint();
  void enterPoint(size_t Which);
  /// The last point at or before a position, after its snapshot.
  std::optional<size_t> findPoint(uint64_t At) const;
  void forgetPoints();
  llvm::Error repeatTo(uint64_t Target, Search &S);
  /// Repeats the next \a Count instructions of a wave.
  llvm::Error repeat(Queue &Q, Wave &W, uint64_t Count, Search &S);
  llvm::Error apply(const Entry &E, Origin *Look);
  llvm::Error goTo(uint64_t Target, Search &S);
  /// Where what is repeated at once begins, if it ends at \a To.
  uint64_t findWindow(uint64_t To) const;
  /// Repeats what is between two positions, for a search.
  llvm::Error repeatWindow(uint64_t From, uint64_t To,
                           const std::vector<Trap> &Traps, Search &S);
  /// Whether the log's entry in which the waves are ends where it ended: within
  /// it, nothing says so.
  llvm::Error checkEntry(Search &S);
  Wave *findWave(uint32_t Number, Queue *&On) const;
  /// The same while entries are repeated: a large launch has thousands of waves
  /// and as many entries.
  Wave *findRepeated(uint32_t Number, Queue *&On);
  /// Shows the waves to the debugger, stopped.
  llvm::Error show();
  void hide();
  uint64_t begin() const { return Snapshots.front().Position; }
  /// The last snapshot at or before a position.
  size_t findSnapshot(uint64_t At) const;
  uint64_t idOf(uint32_t Number) const;

  /// Of findRepeated(); empty where waves have begun or ended since.
  std::unordered_map<uint32_t, std::pair<Queue *, Wave *>> ByNumber;

  // Requests.
  template <typename T> using Answer = llvm::Expected<typename T::Answer>;
  protocol::HistoryState where() const;
  /// An answer that begins with where the waves are.
  template <typename T> T begun() const {
    T R;
    static_cast<protocol::HistoryState &>(R) = where();
    return R;
  }
  Answer<protocol::WhereRequest> answer(const protocol::WhereRequest &R);
  Answer<protocol::RecordRequest> answer(const protocol::RecordRequest &R);
  Answer<protocol::GoRequest> answer(const protocol::GoRequest &Request);
  Answer<protocol::ScanRequest> answer(const protocol::ScanRequest &Request);
  Answer<protocol::StepRequest> answer(const protocol::StepRequest &Request);
  Answer<protocol::BackRequest> answer(const protocol::BackRequest &Request);
  Answer<protocol::ForkRequest> answer(const protocol::ForkRequest &);
  Answer<protocol::WroteRequest> answer(const protocol::WroteRequest &Request);
  Answer<protocol::CrossedRequest>
  answer(const protocol::CrossedRequest &Request);
  Answer<protocol::CoversRequest>
  answer(const protocol::CoversRequest &Request);
  Answer<protocol::OriginRequest>
  answer(const protocol::OriginRequest &Request);

  // The search for an origin (HistoryOrigin.cpp).
  llvm::Error beginOrigin(const protocol::OriginRequest &Request);
  llvm::Error lookAtWindow(Search &S);
  bool isOfInterest(size_t Window) const;
  std::optional<uint32_t> readAt(uint64_t Address, uint32_t Epoch) const;
  uint32_t findNext(uint64_t Position) const;
  /// The number of the wave that is given by one of them.
  llvm::Expected<uint32_t> findNumber(std::optional<uint32_t> Number,
                                      std::optional<uint64_t> Id) const;
  /// What an instruction of GoesBack does to the depth of calls.
  std::optional<BackSearch::Flow> findFlow(uint64_t PC);
  static llvm::Error readTraps(const std::vector<protocol::HistoryTrap> &From,
                               std::vector<Trap> &Traps, Search &S);
  /// Calls \a Body with the program's own code in place of the traps.
  llvm::Error withoutTraps(const std::vector<Trap> &Traps,
                           llvm::function_ref<llvm::Error()> Body);

  DeviceMemory &Memory;
  const Agents &All;
  const Queues &TheQueues;
  Scheduler &Waves;
  std::vector<std::unique_ptr<RecordedMemory>> Wrapped;
  PageHistory Pages;

  /// What has been accessed, by address: the program may have freed it since.
  using Spans = std::map<uint64_t, isa::MemorySpan>;
  Spans Seen, Executed;
  static void join(Spans &Into, const isa::MemorySpan &S);
  isa::MemorySpan findSeen(uint64_t Address) const;
  bool IsIdle = false;
  bool KeepsCode = false;
  bool Recording = false;
  /// It isn't recorded because the waves are too many; it is when they fit.
  bool HasTooMany = false;
  uint64_t Limit = uint64_t(1) << 30;
  uint64_t Interval = 1 << 19; ///< a step back repeats half of that
  uint64_t Now = 0;            ///< position
  std::deque<Entry> Log;
  uint64_t LogBytes = 0;
  uint64_t FirstEntry = 0; ///< index of Log.front()
  std::deque<Snapshot> Snapshots;
  uint64_t SnapshotBytes = 0, PagesAtSnapshot = 0;
  std::deque<uint64_t> Clocks;
  uint64_t FirstClock = 0;
  bool Dropped = false; ///< the oldest part is gone
  bool Unread = false;  ///< the oldest part can't be read
  HostActions Actions;
  /// The debugger's ids of waves, by number.
  std::map<uint32_t, uint64_t> Ids;

  bool Away = false;
  /// A search that has begun, and where it goes on.
  std::unique_ptr<Origin> Looking;
  size_t Window = 0;      ///< a snapshot
  uint64_t WindowEnd = 0; ///< where it ends
  uint64_t LookedNow = 0; ///< Now when it began
  /// A step back whose end is looked for: the wave's number, and the position
  /// before which it goes on.
  struct {
    uint32_t Number = 0;
    uint64_t Before = 0;
    std::unique_ptr<BackSearch> Where;
    std::string Processor;
    unsigned Lanes = 0;                     ///< of the wave
    std::unique_ptr<gpu::MachineCode> Code; ///< made when it is needed
  } GoesBack;

  Snapshot Present; ///< what is restored in the end
  struct Place {
    size_t Snapshot;   ///< the last one passed
    uint64_t LogIndex; ///< the entry that is next, or in which it is
    uint64_t Offset;   ///< in that entry
    uint64_t Position;
    uint64_t Clock;
  };
  Place At = {};
  /// On the way to where the waves were last, each half as far from there as
  /// the one before, so that the next steps back repeat little.
  struct Point {
    Snapshot Waves;
    Place Where;
  };
  std::vector<Point> Points;
  uint64_t PointBytes = 0;
  uint64_t Repeated = 0;                ///< instructions, for tests
  std::optional<uint64_t> CheckedEntry; ///< of the log, as in Place
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_HISTORY_H
