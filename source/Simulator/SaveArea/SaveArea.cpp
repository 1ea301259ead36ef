//===-- SaveArea.cpp - GPU waves in a context save area -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Simulator/SaveArea.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace wavelane::savearea {

namespace {

constexpr uint32_t StateBit = 1u << 31, EventBit = 1u << 30;
constexpr unsigned SkippedWords = 2; // PM4's own
constexpr uint64_t TtmpBytes = 64, HwRegBytes = 64, PaddingBytes = 64;

Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// Places one record below \p top.
WaveRecord place(const Architecture &arch, const WaveShape &shape,
                 uint64_t top) {
  WaveRecord r;
  r.shape = shape;
  r.top = top;
  uint64_t at = top;
  if (arch.generation() == 9)
    at -= PaddingBytes;
  if (shape.first)
    at -= shape.ldsBytes;
  r.lds = at;
  r.ttmps = at -= TtmpBytes;
  r.hwregs = at -= HwRegBytes;
  r.sgprs = at -= uint64_t(shape.sgprs) * 4;
  if (arch.hasWave32())
    at -= uint64_t(shape.sharedVgprs) * 32 * 4;
  r.sharedVgprs = at;
  if (arch.hasAcc())
    at -= uint64_t(shape.accVgprs) * shape.lanes * 4;
  r.accVgprs = at;
  r.vgprs = at -= uint64_t(shape.vgprs) * shape.lanes * 4;
  r.bottom = at;
  return r;
}

} // namespace

ArrayRef<Architecture> architectures() {
  return ArrayRef(gpu::debuggable().First, gpu::debuggable().Count);
}

/// \p found, if it is one of architectures().
static const Architecture *knownOf(const Architecture *found) {
  return found && !found->isGeneric() && found->family().HasControlStack
             ? found
             : nullptr;
}

const Architecture *findByName(StringRef name) {
  return knownOf(gpu::findByName(name));
}

const Architecture *findByElfMachine(uint32_t machine) {
  return knownOf(gpu::findByElfFlags(machine));
}

const Architecture *findByTargetVersion(uint32_t version) {
  return knownOf(gpu::findByTargetVersion(version));
}

std::optional<unsigned> wordOf(const Architecture &arch, HwReg reg) {
  const bool isGFX9 = arch.generation() == 9;
  const bool statePriv = arch.family().HasStatePriv;
  switch (reg) {
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
    return statePriv ? 13 : 5;
  case HwReg::StatePriv:
    if (statePriv)
      return 5;
    break;
  case HwReg::TrapSts:
    return 6;
  case HwReg::XnackMaskLo:
    return 7;
  case HwReg::XnackMaskHi:
    if (isGFX9)
      return 8;
    break;
  case HwReg::Mode:
    return isGFX9 ? 9 : 8;
  case HwReg::FlatScratchLo:
    if (!isGFX9)
      return 9;
    break;
  case HwReg::FlatScratchHi:
    if (!isGFX9)
      return 10;
    break;
  case HwReg::ExcpFlagUser:
    if (statePriv)
      return 11;
    break;
  case HwReg::TrapCtrl:
    if (statePriv)
      return 12;
    break;
  }
  return std::nullopt;
}

unsigned vccIndex(const Architecture &arch, unsigned sgprs) {
  if (arch.generation() != 9 || sgprs >= 108)
    return 106;
  return sgprs >= 6 ? sgprs - 2 : 0;
}

unsigned flatScratchIndex(const Architecture &, unsigned sgprs) {
  return sgprs >= 108 ? 102 : sgprs >= 6 ? sgprs - 6 : 0;
}

