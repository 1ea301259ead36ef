//===-- SaveContext.cpp - waves in the queue's context save area ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SaveArea defines the layout. The debugger's memory (for displaced
// instructions) is at the area's end, where wave records never are: a debugger
// remembers its address from one suspension to the next.
//
//===----------------------------------------------------------------------===//

#include "SaveContext.h"

#include "wavelane/Formats/SaveArea/SaveArea.h"

#include "llvm/ADT/STLExtras.h"
#include <cstddef>
#include <cstring>
#include <utility>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;
using savearea::HwReg;

/// The SGPRs of a wave's record. flat_scratch (gfx9), xnack_mask and VCC follow
/// the general ones.
static unsigned savedSgprs(const savearea::Architecture &Arch) {
  return gpu::features(Arch).HasScratchSgprs ? 112 : 128;
}
static constexpr unsigned SavedSpecial = 108;

// gfx12 has separate registers for parts of STATUS, TRAPSTS and MODE of earlier
// GPUs.
namespace {
struct BitPair {
  uint8_t Own, Saved;
};
constexpr BitPair StatePrivBits[] = {{0, 9}, {13, 14}};
constexpr BitPair ExcpFlagPrivBits[] = {{7, 0}, {12, 1}, {13, 2},  {14, 3},
                                        {8, 4}, {11, 6}, {20, 11}, {28, 12}};
constexpr BitPair TrapCtrlBits[] = {{12, 0}, {13, 1}, {14, 2}, {15, 3}, {16, 4},
                                    {17, 5}, {18, 6}, {19, 7}, {11, 9}};
constexpr uint32_t ModeKept = 0xff | 1u << 23;
constexpr uint32_t StatusKept =
    1u << 6 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 16;

template <size_t N>
uint32_t toSaved(const BitPair (&Table)[N], uint32_t Value) {
  uint32_t R = 0;
  for (const BitPair &P : Table)
    R |= (Value >> P.Own & 1) << P.Saved;
  return R;
}
template <size_t N>
uint32_t fromSaved(const BitPair (&Table)[N], uint32_t Value, uint32_t Old) {
  for (const BitPair &P : Table)
    Old = (Old & ~(1u << P.Own)) | (Value >> P.Saved & 1) << P.Own;
  return Old;
}
} // namespace

static void saveControl(savearea::WaveState &R, const isa::WaveState &S) {
  if (!gpu::get(S.Processor).family().HasStatePriv) {
    R.hw(HwReg::Status) = S.Status;
    R.hw(HwReg::TrapSts) = S.TrapSts;
    R.hw(HwReg::Mode) = S.Mode;
    return;
  }
  R.hw(HwReg::Status) =
      (S.Status & StatusKept) | (S.LaneCount == 64 ? 1u << 29 : 0);
  R.hw(HwReg::StatePriv) = toSaved(StatePrivBits, S.Status);
  R.hw(HwReg::TrapSts) = toSaved(ExcpFlagPrivBits, S.TrapSts);
  R.hw(HwReg::ExcpFlagUser) = S.TrapSts & isa::trapsts::ExcpMask;
  R.hw(HwReg::TrapCtrl) = toSaved(TrapCtrlBits, S.Mode);
  R.hw(HwReg::Mode) = S.Mode & ModeKept;
}

template <typename Read>
static void loadControl(isa::WaveState &S, const Read &Hw) {
  if (!gpu::get(S.Processor).family().HasStatePriv) {
    S.Status = Hw(HwReg::Status) | isa::status::Valid;
    S.TrapSts = Hw(HwReg::TrapSts);
    S.Mode = Hw(HwReg::Mode);
    return;
  }
  S.Status = fromSaved(StatePrivBits, Hw(HwReg::StatePriv), S.Status);
  S.TrapSts = fromSaved(ExcpFlagPrivBits, Hw(HwReg::TrapSts), S.TrapSts);
  S.TrapSts = (S.TrapSts & ~uint32_t(isa::trapsts::ExcpMask)) |
              (Hw(HwReg::ExcpFlagUser) & isa::trapsts::ExcpMask);
  S.Mode = (S.Mode & ~ModeKept) | (Hw(HwReg::Mode) & ModeKept);
  S.Mode = fromSaved(TrapCtrlBits, Hw(HwReg::TrapCtrl), S.Mode);
}

