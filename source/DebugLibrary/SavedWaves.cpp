//===-- SavedWaves.cpp - The waves in context save areas ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SavedWaves.h"
#include "WaveState.h"
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::library {

//===-- Queues ------------------------------------------------------------===//

Status SavedWaves::update(Queue &Q) {
  // The address of amd_queue_t, from that of its read_dispatch_id.
  if (Status Outcome =
          Memory.readAll(Q.Entry.read_pointer_address, &Q.ReadPacket, 8))
    return Outcome;
  if (Status Outcome =
          Memory.readAll(Q.Entry.write_pointer_address, &Q.WritePacket, 8))
    return Outcome;
  const uint64_t Base =
      Q.Entry.read_pointer_address - simulator::AmdQueueReadDispatchId;
  if (Status Outcome = Memory.readAll(
          Base + simulator::AmdQueueComputeTmpringSize, &Q.Tmpring, 4))
    return Outcome;
  uint64_t Scratch[2];
  if (Status Outcome = Memory.readAll(Base + simulator::AmdQueueScratchLocation,
                                      Scratch, 16))
    return Outcome;
  Q.ScratchLocation = Scratch[0];
  Q.ScratchBytes = Scratch[1];

  Status Partial = Success;
  if (updateSome(Q, Partial))
    return Partial;
  HasMarked = true;
  Q.Mark = List.newMark();
  const std::vector<Wave *> Before = std::exchange(Q.Waves, {});
  Q.Waves.reserve(Before.size());
  for (uint32_t I = 0; I < Q.xccs(); ++I)
    if (Status Outcome =
            readArea(Q,
                     Q.Entry.ctx_save_restore_address +
                         uint64_t(I) * Q.Entry.ctx_save_restore_area_size,
                     Before))
      return Outcome;
  for (const Wave *W : Before)
    if (W->Mark != Q.Mark)
      Gone.push_back(W->Id);
  return Success;
}

void SavedWaves::removeGone() {
  if (!std::exchange(HasMarked, false))
    return;
  for (uint64_t W : std::exchange(Gone, {}))
    removeWave(W);
  auto Remove = [this](auto &Rows, ListKind Kind) {
    for (auto It = Rows.begin(); It != Rows.end();)
      if (It->second->Mark != It->second->Q->Mark) {
        It = Rows.erase(It);
        List.ListChanged[Kind] = true;
      } else {
        ++It;
      }
  };
  Remove(List.Groups, WorkgroupList);
  Remove(List.Dispatches, DispatchList);
}

void SavedWaves::removeWave(uint64_t Id) {
  auto Match = List.Waves.find(Id);
  if (Match == List.Waves.end())
    return;
  Wave &W = *Match->second;
  if (DisplacedStep *Step = W.Displaced) {
    if (Step->Buffer && Step->Slot < W.Q->BuffersUsed.size())
      W.Q->BuffersUsed[Step->Slot] = false;
    List.Steps.erase(Step->Id);
  }
  if (W.State == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP)
    TheEvents.post(AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED).W = Id;
  if (W.State != AMD_DBGAPI_WAVE_STATE_STOP)
    --W.Q->MovingWaves;
  TheEvents.dropStopsOf(Id);
  List.Waves.erase(Match);
  List.ListChanged[WaveList] = true;
}

void SavedWaves::removeQueue(uint64_t Id) {
  auto Match = List.Queues.find(Id);
  if (Match == List.Queues.end())
    return;
  Queue *Q = Match->second.get();
  for (auto It = List.Waves.begin(); It != List.Waves.end();) {
    const Wave &W = *(It++)->second;
    if (W.Q == Q)
      removeWave(W.Id);
  }
  auto Remove = [Q](auto &Rows) {
    for (auto It = Rows.begin(); It != Rows.end();)
      It = It->second->Q == Q ? Rows.erase(It) : std::next(It);
  };
  Remove(List.Groups);
  Remove(List.Dispatches);
  List.Queues.erase(Match);
  List.ListChanged[QueueList] = List.ListChanged[DispatchList] =
      List.ListChanged[WorkgroupList] = true;
}

void SavedWaves::markChanged(Queue &Q) {
  for (uint32_t Position : Q.Written)
    if (Position < Q.Waves.size())
      Q.Waves[Position]->Written = false;
  const std::vector<uint32_t> Changed = std::exchange(Q.Written, {});
  if (!std::exchange(Q.AreaWritten, false) && Q.Layout && Conn.isOpen())
    (void)Conn.markChanged(Q.Entry.queue_id, Changed);
}

//===-- Areas -------------------------------------------------------------===//

// A wave's hardware registers and ttmps, which are contiguous.
static constexpr size_t BlockWords = 32;

bool SavedWaves::updateSome(Queue &Q, Status &Outcome) {
  const uint64_t Layout = std::exchange(Q.Layout, 0);
  const uint64_t Saves = std::exchange(Q.Saves, 0);
  simulator::WavesSavedReply Reply;
  std::vector<uint32_t> Changed;
  if (Facts.Core || !Conn.isOpen())
    return false;
  const int Result = Conn.askSaved(Q.Entry.queue_id, Reply, Changed);
  if (Result < 0 && Result != -ENODATA)
    return false;
  Q.Layout = Reply.layout;
  Q.Saves = Reply.saves;
  if (Result < 0 || !Layout || Reply.layout != Layout ||
      Reply.saves != Saves + 1 || Q.AreaWritten)
    return false;
  std::vector<uint64_t> Places;
  for (uint32_t Position : Changed) {
    if (Position >= Q.Waves.size())
      return false;
    const Wave &W = *Q.Waves[Position];
    Places.push_back(W.Area + W.Record.Hwregs);
  }
  Header Header;
  if ((Outcome = readHeader(Q, Q.Entry.ctx_save_restore_address, Header)))
    return true;
  std::vector<uint32_t> Blocks(Places.size() * BlockWords);
  if ((Outcome = Memory.readEach(Places, Blocks.data(), BlockWords * 4)))
    return true;
  for (size_t I = 0; I < Changed.size(); ++I) {
    Wave &W = *Q.Waves[Changed[I]];
    readState(W, &Blocks[I * BlockWords]);
    lookAt(W, /*isNew=*/false);
  }
  return true;
}

static Status fatal(const Queue &Q, Error Error) {
  library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                "queue " + std::to_string(Q.Entry.queue_id) + ": " +
                    toString(std::move(Error)));
  return Fatal;
}

