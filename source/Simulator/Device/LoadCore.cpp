//===-- LoadCore.cpp - the queues and waves of a core file ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dispatch isn't in a core as such: its packet is in the queue's ring, and
// reports to the kernel. The waves are in the save areas. Those that the
// simulated device writes are of its own size, so they get another place.
//
//===----------------------------------------------------------------------===//

#include "LoadCore.h"
#include "SaveContext.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;

/// More than a GPU has.
static constexpr uint32_t MostEngines = 64, MostSlots = 4096;
/// ttmp6: the trap handler has stopped the wave.
static constexpr uint32_t StoppedBit = 1u << 30;

llvm::Error CoreLoader::loadMemory(const protocol::LoadCoreRequest &Request) {
  std::vector<int> Fds;
  std::vector<CoreMemory::Range> Ranges;
  llvm::Error E = llvm::Error::success();
  for (const std::string &Path : Request.Paths) {
    Fds.push_back(open(Path.c_str(), O_RDONLY | O_CLOEXEC));
    if (Fds.back() < 0 && !E)
      E = llvm::createStringError(Path + ": " + strerror(errno));
  }
  for (const protocol::CoreRange &R : Request.Ranges) {
    if (E)
      break;
    if (R.File >= Fds.size())
      E = llvm::createStringError("malformed memory of a core");
    else
      Ranges.push_back({R.Address, R.Size, Fds[size_t(R.File)], R.Offset});
  }
  // Room for the save areas that the device writes.
  uint64_t Own = PageSize;
  for (const kfd::DeviceSnapshotEntry &Entry : Entries) {
    const Processor *P = gpu::findByTargetVersion(Entry.gfx_target_version);
    const unsigned Units =
        P ? std::clamp<unsigned>(Entry.simd_count / P->family().SimdsPerUnit, 1,
                                 maxUnitsOfXcc(*P))
          : 1;
    if (P && P->isModeled())
      Own += Agent(*P, Units, 0, Memory).describe().save_area_size *
             Request.Queues.size();
  }
  if (!E)
    E = Memory.map(std::move(Ranges), Own);
  NextOwn = Memory.ownAddress();
  // Mappings stay.
  for (int Fd : Fds)
    if (Fd >= 0)
      close(Fd);
  return E;
}

void CoreLoader::loadAgents(
    llvm::function_ref<isa::MemoryAccess &(unsigned)> View) {
  for (const kfd::DeviceSnapshotEntry &Entry : Entries) {
    const Processor *P = gpu::findByTargetVersion(Entry.gfx_target_version);
    Known.push_back(nullptr);
    if (!P || !P->isModeled())
      continue; // an error if it has waves
    const unsigned Units = std::clamp<unsigned>(
        Entry.simd_count / P->family().SimdsPerUnit, 1, maxUnitsOfXcc(*P));
    const unsigned Index = unsigned(All.size());
    All.push_back(std::make_unique<Agent>(*P, Units, Index, View(Index)));
    All.back()->CoreId = Entry.gpu_id;
    Known.back() = All.back().get();
  }
}

llvm::Expected<protocol::LoadCoreAnswer>
CoreLoader::load(const protocol::LoadCoreRequest &Request,
                 llvm::function_ref<llvm::Error()> Mapped,
                 llvm::function_ref<isa::MemoryAccess &(unsigned)> View) {
  Runtime.Info = Request.Runtime.Value;
  for (const auto &Agent : Request.Agents)
    Entries.push_back(Agent.Value);
  if (Entries.size() > MaxAgents)
    return llvm::createStringError("the core has more than " +
                                   llvm::Twine(MaxAgents) + " GPUs");
  if (llvm::Error E = loadMemory(Request))
    return std::move(E);
  if (llvm::Error E = Mapped())
    return std::move(E);
  loadAgents(View);
  protocol::LoadCoreAnswer Answer;
  for (const protocol::CoreQueue &One : Request.Queues) {
    kfd::QueueSnapshotEntry Entry = One.Queue.Value;
    if (llvm::Error E = loadQueue(Entry, One.Waves))
      return std::move(E);
    if (auto It = TheQueues.find(Entry.queue_id); It != TheQueues.end()) {
      Entry.ctx_save_restore_address = It->second->SaveArea;
      Entry.ctx_save_restore_area_size = uint32_t(It->second->SaveSize);
    }
    Answer.Queues.push_back({Entry});
  }
  Runtime.Info.runtime_state = kfd::RuntimeEnabled;
  if (!Request.Recording)
    return Answer;
  llvm::Expected<std::string> Warning =
      Request.Recording->File < Request.Paths.size()
          ? loadRecording(Request.Paths[size_t(Request.Recording->File)],
                          *Request.Recording)
          : llvm::createStringError("malformed recording");
  // Without it, the core is one without a recording.
  Answer.Warning = Warning ? *Warning : llvm::toString(Warning.takeError());
  return Answer;
}

