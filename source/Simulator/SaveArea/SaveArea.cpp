//===-- SaveArea.cpp - GPU waves in a context save area -------------------===//

#include "wavelane/Simulator/SaveArea.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace wavelane::savearea {

namespace {

constexpr Architecture Table[] = {
    {"gfx900", 0x2c, 90000, Family::GFX900, true},
    {"gfx906", 0x2f, 90006, Family::GFX900, true},
    {"gfx908", 0x30, 90008, Family::GFX908, true},
    {"gfx90a", 0x3f, 90010, Family::GFX90A, true},
    {"gfx940", 0x40, 90400, Family::GFX94X, false},
    {"gfx941", 0x4b, 90401, Family::GFX94X, false},
    {"gfx942", 0x4c, 90402, Family::GFX94X, false},
    {"gfx1010", 0x33, 100100, Family::GFX10, true},
    {"gfx1011", 0x34, 100101, Family::GFX10, true},
    {"gfx1012", 0x35, 100102, Family::GFX10, true},
    {"gfx1030", 0x36, 100300, Family::GFX10, false},
    {"gfx1031", 0x37, 100301, Family::GFX10, false},
    {"gfx1032", 0x38, 100302, Family::GFX10, false},
    {"gfx1100", 0x41, 110000, Family::GFX11, true},
    {"gfx1101", 0x46, 110001, Family::GFX11, true},
    {"gfx1102", 0x47, 110002, Family::GFX11, true},
    {"gfx1200", 0x48, 120000, Family::GFX12, true},
    {"gfx1201", 0x4e, 120001, Family::GFX12, true},
};

/// The words of the control stack, by family.
struct StackLayout {
  Field vgprs;       // in units below, less one
  Field sgprs;       // width 0: always 128
  Field lds;         // in 512 bytes
  Field accumOffset; // architectural VGPRs / 4 - 1
  Field wave32, sharedVgprs;
  Field slot, engine, scratch, last, first;
};

constexpr StackLayout layoutOf(Family family) {
  StackLayout l;
  l.vgprs = {0, 6};
  l.scratch = {15, 1};
  l.last = {16, 1};
  l.first = {17, 1};
  l.slot = {0, 9};
  switch (family) {
  case Family::GFX900:
    l.sgprs = {6, 3}, l.lds = {9, 9}, l.engine = {11, 2};
    break;
  case Family::GFX908:
    l.sgprs = {6, 3}, l.lds = {9, 9}, l.engine = {11, 3};
    break;
  case Family::GFX90A:
    l.sgprs = {6, 3}, l.lds = {9, 8}, l.accumOffset = {24, 6};
    l.engine = {9, 3};
    break;
  case Family::GFX94X:
    l.sgprs = {6, 3}, l.lds = {9, 8}, l.accumOffset = {24, 6};
    l.engine = {9, 2};
    break;
  case Family::GFX10:
  case Family::GFX11:
  case Family::GFX12:
    l.lds = {10, 8}, l.wave32 = {24, 1}, l.sharedVgprs = {26, 4};
    l.slot = {0, 10};
    l.engine = {24, uint8_t(family == Family::GFX10 ? 2 : 3)};
    l.scratch = {11, 1}, l.last = {29, 1}, l.first = {12, 1};
    break;
  }
  return l;
}

constexpr uint32_t StateBit = 1u << 31, EventBit = 1u << 30;
constexpr unsigned SkippedWords = 2; // PM4's own
constexpr unsigned LdsUnit = 512;
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
  if (arch.isGFX9())
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
  if (arch.hasAccVgprs())
    at -= uint64_t(shape.accVgprs) * shape.lanes * 4;
  r.accVgprs = at;
  r.vgprs = at -= uint64_t(shape.vgprs) * shape.lanes * 4;
  r.bottom = at;
  return r;
}

} // namespace

ArrayRef<Architecture> architectures() { return Table; }

const Architecture *findByName(StringRef name) {
  for (const Architecture &a : Table)
    if (name == a.name)
      return &a;
  return nullptr;
}

const Architecture *findByElfMachine(uint32_t machine) {
  for (const Architecture &a : Table)
    if (a.elfMachine == machine)
      return &a;
  return nullptr;
}

const Architecture *findByTargetVersion(uint32_t version) {
  for (const Architecture &a : Table)
    if (a.targetVersion == version)
      return &a;
  return nullptr;
}

std::optional<unsigned> Architecture::word(HwReg reg) const {
  const bool gfx12 = family == Family::GFX12;
  switch (reg) {
  case HwReg::M0: return 0;
  case HwReg::PCLo: return 1;
  case HwReg::PCHi: return 2;
  case HwReg::ExecLo: return 3;
  case HwReg::ExecHi: return 4;
  case HwReg::Status: return gfx12 ? 13 : 5;
  case HwReg::StatePriv:
    if (gfx12)
      return 5;
    break;
  case HwReg::TrapSts: return 6;
  case HwReg::XnackMaskLo: return 7;
  case HwReg::XnackMaskHi:
    if (isGFX9())
      return 8;
    break;
  case HwReg::Mode: return isGFX9() ? 9 : 8;
  case HwReg::FlatScratchLo:
    if (!isGFX9())
      return 9;
    break;
  case HwReg::FlatScratchHi:
    if (!isGFX9())
      return 10;
    break;
  case HwReg::ExcpFlagUser:
    if (gfx12)
      return 11;
    break;
  case HwReg::TrapCtrl:
    if (gfx12)
      return 12;
    break;
  }
  return std::nullopt;
}