Status SavedWaves::readRecords(Queue &Q, uint64_t Area, const Header &Header,
                               std::vector<WaveRecord> &Records) {
  std::vector<uint32_t> Stack(Header.ControlStackSize / 4);
  if (Status Outcome = Memory.readAll(Area + Header.ControlStackOffset,
                                      Stack.data(), Header.ControlStackSize))
    return Outcome;
  const ArchitectureInfo &Info = allArchitectures()[Q.A->ArchIndex];
  Expected<std::vector<WaveRecord>> Parsed = parse(*Info.Arch, Header, Stack);
  if (!Parsed)
    return fatal(Q, Parsed.takeError());
  Records = std::move(*Parsed);
  return Success;
}

Status SavedWaves::readHeader(Queue &Q, uint64_t Area, Header &Header) {
  if (Status Outcome = Memory.readAll(Area, &Header, sizeof(Header)))
    return Outcome;
  // An XCC without waves has no stack and no records.
  if (Error Error = check(Header, Q.Entry.ctx_save_restore_area_size))
    return fatal(Q, std::move(Error));
  if (Area == Q.Entry.ctx_save_restore_address) {
    Q.DebuggerMemory = Area + Header.DebuggerMemoryOffset;
    Q.DebuggerMemorySize = Header.DebuggerMemorySize;
    Q.BuffersUsed.resize(
        std::min<uint32_t>(Header.DebuggerMemorySize / DisplacedBytes, 4096));
    if (Status Outcome = Memory.readAll(
            Area + offsetof(kfd::ContextSaveAreaHeader, reserved1),
            &Q.StartedGroups, sizeof(Q.StartedGroups)))
      return Outcome;
  }
  return Success;
}

Status SavedWaves::readArea(Queue &Q, uint64_t Area, ArrayRef<Wave *> Before) {
  Header Header;
  if (Status Outcome = readHeader(Q, Area, Header))
    return Outcome;
  std::vector<WaveRecord> Records;
  if (Status Outcome = readRecords(Q, Area, Header, Records))
    return Outcome;

  std::vector<uint64_t> Places;
  for (const WaveRecord &Record : Records)
    Places.push_back(Area + Record.Hwregs);
  std::vector<uint32_t> Blocks(Places.size() * BlockWords);
  if (Status Outcome = Memory.readEach(Places, Blocks.data(), BlockWords * 4))
    return Outcome;
  Workgroup *Group = nullptr;
  for (size_t I = 0; I < Records.size(); ++I)
    if (Status Outcome = readWave(Q, Area, Records[I], unsigned(I),
                                  &Blocks[I * BlockWords], Before, Group))
      return Outcome;
  return Success;
}

