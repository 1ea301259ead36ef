//===-- SaveArea.cpp - GPU waves in a context save area -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/SaveArea/SaveArea.h"

#include "wavelane/GPU/Features.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace wavelane::savearea {

namespace {

constexpr uint32_t StateBit = 1u << 31, EventBit = 1u << 30;
constexpr unsigned SkippedWords = 2; // PM4's own
constexpr uint64_t TtmpBytes = 64, HwRegBytes = 64, PaddingBytes = 64;

/// Places a record below \p top.
WaveRecord place(const Architecture &Arch, const WaveShape &Shape,
                 uint64_t Top) {
  WaveRecord R;
  R.Shape = Shape;
  R.Top = Top;
  uint64_t At = Top;
  if (gpu::features(Arch).PadsSavedWaves)
    At -= PaddingBytes;
  if (Shape.First)
    At -= Shape.LdsBytes;
  R.Lds = At;
  R.Ttmps = At -= TtmpBytes;
  R.Hwregs = At -= HwRegBytes;
  R.Sgprs = At -= uint64_t(Shape.Sgprs) * 4;
  if (Arch.hasWave32())
    At -= uint64_t(Shape.SharedVgprs) * 32 * 4;
  R.SharedVgprs = At;
  if (Arch.hasAcc())
    At -= uint64_t(Shape.AccVgprs) * Shape.Lanes * 4;
  R.AccVgprs = At;
  R.Vgprs = At -= uint64_t(Shape.Vgprs) * Shape.Lanes * 4;
  R.Bottom = At;
  return R;
}

} // namespace

ArrayRef<Architecture> architectures() {
  return ArrayRef(gpu::debuggable().First, gpu::debuggable().Count);
}

/// \p found if it is one of architectures(), otherwise null.
static const Architecture *knownOf(const Architecture *Found) {
  return Found && !Found->isGeneric() && Found->family().HasControlStack
             ? Found
             : nullptr;
}

const Architecture *findByName(StringRef Name) {
  return knownOf(gpu::findByName(Name));
}

const Architecture *findByTargetVersion(uint32_t Version) {
  return knownOf(gpu::findByTargetVersion(Version));
}

std::optional<unsigned> wordOf(const Architecture &Arch, HwReg Reg) {
  const bool HasScratchSgprs = gpu::features(Arch).HasScratchSgprs;
  const bool StatePriv = Arch.family().HasStatePriv;
  switch (Reg) {
  case HwReg::M0:
    return 0;
  case HwReg::PCLo:
    return 1;
  case HwReg::PCHi:
    return 2;
  case HwReg::ExecLo:
    return 3;
  case HwReg::ExecHi:
    return 4;
  case HwReg::Status:
    return StatePriv ? 13 : 5;
  case HwReg::StatePriv:
    if (StatePriv)
      return 5;
    break;
  case HwReg::TrapSts:
    return 6;
  case HwReg::XnackMaskLo:
    return 7;
  case HwReg::XnackMaskHi:
    if (HasScratchSgprs)
      return 8;
    break;
  case HwReg::Mode:
    return HasScratchSgprs ? 9 : 8;
  case HwReg::FlatScratchLo:
    if (!HasScratchSgprs)
      return 9;
    break;
  case HwReg::FlatScratchHi:
    if (!HasScratchSgprs)
      return 10;
    break;
  case HwReg::ExcpFlagUser:
    if (StatePriv)
      return 11;
    break;
  case HwReg::TrapCtrl:
    if (StatePriv)
      return 12;
    break;
  }
  return std::nullopt;
}

unsigned vccIndex(const Architecture &Arch, unsigned Sgprs) {
  if (!gpu::features(Arch).HasScratchSgprs || Sgprs >= 108)
    return 106;
  return Sgprs >= 6 ? Sgprs - 2 : 0;
}

unsigned flatScratchIndex(const Architecture &, unsigned Sgprs) {
  return Sgprs >= 108 ? 102 : Sgprs >= 6 ? Sgprs - 6 : 0;
}

Error check(const Header &TheHeader, uint64_t AreaSize) {
  const uint64_t StackEnd =
      uint64_t(TheHeader.ControlStackOffset) + TheHeader.ControlStackSize;
  if (TheHeader.WaveStateSize > TheHeader.WaveStateOffset ||
      StackEnd != uint64_t(TheHeader.WaveStateOffset) - TheHeader.WaveStateSize)
    return createStringError(
        "corrupted context save area header: the control stack ends at " +
        Twine(StackEnd) + ", the wave state begins at " +
        Twine(int64_t(TheHeader.WaveStateOffset) -
              int64_t(TheHeader.WaveStateSize)));
  if (TheHeader.ControlStackSize % 4)
    return createStringError("the control stack's size " +
                             Twine(TheHeader.ControlStackSize) +
                             " is not a multiple of 4");
  if (AreaSize && TheHeader.WaveStateOffset > AreaSize)
    return createStringError(
        "the wave state ends at " + Twine(TheHeader.WaveStateOffset) +
        ", beyond the context save area's " + Twine(AreaSize) + " bytes");
  return Error::success();
}