Error check(const Header &header, uint64_t areaSize) {
  const uint64_t stackEnd =
      uint64_t(header.controlStackOffset) + header.controlStackSize;
  if (header.waveStateSize > header.waveStateOffset ||
      stackEnd != uint64_t(header.waveStateOffset) - header.waveStateSize)
    return fail(
        "corrupted context save area header: the control stack ends at " +
        Twine(stackEnd) + ", the wave state begins at " +
        Twine(int64_t(header.waveStateOffset) - int64_t(header.waveStateSize)));
  if (header.controlStackSize % 4)
    return fail("the control stack's size " + Twine(header.controlStackSize) +
                " is not a multiple of 4");
  if (areaSize && header.waveStateOffset > areaSize)
    return fail("the wave state ends at " + Twine(header.waveStateOffset) +
                ", behind the context save area's " + Twine(areaSize) +
                " bytes");
  return Error::success();
}

Expected<std::vector<WaveRecord>> parse(const Architecture &arch,
                                        const Header &header,
                                        ArrayRef<uint32_t> stack) {
  const gpu::ControlStack &layout = arch.family().Stack;
  std::vector<WaveRecord> records;
  WaveShape shape;
  bool haveShape = false, inGroup = false;
  uint64_t top = header.waveStateOffset, groupLds = 0;
  const uint64_t bottom = top - header.waveStateSize;

  for (size_t i = SkippedWords; i < stack.size(); ++i) {
    const uint32_t word = stack[i];
    if (word & EventBit)
      continue;
    if (word & StateBit) {
      shape = WaveShape();
      haveShape = true;
      shape.lanes = layout.Wave32.get(word) ? 32 : 64;
      const unsigned vgprs =
          (layout.Vgprs.get(word) + 1) * arch.family().vgprUnit(shape.lanes);
      switch (arch.family().Acc) {
      case gpu::AccRegisters::None:
        shape.vgprs = vgprs;
        break;
      case gpu::AccRegisters::Twin:
        shape.vgprs = shape.accVgprs = vgprs;
        break;
      case gpu::AccRegisters::Unified:
        shape.vgprs = (layout.AccumOffset.get(word) + 1) * 4;
        if (shape.vgprs > vgprs)
          return fail("control stack word " + Twine(i) + ": " +
                      Twine(shape.vgprs) + " architectural of " + Twine(vgprs) +
                      " VGPRs");
        shape.accVgprs = vgprs - shape.vgprs;
        break;
      }
      shape.sharedVgprs = layout.SharedVgprs.get(word) * 8;
      shape.sgprs = layout.Sgprs.Width ? layout.Sgprs.get(word) * 16 : 128;
      shape.ldsBytes = layout.Local.get(word) * arch.LocalUnit;
      if (arch.hasWave32())
        ++i; // its second word
      continue;
    }
    if (!haveShape)
      return fail("control stack word " + Twine(i) +
                  ": a wave before any state");
    WaveShape wave = shape;
    wave.first = layout.First.get(word);
    wave.last = layout.Last.get(word);
    wave.scratch = layout.Scratch.get(word);
    wave.scratchSlot = layout.Slot.get(word);
    wave.shaderEngine = layout.Engine.get(word);
    if (wave.first == inGroup)
      return fail("control stack word " + Twine(i) +
                  (inGroup ? ": a work-group begins inside another"
                           : ": a wave outside of a work-group"));
    inGroup = !wave.last;
    WaveRecord record = place(arch, wave, top);
    if (record.top < record.bottom || record.bottom < bottom ||
        record.bottom > top)
      return fail("control stack word " + Twine(i) +
                  ": the wave's record does not fit the wave state of " +
                  Twine(header.waveStateSize) + " bytes");
    if (wave.first)
      groupLds = record.lds;
    record.lds = groupLds;
    top = record.bottom;
    records.push_back(record);
  }
  if (inGroup)
    return fail("the control stack ends inside a work-group");
  if (top != bottom)
    return fail("the waves' records take " +
                Twine(header.waveStateOffset - top) + " of " +
                Twine(header.waveStateSize) + " bytes of wave state");
  return std::move(records);
}

uint64_t recordSize(const Architecture &arch, const WaveShape &shape) {
  const uint64_t top = uint64_t(1) << 40;
  return top - place(arch, shape, top).bottom;
}