//===-- Waves -------------------------------------------------------------===//

void SavedWaves::readState(Wave &W, const uint32_t *Block) {
  memcpy(W.Hw, Block, sizeof(W.Hw));
  memcpy(W.Ttmps, Block + 16, sizeof(W.Ttmps));
  memcpy(W.Saved, Block, sizeof(W.Saved));
  W.HasRegisters = false;
  W.Sgprs.clear();
}

Status SavedWaves::readWave(Queue &Q, uint64_t Area, const WaveRecord &Record,
                            unsigned Index, const uint32_t *Block,
                            ArrayRef<Wave *> Before, Workgroup *&Group) {
  // The library stores a wave's id in ttmp4 and ttmp5.
  const uint32_t *Ttmps = Block + 16;
  const uint64_t Known = Ttmps[4] | uint64_t(Ttmps[5]) << 32;
  // Nearly always, the same waves are at the same places as before.
  const size_t Place = Q.Waves.size();
  Wave *W = Place < Before.size() && Before[Place]->Id == Known ? Before[Place]
                                                                : nullptr;
  auto Match = W ? List.Waves.end() : List.Waves.find(Known);
  if (Match != List.Waves.end())
    W = Match->second.get();
  const bool IsKnown = W;
  if (W && (W->Q != &Q || W->Mark == Q.Mark))
    W = nullptr;
  if (Record.Shape.First)
    Group = nullptr;
  std::unique_ptr<Wave> Fresh;
  if (!W) {
    Fresh = std::make_unique<Wave>();
    W = Fresh.get();
    W->Q = &Q;
  }
  W->Record = Record;
  W->Index = Index;
  W->Area = Area;
  W->Mark = Q.Mark;
  W->Position = uint32_t(Place);
  readState(*W, Block);

  const bool IsBack = Fresh && Facts.Traveled && Known && !IsKnown &&
                      Known <= library().NextId[Library::WaveId];
  if (Fresh)
    if (Status Outcome =
            addWave(Q, std::move(Fresh), Group, IsBack ? Known : 0))
      return Outcome;
  Q.Waves.push_back(W);
  Group = W->Group;
  Group->Mark = Q.Mark;
  Group->Lds = Area + Record.Lds;
  Group->LdsBytes = Record.Shape.LdsBytes;
  if (Group->D)
    Group->D->Mark = Q.Mark;
  lookAt(*W, /*isNew=*/Known == 0 || IsBack);
  return Success;
}

Status SavedWaves::addWave(Queue &Q, std::unique_ptr<Wave> Fresh,
                           Workgroup *Group, uint64_t Known) {
  Wave &W = *Fresh;
  const ArchitectureInfo &Info = archOf(W);
  W.Identified = ttmpsValid(W);
  if (W.Identified)
    W.IndexInGroup =
        hasStatePriv(Info) ? W.Ttmps[8] >> 25 & 31 : W.Ttmps[11] & 63;
  if (!Group)
    if (Status Outcome = addGroup(Q, W, Group))
      return Outcome;
  W.Group = Group;
  W.Id = Known ? Known : library().newId(Library::WaveId);
  List.ListChanged[WaveList] = true;
  W.Ttmps[4] = uint32_t(W.Id);
  W.Ttmps[5] = uint32_t(W.Id >> 32);
  if (!Facts.Core)
    Registers.noteChange(W);
  Q.MovingWaves += W.State != AMD_DBGAPI_WAVE_STATE_STOP;
  List.Waves[W.Id] = std::move(Fresh);
  return Success;
}

Status SavedWaves::addGroup(Queue &Q, const Wave &W, Workgroup *&Group) {
  auto Made = std::make_unique<Workgroup>();
  Made->Q = &Q;
  if (W.Identified) {
    if (Status Outcome = findDispatch(Q, W, Made->D))
      return Outcome;
    const uint32_t *T = W.Ttmps;
    const bool StatePriv = hasStatePriv(archOf(W));
    Made->Coordinates[0] = T[StatePriv ? 9 : 8];
    if (!StatePriv) {
      Made->Coordinates[1] = T[9];
      Made->Coordinates[2] = T[10];
    } else if (T[8] >> 30 & 1) {
      Made->Coordinates[1] = T[7] & 0xffff;
      Made->Coordinates[2] = T[7] >> 16;
    }
  }
  Made->Id = library().newId(Library::WorkgroupId);
  Group = Made.get();
  List.Groups[Group->Id] = std::move(Made);
  List.ListChanged[WorkgroupList] = true;
  return Success;
}