/// Gives a wave the state in which the debugger sees it.
static void stop(Queue &Q, Wave &W, uint64_t Id) {
  W.State.ttmp()[4] = uint32_t(Id);
  W.State.ttmp()[5] = uint32_t(Id >> 32);
  markStopped(Q, W, /*TrapId=*/0, W.State.PC);
}

llvm::Expected<std::string>
CoreLoader::loadRecording(const std::string &Path,
                          const protocol::CorePart &Place) {
  const int Fd = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return llvm::createStringError(Path + ": " + strerror(errno));
  // The debugger's ids, and the waves as they are without a recording.
  std::map<uint32_t, std::vector<uint64_t>> Ids;
  std::map<uint32_t, std::unique_ptr<Dispatch>> Before;
  for (auto &Entry : TheQueues)
    if (Queue &Q = *Entry.second; Q.Current) {
      for (Workgroup &G : Q.Current->Resident)
        for (auto &W : G.Waves)
          Ids[Q.Id].push_back(W->State.ttmp()[4] | uint64_t(W->State.ttmp()[5])
                                                       << 32);
      Before[Q.Id] = std::move(Q.Current);
    }
  llvm::Expected<std::string> Warning = TheHistory.read(
      [&](uint64_t Address) -> std::optional<uint64_t> {
        uint64_t Bytes = PageSize;
        const uint8_t *At = Memory.find(Address, Bytes);
        if (!At || Bytes < PageSize || Address % PageSize)
          return std::nullopt;
        return uint64_t(At - Memory.base()) / PageSize;
      },
      [&](uint64_t From, void *To, size_t Bytes) {
        return From <= Place.Size && Bytes <= Place.Size - From &&
               pread(Fd, To, Bytes, off_t(Place.Offset + From)) ==
                   ssize_t(Bytes);
      });
  close(Fd);
  bool Good = bool(Warning);
  for (auto &Entry : TheQueues) {
    Queue &Q = *Entry.second;
    size_t Next = 0;
    const std::vector<uint64_t> &Own = Ids[Q.Id];
    if (Q.Current && Good)
      for (Workgroup &G : Q.Current->Resident)
        for (auto &W : G.Waves)
          if (!W->Ended)
            stop(Q, *W, Next < Own.size() ? Own[Next++] : ++Next);
    Good &= Next == Own.size();
  }
  if (!Good) {
    TheHistory.stop();
    for (auto &Entry : TheQueues)
      Entry.second->Current = std::move(Before[Entry.first]);
    if (Warning)
      return llvm::createStringError("the recording doesn't fit the core");
    return Warning;
  }
  for (auto &Entry : TheQueues) {
    Entry.second->Layout = 0;
    if (!saveContext(Memory, *Entry.second))
      return llvm::createStringError(
          "the waves of the recording don't fit the GPU");
  }
  Memory.forEachRange([&](uint64_t Begin, uint64_t End, uint8_t *Host) {
    TheHistory.noteSpan({Host, Begin, End});
  });
  return Warning;
}