namespace {

constexpr uint64_t Align = 4096;

uint64_t alignUp(uint64_t value) { return (value + Align - 1) & ~(Align - 1); }

uint64_t stackWords(const Architecture &arch, ArrayRef<WaveState> waves) {
  uint64_t words = SkippedWords;
  for (const WaveState &w : waves)
    words += 1 + (w.shape.first ? (arch.hasWave32() ? 2 : 1) : 0);
  return waves.empty() ? 0 : words;
}

Expected<uint32_t> stateWord(const Architecture &arch, const WaveShape &s) {
  const gpu::ControlStack &l = arch.family().Stack;
  auto put = [](gpu::BitField field, uint64_t value, uint32_t &word) {
    word |= field.put(uint32_t(value));
    return value <= (field.mask() >> field.Low);
  };
  uint32_t word = StateBit;
  bool good = s.lanes == 64 || (s.lanes == 32 && arch.hasWave32());
  const unsigned unit = arch.family().vgprUnit(s.lanes);
  unsigned vgprs = s.vgprs;
  switch (arch.family().Acc) {
  case gpu::AccRegisters::None:
    good &= !s.accVgprs;
    break;
  case gpu::AccRegisters::Twin:
    good &= s.accVgprs == s.vgprs;
    break;
  case gpu::AccRegisters::Unified:
    vgprs += s.accVgprs;
    good &= s.vgprs && s.vgprs % 4 == 0 &&
            put(l.AccumOffset, s.vgprs / 4 - 1, word);
    break;
  }
  if (arch.hasWave32())
    good &= s.sgprs == 128 && s.sharedVgprs % 8 == 0 &&
            put(l.SharedVgprs, s.sharedVgprs / 8, word) &&
            put(l.Wave32, s.lanes == 32, word);
  good &= vgprs && vgprs % unit == 0 && put(l.Vgprs, vgprs / unit - 1, word);
  if (l.Sgprs.Width)
    good &= s.sgprs % 16 == 0 && put(l.Sgprs, s.sgprs / 16, word);
  good &= s.ldsBytes % arch.LocalUnit == 0 &&
          put(l.Local, s.ldsBytes / arch.LocalUnit, word);
  if (!good)
    return fail(Twine("no ") + arch.Name + " wave has " + Twine(s.lanes) +
                " lanes, " + Twine(s.vgprs) + "+" + Twine(s.accVgprs) +
                " VGPRs, " + Twine(s.sharedVgprs) + " shared VGPRs, " +
                Twine(s.sgprs) + " SGPRs and " + Twine(s.ldsBytes) +
                " bytes of LDS");
  return word;
}

} // namespace

uint64_t areaSize(const Architecture &arch, ArrayRef<WaveState> waves,
                  uint64_t debuggerMemory) {
  uint64_t size = alignUp(sizeof(Header) + 16 + stackWords(arch, waves) * 4);
  for (const WaveState &w : waves)
    size += recordSize(arch, w.shape);
  return alignUp(size + debuggerMemory);
}

void rewrite(const Architecture &arch, const WaveRecord &r, const WaveState &w,
             bool vectors, bool lds, MutableArrayRef<uint8_t> area) {
  auto copy = [&](uint64_t at, const void *data, uint64_t bytes,
                  uint64_t room) {
    bytes = std::min(bytes, room);
    if (bytes)
      memcpy(area.data() + at, data, bytes);
    memset(area.data() + at + bytes, 0, room - bytes);
  };
  if (lds)
    copy(r.lds, w.lds.data(), w.lds.size(), r.shape.ldsBytes);
  copy(r.ttmps, w.ttmps.data(), TtmpBytes, TtmpBytes);
  uint32_t block[16] = {};
  for (unsigned i = 0; i < HwRegCount; ++i)
    if (std::optional<unsigned> word = wordOf(arch, HwReg(i)))
      block[*word] = w.hwregs[i];
  copy(r.hwregs, block, sizeof(block), HwRegBytes);
  if (!vectors)
    return;
  copy(r.sgprs, w.sgprs.data(), w.sgprs.size() * 4,
       uint64_t(r.shape.sgprs) * 4);
  copy(r.sharedVgprs, w.sharedVgprs.data(), w.sharedVgprs.size() * 4,
       r.sgprs - r.sharedVgprs);
  copy(r.accVgprs, w.accVgprs.data(), w.accVgprs.size() * 4,
       r.sharedVgprs - r.accVgprs);
  copy(r.vgprs, w.vgprs.data(), w.vgprs.size() * 4, r.accVgprs - r.vgprs);
}