Expected<std::vector<WaveRecord>> parse(const Architecture &Arch,
                                        const Header &TheHeader,
                                        ArrayRef<uint32_t> Stack) {
  const gpu::ControlStack &Layout = Arch.family().Stack;
  std::vector<WaveRecord> Records;
  WaveShape Shape;
  bool HaveShape = false, InGroup = false;
  uint64_t Top = TheHeader.WaveStateOffset, GroupLds = 0;
  const uint64_t Bottom = Top - TheHeader.WaveStateSize;

  for (size_t I = SkippedWords; I < Stack.size(); ++I) {
    const uint32_t Word = Stack[I];
    if (Word & EventBit)
      continue;
    if (Word & StateBit) {
      Shape = WaveShape();
      HaveShape = true;
      Shape.Lanes = Layout.Wave32.get(Word) ? 32 : 64;
      const unsigned Vgprs =
          (Layout.Vgprs.get(Word) + 1) * Arch.family().vgprUnit(Shape.Lanes);
      switch (Arch.family().Acc) {
      case gpu::AccRegisters::None:
        Shape.Vgprs = Vgprs;
        break;
      case gpu::AccRegisters::Twin:
        Shape.Vgprs = Shape.AccVgprs = Vgprs;
        break;
      case gpu::AccRegisters::Unified:
        Shape.Vgprs = (Layout.AccumOffset.get(Word) + 1) * 4;
        if (Shape.Vgprs > Vgprs)
          return createStringError("control stack word " + Twine(I) + ": " +
                                   Twine(Shape.Vgprs) + " architectural of " +
                                   Twine(Vgprs) + " VGPRs");
        Shape.AccVgprs = Vgprs - Shape.Vgprs;
        break;
      }
      Shape.SharedVgprs = Layout.SharedVgprs.get(Word) * 8;
      Shape.Sgprs = Layout.Sgprs.Width ? Layout.Sgprs.get(Word) * 16 : 128;
      Shape.LdsBytes = Layout.Local.get(Word) * Arch.LocalUnit;
      if (Arch.hasWave32())
        ++I; // its second word
      continue;
    }
    if (!HaveShape)
      return createStringError("control stack word " + Twine(I) +
                               ": a wave before any state");
    WaveShape Wave = Shape;
    Wave.First = Layout.First.get(Word);
    Wave.Last = Layout.Last.get(Word);
    Wave.Scratch = Layout.Scratch.get(Word);
    Wave.TheScratchSlot = Layout.Slot.get(Word);
    Wave.ShaderEngine = Layout.Engine.get(Word);
    if (Wave.First == InGroup)
      return createStringError("control stack word " + Twine(I) +
                               (InGroup ? ": a work-group begins inside another"
                                        : ": a wave outside of a work-group"));
    InGroup = !Wave.Last;
    WaveRecord Record = place(Arch, Wave, Top);
    if (Record.Top < Record.Bottom || Record.Bottom < Bottom ||
        Record.Bottom > Top)
      return createStringError(
          "control stack word " + Twine(I) +
          ": the wave's record does not fit the wave state of " +
          Twine(TheHeader.WaveStateSize) + " bytes");
    if (Wave.First)
      GroupLds = Record.Lds;
    Record.Lds = GroupLds;
    Top = Record.Bottom;
    Records.push_back(Record);
  }
  if (InGroup)
    return createStringError("the control stack ends inside a work-group");
  if (Top != Bottom)
    return createStringError(
        "the waves' records take " + Twine(TheHeader.WaveStateOffset - Top) +
        " of " + Twine(TheHeader.WaveStateSize) + " bytes of wave state");
  return std::move(Records);
}

uint64_t recordSize(const Architecture &Arch, const WaveShape &Shape) {
  const uint64_t Top = uint64_t(1) << 40;
  return Top - place(Arch, Shape, Top).Bottom;
}

