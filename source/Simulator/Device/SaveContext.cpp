//===-- SaveContext.cpp - waves in the queue's context save area ----------===//
//
// The layout is SaveArea's. The debugger's memory (for displaced instructions)
// is at the area's end, where no wave's record ever is: a debugger remembers its
// address from one suspension to the next.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "wavelane/Simulator/SaveArea.h"

#include <cstddef>
#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;
using savearea::HwReg;

/// SGPRs of a wave's record. Behind the general ones are flat_scratch (gfx9),
/// xnack_mask and VCC.
static unsigned savedSgprs(const savearea::Architecture &Arch) {
  return Arch.isGFX9() ? 112 : 128;
}
static constexpr unsigned SavedSpecial = 108;

// gfx12 has its own registers for what STATUS, TRAPSTS and MODE hold before it.
namespace {
struct BitPair {
  uint8_t Own, Saved;
};
constexpr BitPair StatePrivBits[] = {{0, 9}, {13, 14}};
constexpr BitPair ExcpFlagPrivBits[] = {{7, 0},  {12, 1},  {13, 2},  {14, 3},
                                        {8, 4},  {11, 6},  {20, 11}, {28, 12}};
constexpr BitPair TrapCtrlBits[] = {{12, 0}, {13, 1}, {14, 2}, {15, 3}, {16, 4},
                                    {17, 5}, {18, 6}, {19, 7}, {11, 9}};
constexpr uint32_t ModeKept = 0xff | 1u << 23;
constexpr uint32_t StatusKept = 1u << 6 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 16;

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
  if (isa::generation(S.Processor) < 12) {
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
  if (isa::generation(S.Processor) < 12) {
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

static void forEachWave(Queue &Q, llvm::function_ref<void(Wave &, bool, bool)> F) {
  if (!Q.Current)
    return;
  for (Workgroup &G : Q.Current->Resident) {
    Wave *First = nullptr, *Last = nullptr;
    for (auto &W : G.Waves)
      if (!W->Ended) {
        First = First ? First : W.get();
        Last = W.get();
      }
    for (auto &W : G.Waves)
      if (!W->Ended)
        F(*W, W.get() == First, W.get() == Last);
  }
}

bool Device::saveContext(Queue &Q) {
  const savearea::Architecture *Arch = Q.Agent->Layout;
  const uint64_t Size = Q.Agent->describe().save_area_size;
  uint8_t *Area = Memory.get(Q.Request.save_area, Size, Access::Write);
  if (!Arch || !Area)
    return false;
  std::vector<savearea::WaveState> Waves;
  forEachWave(Q, [&](Wave &W, bool First, bool Last) {
    const isa::WaveState &S = W.State;
    savearea::WaveState R;
    R.shape.lanes = S.LaneCount;
    R.shape.vgprs = S.AccumOffset;
    R.shape.accVgprs = S.VGPRCount - S.AccumOffset;
    R.shape.sgprs = savedSgprs(*Arch);
    R.shape.ldsBytes = uint32_t(W.Group->LDS.size());
    R.shape.first = First;
    R.shape.last = Last;
    R.shape.scratch = Q.Current->Kernel.Scratch;
    R.shape.shaderEngine = W.Engine;
    R.shape.scratchSlot = W.Slot;
    memcpy(R.ttmps.data(), S.Scalar + isa::scalar::TTMP0, 64);
    R.hw(HwReg::M0) = S.m0();
    R.setPC(S.PC);
    R.setExec(S.exec());
    saveControl(R, S);
    if (Arch->isGFX9()) {
      R.hw(HwReg::XnackMaskLo) = S.Scalar[isa::scalar::XnackMaskLo];
      R.hw(HwReg::XnackMaskHi) = S.Scalar[isa::scalar::XnackMaskHi];
    } else {
      R.hw(HwReg::FlatScratchLo) = uint32_t(S.ScratchBase);
      R.hw(HwReg::FlatScratchHi) = uint32_t(S.ScratchBase >> 32);
    }
    R.sgprs = llvm::ArrayRef<uint32_t>(S.Scalar, SavedSpecial);
    const llvm::ArrayRef<uint32_t> All(S.VGPR);
    R.vgprs = All.take_front(size_t(S.AccumOffset) * S.LaneCount);
    R.accVgprs = All.drop_front(size_t(S.AccumOffset) * S.LaneCount);
    R.lds = W.Group->LDS;
    Waves.push_back(R);
  });
  const uint64_t DebuggerSize =
      (uint64_t(Q.Agent->Engines) * Q.Agent->SlotsPerEngine * 32 + PageSize) / PageSize *
          PageSize +
      PageSize;
  const uint64_t Top = Size - DebuggerSize;
  if (llvm::Error E = savearea::write(
          *Arch, Waves, 0, llvm::MutableArrayRef<uint8_t>(Area, Top))) {
    fprintf(stderr, "wavelane-gpu: cannot save waves: %s\n",
            llvm::toString(std::move(E)).c_str());
    return false;
  }
  const uint64_t Started =
      Q.Current ? std::min<uint64_t>(Q.Current->NextGroup, UINT32_MAX) : 0;
  const uint32_t Reserved = uint32_t(Started);
  memcpy(Area + offsetof(kfd::ContextSaveAreaHeader, reserved1), &Reserved,
         sizeof(Reserved));
  savearea::Header Header;
  memcpy(&Header, Area, sizeof(Header));
  Header.debuggerMemoryOffset = uint32_t(Top);
  Header.debuggerMemorySize = uint32_t(DebuggerSize);
  if (Waves.empty())
    Header.controlStackSize = Header.waveStateSize = 0;
  memcpy(Area, &Header, sizeof(Header));
  return true;
}

bool Device::loadContext(Queue &Q) {
  if (!Q.Current)
    return true;
  const savearea::Architecture *Arch = Q.Agent->Layout;
  const uint64_t Size = Q.Agent->describe().save_area_size;
  uint8_t *Area = Memory.get(Q.Request.save_area, Size, Access::Write);
  if (!Arch || !Area)
    return false;
  savearea::Header Header;
  memcpy(&Header, Area, sizeof(Header));
  auto Refuse = [](llvm::Error E) {
    fprintf(stderr, "wavelane-gpu: the context save area was damaged: %s\n",
            llvm::toString(std::move(E)).c_str());
    return false;
  };
  if (llvm::Error E = savearea::check(Header, Size))
    return Refuse(std::move(E));
  std::vector<uint32_t> Stack(Header.controlStackSize / 4);
  memcpy(Stack.data(), Area + Header.controlStackOffset, Stack.size() * 4);
  auto Records = savearea::parse(*Arch, Header, Stack);
  if (!Records)
    return Refuse(Records.takeError());
  size_t Next = 0;
  bool Good = true;
  forEachWave(Q, [&](Wave &W, bool First, bool) {
    isa::WaveState &S = W.State;
    if (Next >= Records->size() ||
        (*Records)[Next].shape.lanes != S.LaneCount ||
        (*Records)[Next].shape.vgprs != S.AccumOffset ||
        (*Records)[Next].shape.accVgprs != S.VGPRCount - S.AccumOffset) {
      Good = false;
      return;
    }
    const savearea::WaveRecord &R = (*Records)[Next++];
    uint32_t Block[16];
    memcpy(Block, Area + R.hwregs, sizeof(Block));
    auto Hw = [&](HwReg Reg) { return Block[*Arch->word(Reg)]; };
    memcpy(S.Scalar, Area + R.sgprs, SavedSpecial * 4);
    memcpy(S.Scalar + isa::scalar::TTMP0, Area + R.ttmps, 64);
    S.Scalar[isa::scalar::M0] = Hw(HwReg::M0);
    S.PC = Hw(HwReg::PCLo) | uint64_t(Hw(HwReg::PCHi)) << 32;
    S.Scalar[isa::scalar::ExecLo] = Hw(HwReg::ExecLo);
    if (S.LaneCount == 64)
      S.Scalar[isa::scalar::ExecHi] = Hw(HwReg::ExecHi);
    loadControl(S, Hw);
    if (Arch->isGFX9()) {
      S.Scalar[isa::scalar::XnackMaskLo] = Hw(HwReg::XnackMaskLo);
      S.Scalar[isa::scalar::XnackMaskHi] = Hw(HwReg::XnackMaskHi);
    } else {
      S.ScratchBase =
          Hw(HwReg::FlatScratchLo) | uint64_t(Hw(HwReg::FlatScratchHi)) << 32;
    }
    const size_t Row = size_t(S.LaneCount) * 4;
    memcpy(S.VGPR.data(), Area + R.vgprs, S.AccumOffset * Row);
    memcpy(S.VGPR.data() + size_t(S.AccumOffset) * S.LaneCount,
           Area + R.accVgprs, (S.VGPRCount - S.AccumOffset) * Row);
    if (First && !W.Group->LDS.empty())
      memcpy(W.Group->LDS.data(), Area + R.lds, W.Group->LDS.size());
    if (!(S.Status & isa::status::Halt))
      W.Fault = QueueErrorEvent();
  });
  return Good && Next == Records->size();
}