static void forEachWave(Queue &Q,
                        llvm::function_ref<void(Wave &, bool, bool)> F) {
  if (!Q.Current)
    return;
  for (Workgroup &G : Q.Current->Resident) {
    Wave *First = nullptr, *Last = nullptr;
    for (auto &W : G.Waves)
      if (!W->Ended) {
        beginVectors(Q, *W);
        First = First ? First : W.get();
        Last = W.get();
      }
    for (auto &W : G.Waves)
      if (!W->Ended)
        F(*W, W.get() == First, W.get() == Last);
  }
}

/// The current state of \a W, to which the spans refer.
static savearea::WaveState stateOf(const savearea::Architecture &Arch,
                                   const Queue &Q, Wave &W, bool First,
                                   bool Last) {
  const isa::WaveState &S = W.State;
  savearea::WaveState R;
  R.Shape.Lanes = S.LaneCount;
  R.Shape.Vgprs = S.AccumOffset;
  R.Shape.AccVgprs = S.VGPRCount - S.AccumOffset;
  R.Shape.Sgprs = savedSgprs(Arch);
  R.Shape.LdsBytes = uint32_t(W.Group->LDS.size());
  R.Shape.First = First;
  R.Shape.Last = Last;
  R.Shape.Scratch = Q.Current->Kernel.Scratch;
  R.Shape.ShaderEngine = W.Engine % Q.Agent->EnginesPerXcc;
  R.Shape.TheScratchSlot = W.Slot;
  memcpy(R.Ttmps.data(), S.Scalar + isa::scalar::TTMP0, 64);
  R.hw(HwReg::M0) = S.m0();
  R.setPC(S.PC);
  R.setExec(S.exec());
  saveControl(R, S);
  if (gpu::features(Arch).HasScratchSgprs) {
    R.hw(HwReg::XnackMaskLo) = S.Scalar[isa::scalar::XnackMaskLo];
    R.hw(HwReg::XnackMaskHi) = S.Scalar[isa::scalar::XnackMaskHi];
  } else {
    R.hw(HwReg::FlatScratchLo) = uint32_t(S.ScratchBase);
    R.hw(HwReg::FlatScratchHi) = uint32_t(S.ScratchBase >> 32);
  }
  R.Sgprs = llvm::ArrayRef<uint32_t>(S.Scalar, SavedSpecial);
  const llvm::ArrayRef<uint32_t> All(S.VGPR);
  R.Vgprs = All.take_front(size_t(S.AccumOffset) * S.LaneCount);
  R.AccVgprs = All.drop_front(size_t(S.AccumOffset) * S.LaneCount);
  R.Lds = W.Group->LDS;
  return R;
}

/// The offsets of a record in the area of an XCC, from that of the first one.
static savearea::WaveRecord moved(savearea::WaveRecord R, uint64_t By) {
  for (uint64_t *Offset : {&R.Top, &R.Bottom, &R.Lds, &R.Ttmps, &R.Hwregs,
                           &R.Sgprs, &R.SharedVgprs, &R.AccVgprs, &R.Vgprs})
    *Offset += By;
  return R;
}

static bool hasItsPlace(const Queue &Q, const Wave &W) {
  return W.Layout == Q.Layout && W.Record.Shape.Vgprs == W.State.AccumOffset &&
         W.Record.Shape.AccVgprs == W.State.VGPRCount - W.State.AccumOffset;
}

