//===-- WaveRegisters.cpp - The registers of saved waves ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveRegisters.h"
#include "WaveState.h"
#include <cstring>
#include <utility>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::library {

//===-- Hardware registers of a record ------------------------------------===//

uint32_t WaveRegisters::hw(const Wave &wave, HwReg reg) const {
  std::optional<unsigned> word = wordOf(*archOf(wave).arch, reg);
  return word ? wave.hw[*word] : 0;
}

Status WaveRegisters::setHw(Wave &wave, HwReg reg, uint32_t value) {
  std::optional<unsigned> word = wordOf(*archOf(wave).arch, reg);
  if (!word)
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  wave.hw[*word] = value;
  noteChange(wave);
  return Success;
}

Status WaveRegisters::setTtmp(Wave &wave, unsigned index, uint32_t value) {
  wave.ttmps[index] = value;
  noteChange(wave);
  return Success;
}

void WaveRegisters::noteChange(Wave &wave) {
  if (!wave.changed)
    changedWaves.push_back(wave.id);
  wave.changed = true;
}

Status WaveRegisters::save(Wave &wave) {
  if (!wave.changed || facts.core)
    return Success;
  uint32_t block[32];
  memcpy(block, wave.hw, sizeof(wave.hw));
  memcpy(block + 16, wave.ttmps, sizeof(wave.ttmps));
  wave.changed = false;
  unsigned first = 0, end = 32;
  while (first < end && block[first] == wave.saved[first])
    ++first;
  while (end > first && block[end - 1] == wave.saved[end - 1])
    --end;
  if (first == end)
    return Success;
  memcpy(wave.saved, block, sizeof(block));
  return memory.writeAll(wave.area + wave.record.hwregs + first * 4,
                         block + first, (end - first) * 4);
}

Status WaveRegisters::saveAll() {
  Status result = Success;
  for (uint64_t id : std::exchange(changedWaves, {})) {
    auto found = objects.waves.find(id);
    if (found == objects.waves.end() || !found->second->changed)
      continue;
    if (Status status = save(*found->second))
      result = status;
  }
  return result;
}

uint64_t WaveRegisters::pc(const Wave &wave) const {
  const ArchitectureInfo &a = archOf(wave);
  if (wave.ttmps[6] & Stopped && a.arch->family().parks(facts.rdebugVersion))
    return wave.ttmps[hasStatePriv(a) ? 10 : 7] |
           uint64_t(wave.ttmps[11] >> 7 & 0xffff) << 32;
  return hw(wave, HwReg::PCLo) | uint64_t(hw(wave, HwReg::PCHi)) << 32;
}

Status WaveRegisters::setPC(Wave &wave, uint64_t pc) {
  const ArchitectureInfo &a = archOf(wave);
  if (Status status = setHw(wave, HwReg::PCLo, uint32_t(pc)))
    return status;
  if (Status status = setHw(wave, HwReg::PCHi, uint32_t(pc >> 32) & 0xffff))
    return status;
  if (!(wave.ttmps[6] & Stopped) ||
      !a.arch->family().parks(facts.rdebugVersion))
    return Success;
  if (Status status = setTtmp(wave, hasStatePriv(a) ? 10 : 7, uint32_t(pc)))
    return status;
  return setTtmp(wave, 11,
                 (wave.ttmps[11] & ~(0xffffu << 7)) |
                     (uint32_t(pc >> 32) & 0xffff) << 7);
}

uint64_t WaveRegisters::exec(const Wave &wave) const {
  uint64_t value = hw(wave, HwReg::ExecLo);
  if (wave.record.shape.lanes == 64)
    value |= uint64_t(hw(wave, HwReg::ExecHi)) << 32;
  return value;
}

/// Stops a wave that runs, as the trap handler would.
Status WaveRegisters::halt(Wave &wave) {
  const ArchitectureInfo &a = archOf(wave);
  const uint64_t at = pc(wave);
  const bool statePriv = hasStatePriv(a);
  const HwReg reg = statePriv ? HwReg::StatePriv : HwReg::Status;
  const uint32_t bit = statePriv ? StatePrivHalt : StatusHalt;
  const uint32_t old = hw(wave, reg);
  if (Status status = setTtmp(wave, 6,
                              (wave.ttmps[6] & ~(0x1fu << TrapIdShift)) |
                                  Stopped | (old & bit ? SavedHalt : 0)))
    return status;
  if (Status status =
          setHw(wave, reg, old | bit | (statePriv ? 0 : StatusSkipExport)))
    return status;
  return setPC(wave, at);
}

