//===-- HistoryFile.cpp - a recording in a file ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file has the present, then the parts between snapshots, the newest first:
// so a file that was cut short lacks only the oldest ones. Each part has a
// checksum, and what it says is checked before it is used.
//
//===----------------------------------------------------------------------===//

#include "History.h"
#include "HistoryStreams.h"
#include "Scheduler.h"

#include "llvm/Support/CRC.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;

namespace {
constexpr char Magic[8] = {'W', 'A', 'V', 'E', 'L', 'R', 'E', 'C'};
/// Counts changes of what follows.
constexpr uint32_t Version = 3;
/// The most that a part may take of this machine's memory.
uint64_t mostPartBytes() {
  return uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE)) /
         4;
}
constexpr uint64_t PageBytes = 4096;
/// What a part did to a page. Touched: an earlier part has its content.
enum PageKind : uint32_t { Read, Written, Touched };

struct FileHeader {
  char Magic[8];
  uint32_t Version;
  /// The sizes of what is copied as it is: another compiler's may differ.
  uint32_t DispatchBytes, UnitBytes;
  uint32_t Parts; ///< after the present
};
struct PartHeader {
  uint64_t Bytes;
  uint32_t Checksum;
  uint32_t Reserved;
};

class Bytes {
public:
  template <typename T> void put(const T &Value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(&Value, sizeof(Value));
  }
  void put(const void *Data, size_t Size) {
    const auto *P = static_cast<const uint8_t *>(Data);
    Out.insert(Out.end(), P, P + Size);
  }
  template <typename T> void putAll(const std::vector<T> &Values) {
    put(uint64_t(Values.size()));
    put(Values.data(), Values.size() * sizeof(T));
  }
  std::vector<uint8_t> Out;
};

/// Every read is checked; after a failure, all others fail.
class Reader {
public:
  explicit Reader(llvm::ArrayRef<uint8_t> In) : In(In) {}
  template <typename T> T get() {
    T Value{};
    get(&Value, sizeof(Value));
    return Value;
  }
  bool get(void *To, uint64_t Size) {
    if (Bad || Size > In.size())
      return !(Bad = true);
    if (Size)
      memcpy(To, In.data(), Size);
    In = In.drop_front(Size);
    return true;
  }
  template <typename T> void getAll(std::vector<T> &To, uint64_t Most) {
    const auto Count = get<uint64_t>();
    if (Bad || Count > Most || Count * sizeof(T) > In.size()) {
      Bad = true;
      return;
    }
    To.resize(Count);
    get(To.data(), Count * sizeof(T));
  }
  void check(bool Good) { Bad |= !Good; }
  bool isBad() const { return Bad; }
  bool isDone() const { return !Bad && In.empty(); }

private:
  llvm::ArrayRef<uint8_t> In;
  bool Bad = false;
};

/// The part of a wave's state that is plain.
struct PlainState {
  uint32_t Scalar[isa::scalar::Count];
  uint64_t PC, TBA, TMA, ScratchBase;
  uint32_t Mode, Status, TrapSts, HwId, GprAlloc, LdsAlloc, IbSts, Doorbell;
  uint32_t AccumOffset, VGPRCount, ScratchLaneSize, LaneCount;
  uint32_t Number, IndexInGroup, Engine, Slot, HeldRounds;
  uint8_t AtBarrier, AtGrid, Signaled, BarrierFull, Ended, Reserved[3];
};
} // namespace

static void putWave(Bytes &Out, const Wave &W) {
  const isa::WaveState &S = W.State;
  PlainState P = {};
  memcpy(P.Scalar, S.Scalar, sizeof(P.Scalar));
  P.PC = S.PC, P.TBA = S.TBA, P.TMA = S.TMA, P.ScratchBase = S.ScratchBase;
  P.Mode = S.Mode, P.Status = S.Status, P.TrapSts = S.TrapSts;
  P.HwId = S.HwId, P.GprAlloc = S.GprAlloc, P.LdsAlloc = S.LdsAlloc;
  P.IbSts = S.IbSts, P.Doorbell = S.Doorbell;
  P.AccumOffset = S.AccumOffset, P.VGPRCount = S.VGPRCount;
  P.ScratchLaneSize = S.ScratchLaneSize, P.LaneCount = S.LaneCount;
  P.Number = W.Number, P.IndexInGroup = W.IndexInGroup;
  P.Engine = W.Engine, P.Slot = W.Slot, P.HeldRounds = W.HeldRounds;
  P.AtBarrier = W.AtBarrier, P.AtGrid = W.AtGrid, P.Signaled = W.Signaled;
  P.BarrierFull = W.BarrierFull, P.Ended = W.Ended;
  Out.put(P);
  Out.putAll(S.VGPR);
  Out.put(W.Late.Chance);
  Out.putAll(W.Late.Stores);
}