/// Gives all waves new places.
static llvm::Error placeWaves(DeviceMemory &Memory, Queue &Q,
                              llvm::MutableArrayRef<uint8_t> Area) {
  const savearea::Architecture &Arch = *Q.Agent->Layout;
  const unsigned Xccs = Q.Agent->Xccs;
  std::vector<std::vector<savearea::WaveState>> States(Xccs);
  std::vector<std::vector<Wave *>> Waves(Xccs);
  bool Loaded = true;
  forEachWave(Q, [&](Wave &W, bool First, bool Last) {
    Loaded &= loadWave(Memory, Q, W);
    const unsigned Xcc = W.Engine / Q.Agent->EnginesPerXcc;
    States[Xcc].push_back(stateOf(Arch, Q, W, First, Last));
    Waves[Xcc].push_back(&W);
  });
  if (!Loaded)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "their state is gone");
  ++Q.Layout;
  for (unsigned Xcc = 0; Xcc < Xccs; ++Xcc) {
    std::vector<savearea::WaveRecord> Placed;
    const uint64_t Begin = Xcc * Q.SaveSize;
    if (llvm::Error E = savearea::writeLayout(
            Arch, States[Xcc], 0, Area.slice(Begin, Q.SaveSize), Placed))
      return E;
    for (auto [W, R] : llvm::zip_equal(Waves[Xcc], Placed)) {
      W->Record = moved(R, Begin);
      W->Layout = Q.Layout;
    }
  }
  return llvm::Error::success();
}

/// Gives all waves new places unless those that they have are right.
static llvm::Error findPlaces(DeviceMemory &Memory, Queue &Q,
                              llvm::MutableArrayRef<uint8_t> Area) {
  size_t Count = 0;
  bool IsSame = true;
  forEachWave(Q, [&](Wave &W, bool First, bool Last) {
    ++Count;
    IsSame &= hasItsPlace(Q, W) && W.Record.Shape.First == First &&
              W.Record.Shape.Last == Last;
  });
  if (!IsSame || !Count || Count != Q.SavedWaves)
    if (llvm::Error E = placeWaves(Memory, Q, Area))
      return E;
  Q.SavedWaves = Count;
  if (!Q.Current)
    return llvm::Error::success();
  // As a debugger finds them.
  std::vector<std::vector<Wave *>> Waves(Q.Agent->Xccs);
  forEachWave(Q, [&](Wave &W, bool, bool) {
    Waves[W.Engine / Q.Agent->EnginesPerXcc].push_back(&W);
  });
  SavedPlaces &Saved = Q.Current->Saved;
  Saved.clear();
  Saved.Layout = Q.Layout;
  for (const std::vector<Wave *> &OfXcc : Waves)
    for (Wave *W : OfXcc) {
      W->Place = uint32_t(Saved.Waves.size());
      W->IsTouched = false;
      Saved.Waves.push_back(W);
    }
  return llvm::Error::success();
}

/// Writes a wave's record.
static void saveWave(const Queue &Q, Wave &W, RegistersToSave What,
                     llvm::MutableArrayRef<uint8_t> Area) {
  Workgroup &G = *W.Group;
  const savearea::WaveShape &Shape = W.Record.Shape;
  const bool All = What == RegistersToSave::All;
  savearea::writeRecord(
      *Q.Agent->Layout, W.Record,
      stateOf(*Q.Agent->Layout, Q, W, Shape.First, Shape.Last),
      {/*Sgprs=*/!W.IsSaved, /*Vgprs=*/All && !W.IsSaved,
       /*Lds=*/All && !G.IsSaved},
      Area);
  W.IsSaved |= All;
  G.IsSaved |= All;
}

/// Saves only waves that have run.
/// \return false if all have to be saved.
static bool saveTouched(Queue &Q, RegistersToSave What,
                        llvm::MutableArrayRef<uint8_t> Area) {
  SavedPlaces *Saved = Q.Current ? &Q.Current->Saved : nullptr;
  if (!Saved || Saved->Waves.empty() || Saved->Layout != Q.Layout ||
      !llvm::all_of(Saved->Touched,
                    [&](const Wave *W) { return hasItsPlace(Q, *W); }))
    return false;
  Saved->Written.emplace();
  Saved->Changed.reset();
  for (Wave *W : std::exchange(Saved->Touched, {})) {
    saveWave(Q, *W, What, Area);
    W->IsTouched = false;
    Saved->Written->push_back(W->Place);
  }
  return true;
}