Status WaveRegisters::unhalt(Wave &wave, bool step) {
  const ArchitectureInfo &a = archOf(wave);
  const bool statePriv = hasStatePriv(a);
  const uint64_t at = pc(wave);
  const bool savedHalt = wave.ttmps[6] & SavedHalt;
  const uint32_t trapsts = hw(wave, HwReg::TrapSts);
  const gpu::Family &family = a.arch->family();
  // What has been reported does not count again.
  const uint32_t reported =
      statePriv ? 0x185fu
                : 0x7fu | 1u << 7 | 1u << 8 | 1u << 11 | 7u << 12 | 1u << 28 |
                      (family.StepFlag >= 0 ? 1u << family.StepFlag : 0);
  if (trapsts & reported)
    if (Status status = setHw(wave, HwReg::TrapSts, trapsts & ~reported))
      return status;
  if (statePriv) {
    if (Status status = setHw(wave, HwReg::ExcpFlagUser,
                              hw(wave, HwReg::ExcpFlagUser) & ~0x7fu))
      return status;
    const uint32_t control = hw(wave, HwReg::TrapCtrl) & ~TrapCtrlStep;
    if (Status status =
            setHw(wave, HwReg::TrapCtrl, control | (step ? TrapCtrlStep : 0)))
      return status;
    const uint32_t priv = hw(wave, HwReg::StatePriv) & ~StatePrivHalt;
    if (Status status = setHw(wave, HwReg::StatePriv,
                              priv | (savedHalt ? StatePrivHalt : 0)))
      return status;
  } else {
    const uint32_t mode = hw(wave, HwReg::Mode) & ~ModeStep;
    if (Status status = setHw(wave, HwReg::Mode, mode | (step ? ModeStep : 0)))
      return status;
    const uint32_t value =
        hw(wave, HwReg::Status) & ~(StatusHalt | StatusSkipExport);
    if (Status status =
            setHw(wave, HwReg::Status, value | (savedHalt ? StatusHalt : 0)))
      return status;
  }
  if (Status status = setTtmp(
          wave, 6, wave.ttmps[6] & ~(15u << TrapIdShift | SavedHalt | Stopped)))
    return status;
  return setPC(wave, at);
}

//===-- Registers ---------------------------------------------------------===//

bool WaveRegisters::exists(const Wave &wave, const Register &reg) const {
  const WaveShape &shape = wave.record.shape;
  const ArchitectureInfo &info = archOf(wave);
  if (reg.lanes && reg.lanes != shape.lanes)
    return false;
  const unsigned shadowed = shape.sgprs >= 108 ? 102
                            : shape.sgprs >= 6 ? shape.sgprs - 6
                                               : 0;
  switch (reg.kind) {
  case RegisterKind::Vector:
    return reg.index <
               shape.vgprs + (shape.lanes == 64 ? shape.sharedVgprs / 2 : 0) &&
           !(info.arch->generation() >= 11 &&
             hw(wave, HwReg::Status) & 1u << 24);
  case RegisterKind::AccVector:
    return reg.index < shape.accVgprs;
  case RegisterKind::Scalar:
    return info.arch->generation() == 9 ? reg.index < shadowed
                                        : reg.index < 106;
  case RegisterKind::ScalarAlias:
    return info.arch->generation() == 9 && reg.index >= shadowed &&
           reg.index < shape.sgprs;
  case RegisterKind::XnackMask:
    return info.arch->generation() == 9 || shape.lanes == 32;
  default:
    return true;
  }
}

Status WaveRegisters::readSgpr(Wave &wave, unsigned index, unsigned count,
                               uint32_t *value) {
  const unsigned all = wave.record.shape.sgprs;
  if (index + count > all)
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  if (wave.sgprs.empty() && all) {
    wave.sgprs.resize(all);
    if (Status status = memory.readAll(wave.area + wave.record.sgprs,
                                       wave.sgprs.data(), uint64_t(all) * 4)) {
      wave.sgprs.clear();
      return status;
    }
  }
  memcpy(value, wave.sgprs.data() + index, count * 4);
  return Success;
}