Error write(const Architecture &arch, ArrayRef<WaveState> waves,
            uint64_t debuggerMemory, MutableArrayRef<uint8_t> area,
            std::vector<WaveRecord> *records) {
  if (area.size() < areaSize(arch, waves, debuggerMemory))
    return fail("a context save area of " + Twine(area.size()) +
                " bytes cannot hold " + Twine(waves.size()) + " waves");
  const gpu::ControlStack &l = arch.family().Stack;
  std::vector<uint32_t> stack;
  uint64_t size = 0;
  for (const WaveState &w : waves) {
    const WaveShape &s = w.shape;
    if (stack.empty())
      stack.assign(SkippedWords, 0);
    if (s.first) {
      Expected<uint32_t> word = stateWord(arch, s);
      if (!word)
        return word.takeError();
      stack.push_back(*word);
      if (arch.hasWave32())
        stack.push_back(0);
    }
    if (s.scratchSlot > (l.Slot.mask() >> l.Slot.Low) ||
        s.shaderEngine > (l.Engine.mask() >> l.Engine.Low))
      return fail("shader engine " + Twine(s.shaderEngine) + ", scratch slot " +
                  Twine(s.scratchSlot) + " cannot be expressed");
    stack.push_back(l.Slot.put(s.scratchSlot) | l.Engine.put(s.shaderEngine) |
                    l.Scratch.put(s.scratch) | l.First.put(s.first) |
                    l.Last.put(s.last));
    size += recordSize(arch, s);
  }

  const uint64_t start = alignUp(sizeof(Header) + 16 + stack.size() * 4);
  Header header;
  header.controlStackSize = uint32_t(stack.size() * 4);
  header.controlStackOffset = uint32_t(start - header.controlStackSize);
  header.waveStateOffset = uint32_t(start + size);
  header.waveStateSize = uint32_t(size);
  header.debuggerMemoryOffset = header.waveStateOffset;
  header.debuggerMemorySize = uint32_t(debuggerMemory);
  memcpy(area.data(), &header, sizeof(header));
  if (!stack.empty())
    memcpy(area.data() + header.controlStackOffset, stack.data(),
           header.controlStackSize);

  if (records)
    records->clear();
  uint64_t top = header.waveStateOffset, groupLds = 0;
  for (const WaveState &w : waves) {
    WaveRecord r = place(arch, w.shape, top);
    if (arch.generation() == 9)
      memset(area.data() + r.top - PaddingBytes, 0, PaddingBytes);
    rewrite(arch, r, w, /*vectors=*/true, /*lds=*/w.shape.first, area);
    top = r.bottom;
    if (w.shape.first)
      groupLds = r.lds;
    r.lds = groupLds;
    if (records)
      records->push_back(r);
  }
  return Error::success();
}

std::optional<ScratchSlot> scratchSlot(const Architecture &arch,
                                       uint32_t tmpring, uint64_t location,
                                       unsigned engines, unsigned engine,
                                       unsigned slot) {
  const uint64_t waves = tmpring & 0xfff;
  if (arch.family().CountsScratchPerEngine) {
    const uint64_t size = uint64_t((tmpring >> 12) & 0x7fff) * 256;
    if (!size)
      return std::nullopt;
    return ScratchSlot{location + (waves * engine + slot) * size, size};
  }
  const uint64_t size = uint64_t((tmpring >> 12) & 0x1fff) * 1024;
  if (!size || !engines || waves % engines)
    return std::nullopt;
  return ScratchSlot{location + (waves / engines * engine + slot) * size, size};
}

} // namespace wavelane::savearea