bool simulator::saveRegisters(DeviceMemory &Memory, Queue &Q,
                              llvm::ArrayRef<uint32_t> Places) {
  uint8_t *Area = Memory.get(Q.SaveArea, Q.saveAreaBytes(), Access::Write);
  if (!Area || !Q.Current || Q.Current->Saved.Layout != Q.Layout)
    return false;
  const SavedPlaces &Saved = Q.Current->Saved;
  if (llvm::any_of(Places,
                   [&](uint32_t Place) { return Place >= Saved.Waves.size(); }))
    return false;
  const llvm::MutableArrayRef<uint8_t> Records(Area,
                                               Q.SaveSize * Q.Agent->Xccs);
  auto Save = [&](Wave &W) {
    Workgroup &G = *W.Group;
    savearea::writeRegisters(
        W.Record, stateOf(*Q.Agent->Layout, Q, W, false, false),
        {/*Sgprs=*/false, !W.IsSaved, !G.IsSaved}, Records);
    W.IsSaved = G.IsSaved = true;
  };
  if (Places.empty())
    for (Wave *W : Saved.Waves)
      Save(*W);
  for (uint32_t Place : Places)
    Save(*Saved.Waves[Place]);
  return true;
}

bool simulator::saveContext(DeviceMemory &Memory, Queue &Q,
                            RegistersToSave What) {
  const savearea::Architecture *Arch = Q.Agent->Layout;
  const unsigned Xccs = Q.Agent->Xccs;
  uint8_t *Area = Memory.get(Q.SaveArea, Q.saveAreaBytes(), Access::Write);
  if (!Arch || !Area)
    return false;
  const llvm::MutableArrayRef<uint8_t> Records(Area, Q.SaveSize * Xccs);

  ++Q.Saves;
  if (!saveTouched(Q, What, Records)) {
    if (llvm::Error E = findPlaces(Memory, Q, Records)) {
      fprintf(stderr, "wavelane-gpu: cannot save waves: %s\n",
              llvm::toString(std::move(E)).c_str());
      return false;
    }
    forEachWave(Q, [](Wave &W, bool, bool) {
      W.IsSaved = W.IsInArea;
      W.Group->IsSaved = W.Group->IsInArea;
    });
    forEachWave(Q, [&](Wave &W, bool, bool) { saveWave(Q, W, What, Records); });
  }
  const uint64_t Started =
      Q.Current ? std::min<uint64_t>(Q.Current->NextGroup, UINT32_MAX) : 0;
  const uint32_t Reserved = uint32_t(Started);
  memcpy(Area + offsetof(kfd::ContextSaveAreaHeader, reserved1), &Reserved,
         sizeof(Reserved));
  for (unsigned Xcc = 0; Xcc < Xccs; ++Xcc) {
    uint8_t *At = Area + Xcc * Q.SaveSize;
    savearea::Header Header;
    memcpy(&Header, At, sizeof(Header));
    Header.DebuggerMemoryOffset = uint32_t((Xccs - Xcc) * Q.SaveSize);
    Header.DebuggerMemorySize = uint32_t(Q.DebuggerSize);
    if (!Q.Current || Q.Current->Saved.Waves.empty())
      Header.ControlStackSize = Header.WaveStateSize = 0;
    memcpy(At, &Header, sizeof(Header));
  }
  return true;
}