namespace {

constexpr uint64_t Align = 4096;

uint64_t alignUp(uint64_t Value) { return (Value + Align - 1) & ~(Align - 1); }

uint64_t stackWords(const Architecture &Arch, ArrayRef<WaveState> Waves) {
  uint64_t Words = SkippedWords;
  for (const WaveState &W : Waves)
    Words += 1 + (W.Shape.First ? (Arch.hasWave32() ? 2 : 1) : 0);
  return Waves.empty() ? 0 : Words;
}

Expected<uint32_t> stateWord(const Architecture &Arch, const WaveShape &S) {
  const gpu::ControlStack &L = Arch.family().Stack;
  auto Put = [](gpu::BitField Field, uint64_t Value, uint32_t &Word) {
    Word |= Field.put(uint32_t(Value));
    return Value <= (Field.mask() >> Field.Low);
  };
  uint32_t Word = StateBit;
  bool Good = S.Lanes == 64 || (S.Lanes == 32 && Arch.hasWave32());
  const unsigned Unit = Arch.family().vgprUnit(S.Lanes);
  unsigned Vgprs = S.Vgprs;
  switch (Arch.family().Acc) {
  case gpu::AccRegisters::None:
    Good &= !S.AccVgprs;
    break;
  case gpu::AccRegisters::Twin:
    Good &= S.AccVgprs == S.Vgprs;
    break;
  case gpu::AccRegisters::Unified:
    Vgprs += S.AccVgprs;
    Good &= S.Vgprs && S.Vgprs % 4 == 0 &&
            Put(L.AccumOffset, S.Vgprs / 4 - 1, Word);
    break;
  }
  if (Arch.hasWave32())
    Good &= S.Sgprs == 128 && S.SharedVgprs % 8 == 0 &&
            Put(L.SharedVgprs, S.SharedVgprs / 8, Word) &&
            Put(L.Wave32, S.Lanes == 32, Word);
  Good &= Vgprs && Vgprs % Unit == 0 && Put(L.Vgprs, Vgprs / Unit - 1, Word);
  if (L.Sgprs.Width)
    Good &= S.Sgprs % 16 == 0 && Put(L.Sgprs, S.Sgprs / 16, Word);
  Good &= S.LdsBytes % Arch.LocalUnit == 0 &&
          Put(L.Local, S.LdsBytes / Arch.LocalUnit, Word);
  if (!Good)
    return createStringError(
        Twine("no ") + Arch.Name + " wave has " + Twine(S.Lanes) + " lanes, " +
        Twine(S.Vgprs) + "+" + Twine(S.AccVgprs) + " VGPRs, " +
        Twine(S.SharedVgprs) + " shared VGPRs, " + Twine(S.Sgprs) +
        " SGPRs and " + Twine(S.LdsBytes) + " bytes of LDS");
  return Word;
}

} // namespace

uint64_t areaSize(const Architecture &Arch, ArrayRef<WaveState> Waves,
                  uint64_t DebuggerMemory) {
  uint64_t Size = alignUp(sizeof(Header) + 16 + stackWords(Arch, Waves) * 4);
  for (const WaveState &W : Waves)
    Size += recordSize(Arch, W.Shape);
  return alignUp(Size + DebuggerMemory);
}

static void copyTo(MutableArrayRef<uint8_t> Area, uint64_t At, const void *Data,
                   uint64_t Bytes, uint64_t Room) {
  Bytes = std::min(Bytes, Room);
  if (Bytes)
    memcpy(Area.data() + At, Data, Bytes);
  memset(Area.data() + At + Bytes, 0, Room - Bytes);
}

void writeRegisters(const WaveRecord &R, const WaveState &W, RecordParts Parts,
                    MutableArrayRef<uint8_t> Area) {
  auto Copy = [&](uint64_t At, ArrayRef<uint32_t> Words, uint64_t Room) {
    copyTo(Area, At, Words.data(), Words.size() * 4, Room);
  };
  if (Parts.Lds)
    copyTo(Area, R.Lds, W.Lds.data(), W.Lds.size(), R.Shape.LdsBytes);
  if (Parts.Sgprs)
    Copy(R.Sgprs, W.Sgprs, uint64_t(R.Shape.Sgprs) * 4);
  if (!Parts.Vgprs)
    return;
  Copy(R.SharedVgprs, W.SharedVgprs, R.Sgprs - R.SharedVgprs);
  Copy(R.AccVgprs, W.AccVgprs, R.SharedVgprs - R.AccVgprs);
  Copy(R.Vgprs, W.Vgprs, R.AccVgprs - R.Vgprs);
}

void writeRecord(const Architecture &Arch, const WaveRecord &R,
                 const WaveState &W, RecordParts Parts,
                 MutableArrayRef<uint8_t> Area) {
  writeRegisters(R, W, Parts, Area);
  copyTo(Area, R.Ttmps, W.Ttmps.data(), TtmpBytes, TtmpBytes);
  uint32_t Block[16] = {};
  for (unsigned I = 0; I < HwRegCount; ++I)
    if (std::optional<unsigned> Word = wordOf(Arch, HwReg(I)))
      Block[*Word] = W.Hwregs[I];
  copyTo(Area, R.Hwregs, Block, sizeof(Block), HwRegBytes);
}