llvm::Error CoreLoader::loadQueue(const kfd::QueueSnapshotEntry &Entry,
                                  llvm::ArrayRef<uint64_t> Ids) {
  const uint32_t Kind = Entry.queue_type & 0xff;
  auto It = llvm::find_if(Entries, [&](const kfd::DeviceSnapshotEntry &E) {
    return E.gpu_id == Entry.gpu_id;
  });
  Agent *On =
      It == Entries.end() ? nullptr : Known[size_t(It - Entries.begin())];
  if (Ids.empty() && (!On || Kind != uint32_t(QueueKind::Aql)))
    return llvm::Error::success(); // nothing to run
  const std::string Name = "queue " + std::to_string(Entry.queue_id);
  if (!On) {
    const Processor *P = It == Entries.end()
                             ? nullptr
                             : gpu::findByTargetVersion(It->gfx_target_version);
    return llvm::createStringError(P ? llvm::Twine(gpu::whyNotModeled(P->Name))
                                     : Name + " is on a GPU that isn't known");
  }
  if (Kind != uint32_t(QueueKind::Aql))
    return llvm::createStringError(Name +
                                   " has waves that no AQL packet has started");
  if (TheQueues.count(Entry.queue_id))
    return llvm::createStringError(Name + " is there twice");
  auto Made = std::make_unique<Queue>();
  Queue &Q = *Made;
  Q.Id = Entry.queue_id;
  Q.Agent = On;
  Q.Ring = Entry.ring_base_address;
  Q.RingSize = Entry.ring_size;
  Q.WriteIndex = Entry.write_pointer_address;
  Q.ReadIndex = Entry.read_pointer_address;
  Q.AmdQueue = Entry.read_pointer_address - AmdQueueReadDispatchId;
  Q.ExceptionStatus = 0;
  Q.Suspended = true;
  if (Q.RingSize < 64 || Q.RingSize & (Q.RingSize - 1) || Q.Ring % 64)
    return llvm::createStringError(
        "the ring of " + Name + " can't be: " + std::to_string(Q.RingSize) +
        " bytes at " + llvm::formatv("{0:x}", Q.Ring).str());
  if (!Ids.empty() && (!Memory.get(Q.Ring, Q.RingSize, Access::Read) ||
                       !Memory.get(Q.AmdQueue, AmdQueueSize, Access::Read)))
    return llvm::createStringError("the core lacks the packets of " + Name);
  const uint32_t Areas = std::clamp(It->num_xcc, 1u, 64u);
  std::unique_ptr<Dispatch> Whole;
  size_t Next = 0;
  for (uint32_t I = 0; I < Areas && !Ids.empty(); ++I) {
    Q.SaveArea = Entry.ctx_save_restore_address +
                 uint64_t(I) * Entry.ctx_save_restore_area_size;
    Q.SaveSize = Entry.ctx_save_restore_area_size;
    if (llvm::Error E = loadArea(Q, Ids, Next, Whole))
      return E;
  }
  if (Next != Ids.size())
    return llvm::createStringError("the save areas of " + Name +
                                   " have other waves");
  // From now on, they are saved in memory of the device.
  const uint64_t All = On->describe().save_area_size;
  Q.SaveArea = NextOwn;
  Q.divideSaveArea(All);
  NextOwn += All;
  Q.Current = std::move(Whole);
  Q.Layout = 0;
  if (!saveContext(Memory, Q))
    return llvm::createStringError("the waves of " + Name +
                                   " don't fit a simulated GPU");
  TheQueues[Q.Id] = std::move(Made);
  return llvm::Error::success();
}

llvm::Error CoreLoader::loadDispatch(Queue &Q, const uint32_t *Ttmps) {
  const gpu::Family &Family = Q.Agent->Info.family();
  const uint32_t Low = Family.HasStatePriv     ? Ttmps[8] & 0x1ffffff
                       : Family.PacketInTtmp11 ? Ttmps[11] >> 6 & 0x1ffffff
                                               : Ttmps[6] & 0x1ffffff;
  const auto *Read = Memory.object<uint64_t>(Q.ReadIndex, Access::Read);
  if (!Read)
    return llvm::createStringError("the core lacks the index of a queue");
  const uint64_t Id = *Read + ((Low - *Read) & (Q.RingSize / 64 - 1));
  if (Q.Current && Q.Current->PacketId == Id)
    return llvm::Error::success();
  if (Q.Current)
    return llvm::createStringError(
        "queue " + llvm::Twine(Q.Id) +
        " has waves of several dispatches, and a queue of the "
        "simulated GPU runs one at a time");
  kfd::Exception Code;
  std::string Why;
  Q.Current =
      Waves.readDispatch(Q, Id, Q.Ring + Id * 64 % Q.RingSize, Code, Why);
  if (!Q.Current)
    return llvm::createStringError("queue " + llvm::Twine(Q.Id) + ", packet " +
                                   llvm::Twine(Id) + ": " + Why);
  Q.Current->NextGroup = Q.Current->GroupCount;
  return llvm::Error::success();
}