/// Reads the records that a debugger may have changed, by XCC.
static llvm::Expected<std::vector<std::vector<savearea::WaveRecord>>>
parseAreas(const Queue &Q, const uint8_t *Area) {
  std::vector<std::vector<savearea::WaveRecord>> Records;
  for (unsigned Xcc = 0; Xcc < Q.Agent->Xccs; ++Xcc) {
    const uint8_t *At = Area + Xcc * Q.SaveSize;
    savearea::Header Header;
    memcpy(&Header, At, sizeof(Header));
    if (llvm::Error E =
            savearea::check(Header, Q.saveAreaBytes() - Xcc * Q.SaveSize))
      return std::move(E);
    std::vector<uint32_t> Stack(Header.ControlStackSize / 4);
    memcpy(Stack.data(), At + Header.ControlStackOffset, Stack.size() * 4);
    auto Parsed = savearea::parse(*Q.Agent->Layout, Header, Stack);
    if (!Parsed)
      return Parsed.takeError();
    Records.push_back(std::move(*Parsed));
  }
  return std::move(Records);
}

namespace {
/// The control registers of a wave that the program uses.
struct Control {
  uint64_t Exec;
  uint32_t M0, Mode, Scc;
  explicit Control(const isa::WaveState &S)
      : Exec(S.exec()), M0(S.m0()),
        Mode(S.Mode & ~uint32_t(isa::mode::DebugEn | WatchEn)),
        Scc(S.Status & isa::status::SCC) {}
  bool operator==(const Control &O) const {
    return Exec == O.Exec && M0 == O.M0 && Mode == O.Mode && Scc == O.Scc;
  }
  static constexpr uint32_t WatchEn = 1u << 19;
};
} // namespace

/// Restores the control registers of a wave from its record.
static void loadControlOf(const Queue &Q, const uint8_t *Area, Wave &W) {
  const savearea::Architecture &Arch = *Q.Agent->Layout;
  isa::WaveState &S = W.State;
  const Control Before(S);
  uint32_t Block[16];
  memcpy(Block, Area + W.Record.Hwregs, sizeof(Block));
  auto Hw = [&](HwReg Reg) { return Block[*savearea::wordOf(Arch, Reg)]; };
  memcpy(S.Scalar + isa::scalar::TTMP0, Area + W.Record.Ttmps, 64);
  S.Scalar[isa::scalar::M0] = Hw(HwReg::M0);
  S.PC = Hw(HwReg::PCLo) | uint64_t(Hw(HwReg::PCHi)) << 32;
  S.Scalar[isa::scalar::ExecLo] = Hw(HwReg::ExecLo);
  if (S.LaneCount == 64)
    S.Scalar[isa::scalar::ExecHi] = Hw(HwReg::ExecHi);
  loadControl(S, Hw);
  if (gpu::features(Arch).HasScratchSgprs) {
    S.Scalar[isa::scalar::XnackMaskLo] = Hw(HwReg::XnackMaskLo);
    S.Scalar[isa::scalar::XnackMaskHi] = Hw(HwReg::XnackMaskHi);
  } else {
    S.ScratchBase =
        Hw(HwReg::FlatScratchLo) | uint64_t(Hw(HwReg::FlatScratchHi)) << 32;
  }
  W.IsInArea = W.IsSaved;
  W.Group->IsInArea = W.Group->IsSaved;
  W.IsChanged |= !(Before == Control(S));
  if (!(S.Status & isa::status::Halt))
    W.Fault = QueueErrorEvent();
}

/// Restores the waves that were saved last, and those that a debugger says it
/// has changed.
/// \return false if all have to be restored.
static bool loadChanged(Queue &Q, const uint8_t *Area) {
  SavedPlaces &Saved = Q.Current->Saved;
  const auto Changed = std::exchange(Saved.Changed, std::nullopt);
  if (!Changed || !Saved.Written || Saved.Waves.empty() ||
      Saved.Layout != Q.Layout)
    return false;
  for (llvm::ArrayRef<uint32_t> List :
       {llvm::ArrayRef(*Saved.Written), llvm::ArrayRef(*Changed)})
    for (uint32_t Place : List)
      loadControlOf(Q, Area, *Saved.Waves[Place]);
  return true;
}