bool SavedWaves::ttmpsValid(const Wave &W) const {
  const bool Always = W.Q->A->Entry.debug_prop & 1u << 10;
  if (hasStatePriv(archOf(W)))
    return W.Ttmps[8] & 1u << 31;
  return (Facts.Runtime.ttmp_setup || Always) && !(W.Ttmps[6] & NoTtmps);
}

Status SavedWaves::findDispatch(Queue &Q, const Wave &W, Dispatch *&Match) {
  const ArchitectureInfo &A = archOf(W);
  const uint32_t Low = hasStatePriv(A) ? W.Ttmps[8] & 0x1ffffff
                       : A.Arch->family().PacketInTtmp11
                           ? W.Ttmps[11] >> 6 & 0x1ffffff
                           : W.Ttmps[6] & 0x1ffffff;
  const uint64_t Packets = Q.Entry.ring_size / 64;
  if (!Packets || Packets & (Packets - 1))
    return Fatal;
  uint64_t Id = Q.ReadPacket + ((Low - Q.ReadPacket) & (Packets - 1));
  // In the past, the queue was elsewhere.
  if (Facts.Traveled && Id >= Q.WritePacket && Id >= Packets)
    Id -= Packets;
  if (Id >= Q.WritePacket) {
    library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                  "a wave's packet " + std::to_string(Id) +
                      " is outside of the queue's [" +
                      std::to_string(Q.ReadPacket) + ", " +
                      std::to_string(Q.WritePacket) + ")");
    return Fatal;
  }
  for (auto &Entry : List.Dispatches)
    if (Entry.second->Q == &Q && Entry.second->PacketId == Id) {
      Match = Entry.second.get();
      Match->Mark = Q.Mark;
      return Success;
    }
  auto D = std::make_unique<Dispatch>();
  D->Q = &Q;
  D->PacketId = Id;
  D->Mark = Q.Mark;
  if (Status Outcome = Memory.readAll(Q.Entry.ring_base_address +
                                          Id * 64 % Q.Entry.ring_size,
                                      D->Packet, 64))
    return Outcome;
  D->Id = library().newId(Library::DispatchId);
  List.ListChanged[DispatchList] = true;
  Match = D.get();
  List.Dispatches[Match->Id] = std::move(D);
  return Success;
}

/// The address of a dispatch's first instruction; 0 if its descriptor can't be
/// read.
uint64_t SavedWaves::kernelEntry(const Dispatch &D) {
  uint64_t Descriptor;
  int64_t Offset = 0;
  memcpy(&Descriptor, D.Packet + 32, sizeof(Descriptor));
  if (Memory.readAll(Descriptor + 16, &Offset, sizeof(Offset)) != Success)
    return 0;
  return Descriptor + uint64_t(Offset);
}

//===-- Stops -------------------------------------------------------------===//

void SavedWaves::lookAt(Wave &W, bool IsNew) {
  if (W.State == AMD_DBGAPI_WAVE_STATE_STOP || !W.visible())
    return;
  const bool Halted = hasStatePriv(archOf(W))
                          ? Registers.hw(W, HwReg::StatePriv) & StatePrivHalt
                          : Registers.hw(W, HwReg::Status) & StatusHalt;
  if (W.Ttmps[6] & Stopped && (Halted || Facts.Core)) {
    noteStop(W);
  } else if (Facts.Core && Halted && W.Group->D &&
             Registers.pc(W) == kernelEntry(*W.Group->D)) {
    W.Hidden = true; // halted at its launch, so it hasn't begun
  } else if (Facts.Core) {
    stopInCore(W);
  } else if (Halted && Facts.Creation == AMD_DBGAPI_WAVE_CREATION_STOP &&
             W.State == AMD_DBGAPI_WAVE_STATE_RUN && IsNew) {
    W.Hidden = true;
  }
}

void SavedWaves::stopInCore(Wave &W) {
  const uint64_t At = Registers.pc(W);
  const ArchitectureInfo &Info = archOf(W);
  W.Ttmps[6] |= Stopped;
  if (Info.Arch->family().parks(Facts.RdebugVersion)) {
    W.Ttmps[hasStatePriv(Info) ? 10 : 7] = uint32_t(At);
    W.Ttmps[11] =
        (W.Ttmps[11] & ~(0xffffu << 7)) | (uint32_t(At >> 32) & 0xffff) << 7;
  }
  W.setState(AMD_DBGAPI_WAVE_STATE_STOP);
  W.Reasons = 0;
  TheEvents.post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).W = W.Id;
}