llvm::Error CoreLoader::loadArea(Queue &Q, llvm::ArrayRef<uint64_t> Ids,
                                 size_t &Next,
                                 std::unique_ptr<Dispatch> &Whole) {
  const savearea::Architecture &Arch = *Q.Agent->Layout;
  const uint8_t *Area = Memory.get(Q.SaveArea, Q.SaveSize, Access::Read);
  if (!Area || Q.SaveSize < sizeof(kfd::ContextSaveAreaHeader))
    return llvm::createStringError("the core lacks the save area of queue " +
                                   llvm::Twine(Q.Id));
  savearea::Header Header;
  memcpy(&Header, Area, sizeof(Header));
  if (llvm::Error E = savearea::check(Header, Q.SaveSize))
    return E;
  std::vector<uint32_t> Stack(Header.ControlStackSize / 4);
  memcpy(Stack.data(), Area + Header.ControlStackOffset, Stack.size() * 4);
  auto Records = savearea::parse(Arch, Header, Stack);
  if (!Records)
    return Records.takeError();
  if (Records->size() > Ids.size() - Next)
    return llvm::createStringError("the save area of queue " +
                                   llvm::Twine(Q.Id) +
                                   " has more waves than the debugger");
  Q.Current = nullptr;
  unsigned InGroup = 0;
  for (const savearea::WaveRecord &Record : *Records) {
    uint32_t Ttmps[16];
    memcpy(Ttmps, Area + Record.Ttmps, sizeof(Ttmps));
    if (Whole && !Q.Current) {
      Q.Current = std::make_unique<Dispatch>();
      static_cast<DispatchParts &>(*Q.Current) = *Whole;
    }
    if (llvm::Error E = loadDispatch(Q, Ttmps))
      return E;
    InGroup = Record.Shape.First ? 0 : InGroup + 1;
    if (Record.Shape.First || Q.Current->Resident.empty())
      Q.Current->Resident.emplace_back();
    Wave &W = addWave(Q, Record, Ttmps, InGroup);
    if (W.State.AccumOffset != Record.Shape.Vgprs ||
        W.State.VGPRCount - W.State.AccumOffset != Record.Shape.AccVgprs)
      return llvm::createStringError(
          "a wave has " + llvm::Twine(Record.Shape.Vgprs) +
          " vector registers, which the simulated GPU can't have");
  }
  if (!Q.Current)
    return llvm::Error::success(); // no waves
  if (!loadContext(Memory, Q))
    return llvm::createStringError("the save area of queue " +
                                   llvm::Twine(Q.Id) + " is damaged");
  for (Workgroup &G : Q.Current->Resident)
    for (auto &W : G.Waves)
      if (llvm::Error E = finishWave(Q, *W, Ids[Next++]))
        return E;
  // The device writes how many workgroups have begun; hardware doesn't.
  uint32_t Started;
  memcpy(&Started, Area + offsetof(kfd::ContextSaveAreaHeader, reserved1),
         sizeof(Started));
  if (Started && Started < Q.Current->GroupCount)
    Q.Current->NextGroup = Started;
  if (!Whole)
    Whole = std::move(Q.Current);
  else
    Whole->Resident.splice(Whole->Resident.end(), Q.Current->Resident);
  return llvm::Error::success();
}