static std::unique_ptr<Wave> getWave(Reader &In, const Queue &Q, Workgroup &G) {
  const auto P = In.get<PlainState>();
  auto W = std::make_unique<Wave>();
  isa::WaveState &S = W->State;
  memcpy(S.Scalar, P.Scalar, sizeof(P.Scalar));
  S.Processor = Q.Agent->Target;
  S.LaneCount = uint8_t(P.LaneCount);
  S.PC = P.PC, S.TBA = P.TBA, S.TMA = P.TMA, S.ScratchBase = P.ScratchBase;
  S.Mode = P.Mode, S.Status = P.Status, S.TrapSts = P.TrapSts;
  S.HwId = P.HwId, S.GprAlloc = P.GprAlloc, S.LdsAlloc = P.LdsAlloc;
  S.IbSts = P.IbSts, S.Doorbell = P.Doorbell;
  S.AccumOffset = P.AccumOffset, S.VGPRCount = P.VGPRCount;
  S.ScratchLaneSize = P.ScratchLaneSize;
  W->Group = &G;
  W->Number = P.Number, W->IndexInGroup = P.IndexInGroup;
  W->Engine = P.Engine, W->Slot = P.Slot, W->HeldRounds = P.HeldRounds;
  W->AtBarrier = P.AtBarrier, W->AtGrid = P.AtGrid;
  W->Signaled = P.Signaled, W->BarrierFull = P.BarrierFull;
  W->Ended = P.Ended;
  constexpr uint32_t MostVectors = 1024;
  In.check((P.LaneCount == 32 && Q.Agent->Info.hasWave32()) ||
           P.LaneCount == 64);
  In.check(P.VGPRCount <= MostVectors && P.AccumOffset <= P.VGPRCount);
  In.check(P.Engine < Q.Agent->SlotUsed.size() &&
           P.Slot < Q.Agent->SlotUsed[P.Engine].size());
  In.getAll(S.VGPR, uint64_t(MostVectors) * 64);
  In.check(S.VGPR.size() == uint64_t(P.VGPRCount) * P.LaneCount ||
           (P.Ended && S.VGPR.empty()));
  constexpr uint64_t MostStores = 1 << 16;
  W->Late.Chance = In.get<ScheduleRandom>();
  In.getAll(W->Late.Stores, MostStores);
  for (const LateStore &Store : W->Late.Stores)
    In.check(Store.Size <= LateStore::MostBytes && Store.Left);
  S.LDS = G.LDS.data();
  S.LDSSize = uint32_t(G.LDS.size());
  return W;
}

static void putDispatch(Bytes &Out, const Dispatch &D) {
  Out.put(static_cast<const DispatchParts &>(D));
  Out.put(uint64_t(D.Resident.size()));
  for (const Workgroup &G : D.Resident) {
    Out.put(G.Id);
    Out.put(uint32_t(G.ComputeUnit));
    Out.putAll(G.LDS);
    Out.put(uint64_t(G.Waves.size()));
    for (const auto &W : G.Waves)
      putWave(Out, *W);
  }
}