unsigned vccIndex(const Architecture &arch, unsigned sgprs) {
  if (!arch.isGFX9() || sgprs >= 108)
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
    return fail("corrupted context save area header: the control stack ends at " +
                Twine(stackEnd) + ", the wave state begins at " +
                Twine(int64_t(header.waveStateOffset) -
                      int64_t(header.waveStateSize)));
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
  const StackLayout layout = layoutOf(arch.family);
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
      shape.lanes = layout.wave32.get(word) ? 32 : 64;
      const unsigned vgprs = layout.vgprs.get(word) + 1;
      switch (arch.family) {
      case Family::GFX900:
        shape.vgprs = vgprs * 4;
        break;
      case Family::GFX908:
        shape.vgprs = shape.accVgprs = vgprs * 4;
        break;
      case Family::GFX90A:
      case Family::GFX94X:
        shape.vgprs = (layout.accumOffset.get(word) + 1) * 4;
        if (shape.vgprs > vgprs * 8)
          return fail("control stack word " + Twine(i) + ": " +
                      Twine(shape.vgprs) + " architectural of " +
                      Twine(vgprs * 8) + " VGPRs");
        shape.accVgprs = vgprs * 8 - shape.vgprs;
        break;
      default:
        shape.vgprs = vgprs * (shape.lanes == 32 ? 8 : 4);
        shape.sharedVgprs = layout.sharedVgprs.get(word) * 8;
        break;
      }
      shape.sgprs = layout.sgprs.width ? layout.sgprs.get(word) * 16 : 128;
      shape.ldsBytes = layout.lds.get(word) * LdsUnit;
      if (arch.hasWave32())
        ++i; // its second word
      continue;
    }
    if (!haveShape)
      return fail("control stack word " + Twine(i) +
                  ": a wave before any state");
    WaveShape wave = shape;
    wave.first = layout.first.get(word);
    wave.last = layout.last.get(word);
    wave.scratch = layout.scratch.get(word);
    wave.scratchSlot = layout.slot.get(word);
    wave.shaderEngine = layout.engine.get(word);
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
  const StackLayout l = layoutOf(arch.family);
  auto put = [](Field field, uint64_t value, uint32_t &word) {
    word |= field.put(uint32_t(value));
    return value <= (field.mask() >> field.low);
  };
  uint32_t word = StateBit;
  bool good = s.lanes == 64 || (s.lanes == 32 && arch.hasWave32());
  unsigned unit = 4, vgprs = s.vgprs;
  switch (arch.family) {
  case Family::GFX900:
    good &= !s.accVgprs;
    break;
  case Family::GFX908:
    good &= s.accVgprs == s.vgprs;
    break;
  case Family::GFX90A:
  case Family::GFX94X:
    unit = 8, vgprs += s.accVgprs;
    good &= s.vgprs && s.vgprs % 4 == 0 &&
            put(l.accumOffset, s.vgprs / 4 - 1, word);
    break;
  default:
    unit = s.lanes == 32 ? 8 : 4;
    good &= !s.accVgprs && s.sgprs == 128 && s.sharedVgprs % 8 == 0 &&
            put(l.sharedVgprs, s.sharedVgprs / 8, word) &&
            put(l.wave32, s.lanes == 32, word);
    break;
  }
  good &= vgprs && vgprs % unit == 0 && put(l.vgprs, vgprs / unit - 1, word);
  if (l.sgprs.width)
    good &= s.sgprs % 16 == 0 && put(l.sgprs, s.sgprs / 16, word);
  good &= s.ldsBytes % LdsUnit == 0 && put(l.lds, s.ldsBytes / LdsUnit, word);
  if (!good)
    return fail(Twine("no ") + arch.name + " wave has " + Twine(s.lanes) +
                " lanes, " + Twine(s.vgprs) + "+" + Twine(s.accVgprs) +
                " VGPRs, " + Twine(s.sharedVgprs) + " shared VGPRs, " +
                Twine(s.sgprs) + " SGPRs and " + Twine(s.ldsBytes) +
                " bytes of LDS");
  return word;
}

} // namespace

uint64_t areaSize(const Architecture &arch, ArrayRef<WaveState> waves,
                  uint64_t debuggerMemory) {
  uint64_t size =
      alignUp(sizeof(Header) + 16 + stackWords(arch, waves) * 4);
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
    if (std::optional<unsigned> word = arch.word(HwReg(i)))
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
  const StackLayout l = layoutOf(arch.family);
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
    if (s.scratchSlot > (l.slot.mask() >> l.slot.low) ||
        s.shaderEngine > (l.engine.mask() >> l.engine.low))
      return fail("shader engine " + Twine(s.shaderEngine) +
                  ", scratch slot " + Twine(s.scratchSlot) +
                  " cannot be expressed");
    stack.push_back(l.slot.put(s.scratchSlot) | l.engine.put(s.shaderEngine) |
                    l.scratch.put(s.scratch) | l.first.put(s.first) |
                    l.last.put(s.last));
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
    if (arch.isGFX9())
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
  if (arch.family >= Family::GFX11) {
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