/// Where a register's bytes stand, if they stand together.
Status WaveRegisters::place(Wave &wave, const Register &reg,
                            uint64_t &address) {
  const WaveRecord &r = wave.record;
  const Architecture &arch = *archOf(wave).arch;
  auto word = [&](HwReg which) {
    address = wave.area + r.hwregs + uint64_t(*wordOf(arch, which)) * 4;
    return Success;
  };
  switch (reg.kind) {
  case RegisterKind::Vector:
    if (reg.index < r.shape.vgprs)
      address = wave.area + r.vgprs + uint64_t(reg.index) * r.shape.lanes * 4;
    else // two rows of 32 lanes each
      address =
          wave.area + r.sharedVgprs + uint64_t(reg.index - r.shape.vgprs) * 256;
    return Success;
  case RegisterKind::AccVector:
    address = wave.area + r.accVgprs + uint64_t(reg.index) * r.shape.lanes * 4;
    return Success;
  case RegisterKind::Scalar:
  case RegisterKind::ScalarAlias:
    address = wave.area + r.sgprs + uint64_t(reg.index) * 4;
    return Success;
  case RegisterKind::Trap:
    address = wave.area + r.ttmps + uint64_t(reg.index) * 4;
    return Success;
  case RegisterKind::Hardware:
    return word(HwReg(reg.index));
  case RegisterKind::PC:
    return word(HwReg::PCLo);
  case RegisterKind::XnackMask:
    return word(HwReg::XnackMaskLo);
  case RegisterKind::FlatScratch:
    if (arch.generation() != 9)
      return word(HwReg::FlatScratchLo);
    address = wave.area + r.sgprs +
              uint64_t(flatScratchIndex(arch, r.shape.sgprs)) * 4;
    return Success;
  case RegisterKind::Status:
    return word(HwReg::Status);
  case RegisterKind::Exec:
    return word(HwReg::ExecLo);
  case RegisterKind::Vcc:
    address = wave.area + r.sgprs + uint64_t(vccIndex(arch, r.shape.sgprs)) * 4;
    return Success;
  }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
}

Status WaveRegisters::endStep(Wave &wave) {
  return hasStatePriv(archOf(wave))
             ? setHw(wave, HwReg::TrapCtrl,
                     hw(wave, HwReg::TrapCtrl) & ~TrapCtrlStep)
             : setHw(wave, HwReg::Mode, hw(wave, HwReg::Mode) & ~ModeStep);
}

Status WaveRegisters::setWatch(Wave &wave, bool on) {
  const bool apart = hasStatePriv(archOf(wave));
  const HwReg which = apart ? HwReg::TrapCtrl : HwReg::Mode;
  const uint32_t bit = apart ? TrapCtrlWatch : ModeWatch;
  const uint32_t value = hw(wave, which);
  return setHw(wave, which, on ? value | bit : value & ~bit);
}

//===-- Reading -----------------------------------------------------------===//

static bool isScalar(const Register &reg) {
  return reg.kind == RegisterKind::Scalar ||
         reg.kind == RegisterKind::ScalarAlias ||
         reg.kind == RegisterKind::Vcc || reg.kind == RegisterKind::FlatScratch;
}

/// A hardware register as the wave has it: debugging's own bits are not the
/// wave's.
uint32_t WaveRegisters::ownBits(const Wave &wave, HwReg which) const {
  const uint32_t value = hw(wave, which);
  if (!(wave.ttmps[6] & Stopped))
    return value;
  const bool halted = wave.ttmps[6] & SavedHalt;
  if (which == HwReg::Status && !hasStatePriv(archOf(wave)))
    return (value & ~(StatusHalt | StatusSkipExport)) |
           (halted ? StatusHalt : 0);
  if (which == HwReg::StatePriv)
    return (value & ~StatePrivHalt) | (halted ? StatePrivHalt : 0);
  return value;
}

/// What a stopped wave's summary holds.
std::optional<uint64_t> WaveRegisters::summary(const Wave &wave,
                                               const Register &reg) const {
  auto pair = [&](HwReg low, HwReg high) {
    return hw(wave, low) | uint64_t(hw(wave, high)) << 32;
  };
  switch (reg.kind) {
  case RegisterKind::PC:
    return pc(wave);
  case RegisterKind::Exec:
    return exec(wave);
  case RegisterKind::Trap:
    return wave.ttmps[reg.index];
  case RegisterKind::Status:
    return ownBits(wave, HwReg::Status);
  case RegisterKind::Hardware:
    return ownBits(wave, HwReg(reg.index));
  case RegisterKind::XnackMask:
    return pair(HwReg::XnackMaskLo, HwReg::XnackMaskHi);
  case RegisterKind::FlatScratch:
    if (archOf(wave).arch->generation() == 9)
      return std::nullopt;
    return pair(HwReg::FlatScratchLo, HwReg::FlatScratchHi);
  default:
    return std::nullopt;
  }
}

Status WaveRegisters::readScalar(Wave &wave, const Register &reg,
                                 uint64_t offset, uint64_t size, void *value) {
  const Architecture &arch = *archOf(wave).arch;
  const unsigned sgprs = wave.record.shape.sgprs;
  uint32_t words[2] = {};
  if (Status status =
          readSgpr(wave,
                   reg.kind == RegisterKind::Vcc ? vccIndex(arch, sgprs)
                   : reg.kind == RegisterKind::FlatScratch
                       ? flatScratchIndex(arch, sgprs)
                       : reg.index,
                   reg.size / 4, words))
    return status;
  memcpy(value, reinterpret_cast<uint8_t *>(words) + offset, size);
  return Success;
}