bool simulator::loadContext(DeviceMemory &Memory, Queue &Q) {
  if (!Q.Current)
    return true;
  const savearea::Architecture *Arch = Q.Agent->Layout;
  uint8_t *Area = Memory.get(Q.SaveArea, Q.saveAreaBytes(), Access::Write);
  if (!Arch || !Area)
    return false;
  if (loadChanged(Q, Area))
    return true;
  auto Refuse = [&](llvm::Error E) {
    ++Q.Layout; // everything is written again next time
    fprintf(stderr, "wavelane-gpu: the context save area was damaged: %s\n",
            llvm::toString(std::move(E)).c_str());
    return false;
  };
  auto Records = parseAreas(Q, Area);
  if (!Records)
    return Refuse(Records.takeError());
  std::vector<size_t> Next(Q.Agent->Xccs);
  bool Good = true;
  forEachWave(Q, [&](Wave &W, bool, bool) {
    const isa::WaveState &S = W.State;
    const unsigned Xcc = W.Engine / Q.Agent->EnginesPerXcc;
    const size_t Place = Next[Xcc]++;
    if (Place >= (*Records)[Xcc].size()) {
      Good = false;
      return;
    }
    const savearea::WaveRecord &Described = (*Records)[Xcc][Place];
    if (Described.Shape.Lanes != S.LaneCount ||
        Described.Shape.Vgprs != S.AccumOffset ||
        Described.Shape.AccVgprs != S.VGPRCount - S.AccumOffset ||
        Described.Bottom + Xcc * Q.SaveSize != W.Record.Bottom) {
      Good = false;
      return;
    }
    loadControlOf(Q, Area, W);
  });
  for (unsigned Xcc = 0; Xcc < Q.Agent->Xccs; ++Xcc)
    Good &= Next[Xcc] == (*Records)[Xcc].size();
  if (!Good)
    return Refuse(llvm::createStringError(llvm::inconvertibleErrorCode(),
                                          "it contains other waves"));
  return true;
}

bool simulator::loadWave(DeviceMemory &Memory, Queue &Q, Wave &W) {
  if (Q.Current)
    Q.Current->Saved.touch(W);
  beginVectors(Q, W);
  isa::WaveState &S = W.State;
  Workgroup &G = *W.Group;
  const savearea::WaveRecord &R = W.Record;
  auto Load = [&](uint64_t Offset, void *To, uint64_t Bytes) {
    const uint8_t *From =
        Bytes ? Memory.get(Q.SaveArea + Offset, Bytes, Access::Read) : nullptr;
    if (From)
      memcpy(To, From, Bytes);
    return From || !Bytes;
  };
  if (G.IsInArea && !Load(R.Lds, G.LDS.data(), G.LDS.size()))
    return false;
  G.IsInArea = G.IsSaved = false;
  if (W.IsInArea) {
    // gfx9 keeps these among the hardware registers, which are already loaded.
    const uint32_t Mask[] = {S.Scalar[isa::scalar::XnackMaskLo],
                             S.Scalar[isa::scalar::XnackMaskHi]};
    const uint64_t Row = uint64_t(S.LaneCount) * 4;
    if (!Load(R.Sgprs, S.Scalar, SavedSpecial * 4) ||
        !Load(R.Vgprs, S.VGPR.data(), S.AccumOffset * Row) ||
        !Load(R.AccVgprs, S.VGPR.data() + size_t(S.AccumOffset) * S.LaneCount,
              (S.VGPRCount - S.AccumOffset) * Row))
      return false;
    if (gpu::features(*Q.Agent->Layout).HasScratchSgprs) {
      S.Scalar[isa::scalar::XnackMaskLo] = Mask[0];
      S.Scalar[isa::scalar::XnackMaskHi] = Mask[1];
    }
  }
  W.IsInArea = W.IsSaved = false;
  return true;
}