Wave &CoreLoader::addWave(Queue &Q, const savearea::WaveRecord &Record,
                          const uint32_t *Ttmps, unsigned IndexInGroup) {
  Dispatch &D = *Q.Current;
  Agent &A = *Q.Agent;
  Workgroup &G = D.Resident.back();
  const savearea::WaveShape &Shape = Record.Shape;
  const unsigned Engine = std::min(Shape.ShaderEngine, MostEngines - 1),
                 Slot = std::min(Shape.TheScratchSlot, MostSlots - 1);
  if (G.Waves.empty()) {
    const bool StatePriv = A.Info.family().HasStatePriv;
    G.Id[0] = Ttmps[StatePriv ? 9 : 8];
    G.Id[1] = StatePriv ? Ttmps[7] & 0xffff : Ttmps[9];
    G.Id[2] = StatePriv ? Ttmps[7] >> 16 : Ttmps[10];
    G.LDS.assign(Shape.LdsBytes, 0);
    G.ComputeUnit = Engine < A.Units.size() ? Engine : 0;
    A.Units[G.ComputeUnit].Waves += D.WavesPerGroup;
    A.Units[G.ComputeUnit].LDS += D.LDSSize;
  }
  auto W = std::make_unique<Wave>();
  W->Group = &G;
  W->Number = Waves.nextNumber();
  Waves.setNextNumber(W->Number + 1);
  W->IndexInGroup = IndexInGroup;
  W->Engine = Engine;
  W->Slot = Slot;
  // A GPU may have more of them than the simulated one.
  if (A.SlotUsed.size() <= Engine)
    A.SlotUsed.resize(Engine + 1);
  for (auto &Slots : A.SlotUsed)
    if (Slots.size() <= Slot)
      Slots.resize(Slot + 1);
  for (auto &Slots : A.SlotUsed)
    if (Slots.size() < A.SlotsPerEngine)
      Slots.resize(A.SlotsPerEngine);
  A.SlotUsed[Engine][Slot] = true;
  isa::WaveState &S = W->State;
  S.Processor = A.Target;
  S.LaneCount = uint8_t(Shape.Lanes);
  S.allocateVGPRs(Shape.Vgprs, Shape.AccVgprs);
  S.ScratchLaneSize = D.Kernel.Scratch ? D.Packet.PrivateSize : 0;
  S.LDS = G.LDS.data();
  S.LDSSize = uint32_t(G.LDS.size());
  S.LdsAlloc = ((D.LDSSize + 511) / 512) << 12;
  S.HwId = (Slot & 15) | Engine << 13;
  W->Record = Record;
  W->IsSaved = G.IsSaved = true;
  G.Waves.push_back(std::move(W));
  return *G.Waves.back();
}

llvm::Error CoreLoader::finishWave(Queue &Q, Wave &W, uint64_t Id) {
  const savearea::Architecture &Arch = *Q.Agent->Layout;
  if (!loadWave(Memory, Q, W))
    return llvm::createStringError("the core lacks registers of a wave");
  isa::WaveState &S = W.State;
  if (gpu::features(Arch).HasScratchSgprs) {
    // Where these are depends on how many SGPRs are saved.
    const unsigned Sgprs = W.Record.Shape.Sgprs;
    const uint8_t *From = Memory.get(Q.SaveArea + W.Record.Sgprs,
                                     uint64_t(Sgprs) * 4, Access::Read);
    auto Load = [&](unsigned To, unsigned Index) {
      if (From && Index + 1 < Sgprs)
        memcpy(S.Scalar + To, From + Index * 4, 8);
    };
    Load(isa::scalar::VccLo, savearea::vccIndex(Arch, Sgprs));
    Load(isa::scalar::FlatScratchLo, savearea::flatScratchIndex(Arch, Sgprs));
  }
  W.AtBarrier = W.Signaled = S.Status & isa::status::InBarrier;
  const bool IsHalted = S.Status & isa::status::Halt;
  const bool IsNew = IsHalted && !(S.ttmp()[6] & StoppedBit) &&
                     S.PC == Q.Current->Kernel.Entry;
  if (!(S.ttmp()[6] & StoppedBit && IsHalted) && !IsNew)
    markStopped(Q, W, /*TrapId=*/S.ttmp()[6] >> 25 & 15, S.PC);
  S.ttmp()[4] = uint32_t(Id);
  S.ttmp()[5] = uint32_t(Id >> 32);
  W.Layout = 0;
  return llvm::Error::success();
}