std::optional<Status> WaveRegisters::readKnown(Wave &wave, const Register &reg,
                                               uint64_t offset, uint64_t size,
                                               void *value) {
  if (std::optional<uint64_t> bits = summary(wave, reg)) {
    memcpy(value, reinterpret_cast<uint8_t *>(&*bits) + offset, size);
    return Success;
  }
  if (isScalar(reg) && !wave.sgprs.empty())
    return readScalar(wave, reg, offset, size, value);
  return std::nullopt;
}

Status WaveRegisters::read(Wave &wave, const Register &reg, uint64_t offset,
                           uint64_t size, void *value) {
  if (isScalar(reg))
    return readScalar(wave, reg, offset, size, value);
  uint64_t address = 0;
  if (Status status = place(wave, reg, address))
    return status;
  if (Status status = save(wave))
    return status;
  return memory.readAll(address + offset, value, size);
}

Status WaveRegisters::readPair(Wave &wave, unsigned pair, uint64_t &value) {
  uint32_t words[2] = {};
  const Status status = readSgpr(
      wave,
      pair == PairVcc ? vccIndex(*archOf(wave).arch, wave.record.shape.sgprs)
                      : pair,
      2, words);
  value = words[0] | uint64_t(words[1]) << 32;
  return status;
}

//===-- Writing -----------------------------------------------------------===//

Status WaveRegisters::writePair(Wave &wave, unsigned pair, uint64_t value) {
  const unsigned index =
      pair == PairVcc ? vccIndex(*archOf(wave).arch, wave.record.shape.sgprs)
                      : pair;
  const uint32_t words[2] = {uint32_t(value), uint32_t(value >> 32)};
  wave.sgprs.clear();
  return memory.writeAll(wave.area + wave.record.sgprs + index * 4, words, 8);
}

/// Changes the bits that are the wave's.
Status WaveRegisters::writeHardware(Wave &wave, HwReg which, uint32_t value) {
  uint32_t writable = ~0u;
  if (which == HwReg::Status)
    writable = hasStatePriv(archOf(wave)) ? 0 : 1; // SCC
  else if (which == HwReg::StatePriv)
    writable = 1u << 9;
  else if (which == HwReg::Mode)
    writable = ~(ModeStep | ModeWatch);
  else if (which == HwReg::TrapCtrl)
    writable = 0x7f;
  return setHw(wave, which, (hw(wave, which) & ~writable) | (value & writable));
}

Status WaveRegisters::write(Wave &wave, const Register &reg, uint64_t offset,
                            uint64_t size, const void *value) {
  auto merged = [&](uint64_t old) {
    memcpy(reinterpret_cast<uint8_t *>(&old) + offset, value, size);
    return old;
  };
  switch (reg.kind) {
  case RegisterKind::PC:
    // Instructions are aligned to words, in 48 bits of address.
    return setPC(wave, merged(pc(wave)) & 0xfffffffffffc);
  case RegisterKind::Status:
    return writeHardware(wave, HwReg::Status,
                         uint32_t(merged(hw(wave, HwReg::Status))));
  case RegisterKind::Hardware:
    return writeHardware(wave, HwReg(reg.index),
                         uint32_t(merged(hw(wave, HwReg(reg.index)))));
  case RegisterKind::Exec: {
    const uint64_t mask = merged(exec(wave));
    if (Status status = setHw(wave, HwReg::ExecLo, uint32_t(mask)))
      return status;
    return reg.size == 8 ? setHw(wave, HwReg::ExecHi, uint32_t(mask >> 32))
                         : Success;
  }
  case RegisterKind::Trap:
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  default:
    break;
  }
  uint64_t address = 0;
  if (Status status = place(wave, reg, address))
    return status;
  if (Status status = save(wave))
    return status;
  if (Status status = memory.writeAll(address + offset, value, size))
    return status;
  wave.sgprs.clear();
  // Keep the summary true.
  uint32_t block[32];
  if (Status status =
          memory.readAll(wave.area + wave.record.hwregs, block, sizeof(block)))
    return status;
  memcpy(wave.hw, block, sizeof(wave.hw));
  memcpy(wave.ttmps, block + 16, sizeof(wave.ttmps));
  memcpy(wave.saved, block, sizeof(block));
  return Success;
}

} // namespace wavelane::library