namespace {
/// The exceptions recorded in a wave's registers.
struct NotedExceptions {
  uint32_t Watches = 0;    ///< a bit for each watch register
  uint32_t Arithmetic = 0; ///< only enabled ones
  bool Violation = false, Address = false, Illegal = false, Stepped = false;
};
} // namespace

static NotedExceptions readExceptions(const WaveRegisters &Registers,
                                      const Wave &W) {
  const gpu::Family &Family = archOf(W).Arch->family();
  const uint32_t Outcome = Registers.hw(W, HwReg::TrapSts);
  NotedExceptions Noted;
  if (Family.HasStatePriv) {
    const uint32_t Control = Registers.hw(W, HwReg::TrapCtrl);
    Noted.Watches = Control & TrapCtrlWatch ? Outcome & 15 : 0;
    Noted.Arithmetic = Registers.hw(W, HwReg::ExcpFlagUser) & Control & 0x7f;
    Noted.Address = Outcome >> 4 & 1;
    Noted.Illegal = Outcome >> 6 & 1;
    Noted.Stepped = Outcome >> 11 & 1;
    Noted.Violation = Outcome >> 12 & 1;
    return Noted;
  }
  const uint32_t Mode = Registers.hw(W, HwReg::Mode);
  if (Mode & ModeWatch)
    Noted.Watches = (Outcome >> 7 & 1) | (Outcome >> 12 & 7) << 1;
  Noted.Arithmetic = Outcome & Mode >> 12 & 0x7f;
  Noted.Address = Outcome >> 8 & 1;
  Noted.Illegal = Outcome >> 11 & 1;
  Noted.Violation = Outcome >> 28 & 1;
  Noted.Stepped = Family.StepFlag >= 0 && (Outcome >> Family.StepFlag & 1);
  return Noted;
}

static uint32_t reasonOfTrap(uint32_t Id) {
  switch (Id) {
  case 0:
    return 0;
  case 1:
    return AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT;
  case 2:
    return AMD_DBGAPI_WAVE_STOP_REASON_ASSERT_TRAP;
  case 3:
    return AMD_DBGAPI_WAVE_STOP_REASON_DEBUG_TRAP;
  default:
    return AMD_DBGAPI_WAVE_STOP_REASON_TRAP;
  }
}

/// Determines why the trap handler stopped a wave, and reports it to the
/// client.
void SavedWaves::noteStop(Wave &W) {
  const gpu::Family &Family = archOf(W).Arch->family();
  const bool Stepping = W.State == AMD_DBGAPI_WAVE_STATE_SINGLE_STEP;
  uint32_t Reasons = reasonOfTrap(W.Ttmps[6] >> TrapIdShift & 15);
  NotedExceptions Noted = readExceptions(Registers, W);
  if (Facts.Core && !Family.HasStatePriv && Family.StepFlag < 0)
    Noted.Stepped = (Registers.hw(W, HwReg::Mode) & ModeStep) && !Reasons;
  // In the order of the flags' bits.
  static constexpr uint32_t Arithmetic[7] = {
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INVALID_OPERATION,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INPUT_DENORMAL,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_DIVIDE_BY_0,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_OVERFLOW,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_UNDERFLOW,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INEXACT,
      AMD_DBGAPI_WAVE_STOP_REASON_INT_DIVIDE_BY_0};
  for (unsigned I = 0; I < 7; ++I)
    if (Noted.Arithmetic & 1u << I)
      Reasons |= Arithmetic[I];
  if (Noted.Violation)
    Reasons |= AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION;
  else if (Noted.Address)
    Reasons |= AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR;
  if (Noted.Illegal)
    Reasons |= AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION;
  if (Noted.Watches)
    Reasons |= AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT;
  if (Noted.Stepped || (Stepping && (Reasons == 0 || Noted.Watches)))
    Reasons |= AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP;

  W.setState(AMD_DBGAPI_WAVE_STATE_STOP);
  W.Reasons = Reasons;
  W.Watches = Noted.Watches;
  W.Reported = W.Processed = false;
  W.Hidden = false;
  if (!Facts.Core && Stepping)
    Registers.endStep(W);
  TheEvents.post(AMD_DBGAPI_EVENT_KIND_WAVE_STOP).W = W.Id;
}

} // namespace wavelane::library