static std::unique_ptr<Dispatch> getDispatch(Reader &In, const Queue &Q) {
  auto D = std::make_unique<Dispatch>();
  static_cast<DispatchParts &>(*D) = In.get<DispatchParts>();
  constexpr uint64_t Most = 1 << 20;
  In.check(D->Kernel.Target == Q.Agent->Target && D->GroupCount &&
           D->NextGroup <= D->GroupCount && D->GroupStep && D->Groups[0] &&
           D->Groups[1] && D->Groups[2] && D->WavesPerGroup &&
           D->WavesPerGroup <= 1024 && (D->Lanes == 32 || D->Lanes == 64) &&
           D->LDSSize <= Q.Agent->Info.LocalBytes &&
           D->Kernel.PreloadCount <= 16 && D->Kernel.ArchVgprs <= 512 &&
           D->Kernel.AccVgprs <= 512 && D->Kernel.Lanes == D->Lanes);
  const auto Groups = In.get<uint64_t>();
  In.check(Groups <= Most);
  for (uint64_t I = 0; I < Groups && !In.isBad(); ++I) {
    Workgroup &G = D->Resident.emplace_back();
    In.get(G.Id, sizeof(G.Id));
    G.ComputeUnit = In.get<uint32_t>();
    In.check(G.ComputeUnit < Q.Agent->Units.size());
    In.getAll(G.LDS, Q.Agent->Info.LocalBytes + 4096);
    const auto Count = In.get<uint64_t>();
    In.check(Count <= 1024);
    for (uint64_t K = 0; K < Count && !In.isBad(); ++K)
      G.Waves.push_back(getWave(In, Q, G));
  }
  return D;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace wavelane::simulator {

/// What reads and writes a history.
class HistoryFile {
public:
  explicit HistoryFile(History &H) : H(H) {}

  void putSnapshot(Bytes &Out, const History::Snapshot &S) const {
    Out.put(S.Position);
    Out.put(S.NextNumber);
    Out.put(uint64_t(S.Queues.size()));
    for (const History::SavedQueue &Q : S.Queues) {
      Out.put(Q.Id);
      Out.put(uint32_t(Q.NextWave));
      Out.put(uint32_t(Q.Failed));
      Out.put(Q.GridSemaphore);
      putDispatch(Out, *Q.Current);
    }
    Out.put(uint64_t(S.Agents.size()));
    for (const History::SavedAgent &A : S.Agents) {
      Out.putAll(A.Units);
      Out.put(uint64_t(A.SlotUsed.size()));
      for (const std::vector<bool> &Slots : A.SlotUsed)
        Out.putAll(std::vector<uint8_t>(Slots.begin(), Slots.end()));
    }
  }

  void getSnapshot(Reader &In, History::Snapshot &S) const {
    S.Position = In.get<uint64_t>();
    S.NextNumber = In.get<uint32_t>();
    const auto Queues = In.get<uint64_t>();
    for (uint64_t I = 0; I < Queues && !In.isBad(); ++I) {
      const auto Id = In.get<uint32_t>(), Next = In.get<uint32_t>(),
                 Failed = In.get<uint32_t>(), Semaphore = In.get<uint32_t>();
      auto It = H.TheQueues.find(Id);
      if (It == H.TheQueues.end())
        return In.check(false);
      S.Queues.push_back(
          {Id, Next, Failed != 0, Semaphore, getDispatch(In, *It->second)});
    }
    const auto Agents = In.get<uint64_t>();
    In.check(Agents == H.All.size());
    for (uint64_t I = 0; I < Agents && !In.isBad(); ++I) {
      History::SavedAgent &A = S.Agents.emplace_back();
      In.getAll(A.Units, 1024);
      In.check(A.Units.size() == H.All[I]->Units.size());
      const auto Engines = In.get<uint64_t>();
      In.check(Engines == H.All[I]->SlotUsed.size());
      for (uint64_t E = 0; E < Engines && !In.isBad(); ++E) {
        std::vector<uint8_t> Slots;
        In.getAll(Slots, 1 << 16);
        In.check(Slots.size() == H.All[I]->SlotUsed[E].size());
        A.SlotUsed.emplace_back(Slots.begin(), Slots.end());
      }
    }
  }

  /// The log, the clocks, what the host did and the pages from a snapshot to
  /// the next one.
  std::vector<uint8_t> writePart(size_t Which,
                                 const HistoryPlaces &Places) const;
  bool readPart(llvm::ArrayRef<uint8_t> From, const HistoryHosts &Hosts);
  void putActions(Bytes &Out, size_t Which) const;
  static std::vector<HostActions::Action> getActions(Reader &In);

  History &H;
};

void HistoryFile::putActions(Bytes &Out, size_t Which) const {
  const size_t Begin =
      Which ? H.Actions.find(H.Snapshots[Which].Position) : size_t(0);
  const size_t End = Which + 1 < H.Snapshots.size()
                         ? H.Actions.find(H.Snapshots[Which + 1].Position)
                         : H.Actions.size();
  Out.put(uint64_t(End - Begin));
  for (size_t I = Begin; I < End; ++I) {
    const HostActions::Action &A = H.Actions[I];
    Out.put(A.Position);
    Out.put(uint32_t(A.Is));
    Out.put(A.Queue);
    for (uint64_t Value : {A.To, A.From, A.Size, A.Rows, A.Pitch, A.PacketId})
      Out.put(Value);
    Out.putAll(A.Callers);
  }
}

std::vector<HostActions::Action> HistoryFile::getActions(Reader &In) {
  std::vector<HostActions::Action> Actions;
  const auto Count = In.get<uint64_t>();
  for (uint64_t I = 0; I < Count && !In.isBad(); ++I) {
    HostActions::Action A;
    A.Position = In.get<uint64_t>();
    const auto Is = In.get<uint32_t>();
    In.check(Is <= HostActions::Action::Launch);
    A.Is = HostActions::Action::What(Is);
    A.Queue = In.get<uint32_t>();
    for (uint64_t *Value :
         {&A.To, &A.From, &A.Size, &A.Rows, &A.Pitch, &A.PacketId})
      *Value = In.get<uint64_t>();
    In.check(A.Rows && A.Size <= UINT64_MAX / A.Rows);
    constexpr uint64_t MostCallers = 64;
    In.getAll(A.Callers, MostCallers);
    In.check(Actions.empty() || Actions.back().Position <= A.Position);
    Actions.push_back(std::move(A));
  }
  return Actions;
}

std::vector<uint8_t> HistoryFile::writePart(size_t Which,
                                            const HistoryPlaces &Places) const {
  Bytes Out;
  const History::Snapshot &S = H.Snapshots[Which];
  putSnapshot(Out, S);
  const bool IsLast = Which + 1 == H.Snapshots.size();
  const uint64_t LogEnd =
      IsLast ? H.FirstEntry + H.Log.size() : H.Snapshots[Which + 1].LogIndex;
  const uint64_t ClockEnd =
      IsLast ? H.FirstClock + H.Clocks.size() : H.Snapshots[Which + 1].Clock;
  Out.put(LogEnd - S.LogIndex);
  for (uint64_t I = S.LogIndex; I < LogEnd; ++I) {
    const History::Entry &E = H.Log[I - H.FirstEntry];
    Out.put(E.Number);
    Out.put(E.Count);
    Out.put(E.PC);
    Out.put(uint32_t(E.Kind));
  }
  Out.put(ClockEnd - S.Clock);
  for (uint64_t I = S.Clock; I < ClockEnd; ++I)
    Out.put(H.Clocks[I - H.FirstClock]);
  putActions(Out, Which);
  std::vector<std::pair<uint64_t, const PageHistory::Version *>> Pages;
  H.Pages.forEachVersion(
      S.Epoch, [&](uint64_t Page, const PageHistory::Version *V) {
        Places(Page, [&](uint64_t Address) { Pages.emplace_back(Address, V); });
      });
  Out.put(uint64_t(Pages.size()));
  for (const auto &[Address, V] : Pages) {
    Out.put(Address);
    Out.put(!V ? Touched : V->Written ? Written : Read);
    Out.put(uint32_t(V && V->Content));
    if (V && V->Content)
      Out.put(V->Content->Bytes, PageBytes);
  }
  return std::move(Out.Out);
}

/// Adds a part before what has been read.
bool HistoryFile::readPart(llvm::ArrayRef<uint8_t> From,
                           const HistoryHosts &Hosts) {
  Reader In(From);
  History::Snapshot S;
  getSnapshot(In, S);
  std::vector<History::Entry> Log;
  uint64_t Position = S.Position;
  const auto Entries = In.get<uint64_t>();
  for (uint64_t I = 0; I < Entries && !In.isBad(); ++I) {
    History::Entry E = {};
    E.Position = Position;
    E.Number = In.get<uint32_t>();
    E.Count = In.get<uint32_t>();
    E.PC = In.get<uint32_t>();
    const auto Kind = In.get<uint32_t>();
    In.check(Kind == History::Entry::Ran || Kind == History::Entry::Reaped ||
             Kind == History::Entry::Abandoned ||
             Kind == History::Entry::Arrived);
    In.check((Kind == History::Entry::Ran) == (E.Count != 0));
    E.Kind = History::Entry::What(Kind);
    Position += E.Count;
    Log.push_back(std::move(E));
  }
  // The next part begins where this one ends.
  In.check(Position ==
           (H.Snapshots.empty() ? H.Now : H.Snapshots.front().Position));
  std::vector<uint64_t> Clocks;
  In.getAll(Clocks, From.size() / 8);
  std::vector<HostActions::Action> Actions = getActions(In);
  In.check(Actions.empty() || (Actions.front().Position >= S.Position &&
                               Actions.back().Position <= Position));
  struct Page {
    uint64_t Number;
    uint32_t Kind;
    std::vector<uint8_t> Content;
  };
  std::vector<Page> Pages;
  const auto Count = In.get<uint64_t>();
  for (uint64_t I = 0; I < Count && !In.isBad(); ++I) {
    Page P;
    const auto Address = In.get<uint64_t>();
    P.Kind = In.get<uint32_t>();
    if (In.get<uint32_t>()) {
      P.Content.resize(PageBytes);
      In.get(P.Content.data(), PageBytes);
    }
    const std::optional<uint64_t> Number = Hosts(Address);
    In.check(Number.has_value());
    P.Number = Number.value_or(0);
    Pages.push_back(std::move(P));
  }
  if (!In.isDone())
    return false;
  S.Epoch = H.Pages.prependEpoch();
  for (Page &P : Pages)
    if (P.Kind == Touched)
      H.Pages.prependTouched(P.Number);
    else
      H.Pages.prependVersion(P.Number, P.Kind == Written,
                             P.Content.empty() ? nullptr : P.Content.data());
  S.LogIndex = H.FirstEntry -= Log.size();
  H.Log.insert(H.Log.begin(), Log.begin(), Log.end());
  for (const History::Entry &E : Log)
    H.LogBytes += E.size();
  S.Clock = H.FirstClock -= Clocks.size();
  H.Clocks.insert(H.Clocks.begin(), Clocks.begin(), Clocks.end());
  H.Actions.prepend(std::move(Actions));
  H.Snapshots.push_front(std::move(S));
  return true;
}

} // namespace wavelane::simulator

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static llvm::Error writePart(llvm::ArrayRef<uint8_t> Part,
                             const HistoryOutput &Write) {
  const PartHeader Header = {Part.size(), llvm::crc32(Part), 0};
  if (llvm::Error E = Write(&Header, sizeof(Header)))
    return E;
  return Write(Part.data(), Part.size());
}

llvm::Error History::write(const HistoryPlaces &Places,
                           const HistoryOutput &Write) {
  if (Away)
    return llvm::createStringError("the waves are in the past");
  for (const Entry &E : Log)
    if (E.Kind == Entry::Changed || E.Kind == Entry::Wrote)
      return llvm::createStringError("a debugger has changed something");
  HistoryFile File(*this);
  FileHeader Header = {};
  memcpy(Header.Magic, Magic, sizeof(Magic));
  Header.Version = Version;
  Header.DispatchBytes = sizeof(DispatchParts);
  Header.UnitBytes = sizeof(Agent::UnitUse);
  Header.Parts = uint32_t(Snapshots.size());
  if (llvm::Error E = Write(&Header, sizeof(Header)))
    return E;
  Snapshot Here;
  Here.Position = Now;
  Here.NextNumber = Waves.nextNumber();
  uint64_t Ignored = 0;
  for (auto &Entry : TheQueues) {
    const Queue &Q = *Entry.second;
    if (Q.Current)
      Here.Queues.push_back({Q.Id, Q.NextWave, Q.Failed, Q.GridSemaphore,
                             copy(*Q.Current, /*WithWaves=*/true, Ignored)});
  }
  for (auto &A : All)
    Here.Agents.push_back({A->Units, A->SlotUsed});
  Bytes Present;
  File.putSnapshot(Present, Here);
  Present.put(uint32_t(Dropped));
  if (llvm::Error E = writePart(Present.Out, Write))
    return E;
  for (size_t I = Snapshots.size(); I--;)
    if (llvm::Error E = writePart(File.writePart(I, Places), Write))
      return E;
  return llvm::Error::success();
}

/// \return nullopt if the file ends before, or something in it has changed.
static std::optional<std::vector<uint8_t>> readPart(const HistoryInput &Read,
                                                    uint64_t &At) {
  PartHeader Header;
  if (!Read(At, &Header, sizeof(Header)) || Header.Bytes > mostPartBytes())
    return std::nullopt;
  At += sizeof(Header);
  // No memory is taken for a size that nothing proves: a damaged or sparse file
  // can name any.
  std::vector<uint8_t> Chunk(std::min(Header.Bytes, uint64_t(1) << 20));
  uint32_t Checksum = 0;
  for (uint64_t Done = 0; Done < Header.Bytes;) {
    const auto Size = std::min(Header.Bytes - Done, uint64_t(Chunk.size()));
    if (!Read(At + Done, Chunk.data(), Size))
      return std::nullopt;
    Checksum = llvm::crc32(Checksum, llvm::ArrayRef(Chunk).take_front(Size));
    Done += Size;
  }
  if (Checksum != Header.Checksum)
    return std::nullopt;
  std::vector<uint8_t> Part(Header.Bytes);
  if (!Read(At, Part.data(), Part.size()))
    return std::nullopt;
  At += Header.Bytes;
  return Part;
}

llvm::Expected<std::string> History::read(const HistoryHosts &Hosts,
                                          const HistoryInput &Read) {
  FileHeader Header;
  if (!Read(0, &Header, sizeof(Header)))
    return llvm::createStringError(
        "the recording is cut short: it can't be read");
  if (memcmp(Header.Magic, Magic, sizeof(Magic)) != 0)
    return llvm::createStringError(
        "the recording is damaged: it can't be read");
  if (Header.Version != Version ||
      Header.DispatchBytes != sizeof(DispatchParts) ||
      Header.UnitBytes != sizeof(Agent::UnitUse))
    return llvm::createStringError("the recording has version " +
                                   llvm::Twine(Header.Version) +
                                   ", which isn't this Wavelane's (" +
                                   llvm::Twine(Version) + "): record again");
  HistoryFile File(*this);
  uint64_t At = sizeof(Header);
  std::optional<std::vector<uint8_t>> Part = readPart(Read, At);
  if (!Part)
    return llvm::createStringError(
        "the recording is cut short or damaged: it can't be read");
  Reader In(*Part);
  Snapshot Here;
  File.getSnapshot(In, Here);
  const auto WasDropped = In.get<uint32_t>();
  if (!In.isDone())
    return llvm::createStringError(
        "the recording is damaged: it can't be read");
  for (SavedQueue &Saved : Here.Queues) {
    Queue &Q = *TheQueues.find(Saved.Id)->second;
    Q.NextWave = Saved.NextWave;
    Q.Failed = Saved.Failed;
    Q.GridSemaphore = Saved.GridSemaphore;
    Q.Current = std::move(Saved.Current);
  }
  for (size_t I = 0; I < Here.Agents.size(); ++I) {
    All[I]->Units = Here.Agents[I].Units;
    All[I]->SlotUsed = Here.Agents[I].SlotUsed;
  }
  Waves.setNextNumber(Here.NextNumber);
  Now = Here.Position;
  FirstEntry = FirstClock = uint64_t(1) << 62;
  Pages.startEpochs();
  uint32_t PartsRead = 0;
  while (PartsRead < Header.Parts) {
    Part = readPart(Read, At);
    if (!Part || !File.readPart(*Part, Hosts))
      break;
    ++PartsRead;
  }
  Unread = PartsRead < Header.Parts;
  Dropped = WasDropped || Unread;
  if (Snapshots.empty())
    return llvm::createStringError(
        "the recording is cut short or damaged: nothing of it can be "
        "read");
  SnapshotBytes = 0;
  PagesAtSnapshot = Pages.bytes();
  Recording = true;
  return PartsRead < Header.Parts
             ? "the recording is cut short or damaged: " +
                   std::to_string(Header.Parts - PartsRead) + " of its " +
                   std::to_string(Header.Parts) +
                   " parts, the oldest, can't be read"
             : std::string();
}