Error writeLayout(const Architecture &Arch, ArrayRef<WaveState> Waves,
                  uint64_t DebuggerMemory, MutableArrayRef<uint8_t> Area,
                  std::vector<WaveRecord> &Records) {
  if (Area.size() < areaSize(Arch, Waves, DebuggerMemory))
    return createStringError("a context save area of " + Twine(Area.size()) +
                             " bytes cannot hold " + Twine(Waves.size()) +
                             " waves");
  const gpu::ControlStack &L = Arch.family().Stack;
  std::vector<uint32_t> Stack;
  uint64_t Size = 0;
  for (const WaveState &W : Waves) {
    const WaveShape &S = W.Shape;
    if (Stack.empty())
      Stack.assign(SkippedWords, 0);
    if (S.First) {
      Expected<uint32_t> Word = stateWord(Arch, S);
      if (!Word)
        return Word.takeError();
      Stack.push_back(*Word);
      if (Arch.hasWave32())
        Stack.push_back(0);
    }
    if (S.TheScratchSlot > (L.Slot.mask() >> L.Slot.Low) ||
        S.ShaderEngine > (L.Engine.mask() >> L.Engine.Low))
      return createStringError("shader engine " + Twine(S.ShaderEngine) +
                               ", scratch slot " + Twine(S.TheScratchSlot) +
                               " cannot be expressed");
    Stack.push_back(L.Slot.put(S.TheScratchSlot) |
                    L.Engine.put(S.ShaderEngine) | L.Scratch.put(S.Scratch) |
                    L.First.put(S.First) | L.Last.put(S.Last));
    Size += recordSize(Arch, S);
  }

  const uint64_t Start = alignUp(sizeof(Header) + 16 + Stack.size() * 4);
  Header TheHeader;
  TheHeader.ControlStackSize = uint32_t(Stack.size() * 4);
  TheHeader.ControlStackOffset = uint32_t(Start - TheHeader.ControlStackSize);
  TheHeader.WaveStateOffset = uint32_t(Start + Size);
  TheHeader.WaveStateSize = uint32_t(Size);
  TheHeader.DebuggerMemoryOffset = TheHeader.WaveStateOffset;
  TheHeader.DebuggerMemorySize = uint32_t(DebuggerMemory);
  memcpy(Area.data(), &TheHeader, sizeof(TheHeader));
  if (!Stack.empty())
    memcpy(Area.data() + TheHeader.ControlStackOffset, Stack.data(),
           TheHeader.ControlStackSize);

  Records.clear();
  uint64_t Top = TheHeader.WaveStateOffset, GroupLds = 0;
  for (const WaveState &W : Waves) {
    WaveRecord R = place(Arch, W.Shape, Top);
    if (gpu::features(Arch).PadsSavedWaves)
      memset(Area.data() + R.Top - PaddingBytes, 0, PaddingBytes);
    Top = R.Bottom;
    if (W.Shape.First)
      GroupLds = R.Lds;
    R.Lds = GroupLds;
    Records.push_back(R);
  }
  return Error::success();
}

Error write(const Architecture &Arch, ArrayRef<WaveState> Waves,
            uint64_t DebuggerMemory, MutableArrayRef<uint8_t> Area) {
  std::vector<WaveRecord> Records;
  if (Error E = writeLayout(Arch, Waves, DebuggerMemory, Area, Records))
    return E;
  for (auto [W, R] : llvm::zip_equal(Waves, Records))
    writeRecord(Arch, R, W, {true, true, /*Lds=*/W.Shape.First}, Area);
  return Error::success();
}

uint64_t scratchSize(const Architecture &Arch, uint32_t Tmpring,
                     unsigned Engines, uint64_t Stated) {
  if (Stated)
    return Stated;
  const uint64_t Waves = Tmpring & 0xfff;
  return Arch.family().CountsScratchPerEngine
             ? uint64_t((Tmpring >> 12) & 0x7fff) * 256 * Waves * Engines
             : uint64_t((Tmpring >> 12) & 0x1fff) * 1024 * Waves;
}

std::optional<ScratchSlot> scratchSlot(const Architecture &Arch,
                                       uint32_t Tmpring, uint64_t Location,
                                       unsigned Engines, unsigned Engine,
                                       unsigned Slot) {
  const uint64_t Waves = Tmpring & 0xfff;
  if (Arch.family().CountsScratchPerEngine) {
    const uint64_t Size = uint64_t((Tmpring >> 12) & 0x7fff) * 256;
    if (!Size)
      return std::nullopt;
    return ScratchSlot{Location + (Waves * Engine + Slot) * Size, Size};
  }
  const uint64_t Size = uint64_t((Tmpring >> 12) & 0x1fff) * 1024;
  if (!Size || !Engines || Waves % Engines)
    return std::nullopt;
  return ScratchSlot{Location + (Waves / Engines * Engine + Slot) * Size, Size};
}

} // namespace wavelane::savearea
