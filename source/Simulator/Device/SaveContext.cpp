//===-- SaveContext.cpp - waves in the queue's context save area ----------===//
//
// The layout is SaveArea's. The debugger's memory (for displaced instructions)
// is at the area's end, where no wave's record ever is: a debugger remembers its
// address from one suspension to the next.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "wavelane/Simulator/SaveArea.h"

#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;
using savearea::HwReg;

static constexpr unsigned SavedSgprs = 112;
static constexpr unsigned SavedSpecial = 108; // flat_scratch, xnack_mask, VCC

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
  const savearea::Architecture *Arch = savearea::findByName("gfx90a");
  const uint64_t Size = describe().save_area_size;
  uint8_t *Area = Memory.get(Q.Request.save_area, Size, Access::Write);
  if (!Arch || !Area)
    return false;
  std::vector<savearea::WaveState> Waves;
  forEachWave(Q, [&](Wave &W, bool First, bool Last) {
    const isa::WaveState &S = W.State;
    savearea::WaveState R;
    R.shape.vgprs = S.AccumOffset;
    R.shape.accVgprs = S.VGPRCount - S.AccumOffset;
    R.shape.sgprs = SavedSgprs;
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
    R.hw(HwReg::Status) = S.Status;
    R.hw(HwReg::TrapSts) = S.TrapSts;
    R.hw(HwReg::XnackMaskLo) = S.Scalar[isa::scalar::XnackMaskLo];
    R.hw(HwReg::XnackMaskHi) = S.Scalar[isa::scalar::XnackMaskHi];
    R.hw(HwReg::Mode) = S.Mode;
    R.sgprs = llvm::ArrayRef<uint32_t>(S.Scalar, SavedSpecial);
    const llvm::ArrayRef<uint32_t> All(S.VGPR);
    R.vgprs = All.take_front(size_t(S.AccumOffset) * S.LaneCount);
    R.accVgprs = All.drop_front(size_t(S.AccumOffset) * S.LaneCount);
    R.lds = W.Group->LDS;
    Waves.push_back(R);
  });
  const uint64_t DebuggerSize =
      (uint64_t(Engines) * SlotsPerEngine * 32 + PageSize) / PageSize *
          PageSize +
      PageSize;
  const uint64_t Top = Size - DebuggerSize;
  if (llvm::Error E = savearea::write(
          *Arch, Waves, 0, llvm::MutableArrayRef<uint8_t>(Area, Top))) {
    fprintf(stderr, "wavelane-gpu: cannot save waves: %s\n",
            llvm::toString(std::move(E)).c_str());
    return false;
  }
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
  const savearea::Architecture *Arch = savearea::findByName("gfx90a");
  const uint64_t Size = describe().save_area_size;
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
    S.setExec(Hw(HwReg::ExecLo) | uint64_t(Hw(HwReg::ExecHi)) << 32);
    S.Status = Hw(HwReg::Status) | isa::status::Valid;
    S.TrapSts = Hw(HwReg::TrapSts);
    S.Scalar[isa::scalar::XnackMaskLo] = Hw(HwReg::XnackMaskLo);
    S.Scalar[isa::scalar::XnackMaskHi] = Hw(HwReg::XnackMaskHi);
    S.Mode = Hw(HwReg::Mode);
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
