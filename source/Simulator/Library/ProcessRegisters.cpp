//===-- ProcessRegisters.cpp - Registers of waves -------------------------===//

#include "WaveState.h"
#include <cstring>
#include <utility>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::embedded {

//===-- Hardware registers of a record ------------------------------------===//

uint32_t Process::hw(const Wave &wave, HwReg reg) const {
  std::optional<unsigned> word = wordOf(*archOf(wave).arch, reg);
  return word ? wave.hw[*word] : 0;
}

Status Process::setHw(Wave &wave, HwReg reg, uint32_t value) {
  std::optional<unsigned> word = wordOf(*archOf(wave).arch, reg);
  if (!word)
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  wave.hw[*word] = value;
  noteChange(wave);
  return Success;
}

Status Process::setTtmp(Wave &wave, unsigned index, uint32_t value) {
  wave.ttmps[index] = value;
  noteChange(wave);
  return Success;
}

void Process::noteChange(Wave &wave) {
  if (!wave.changed)
    changedWaves.push_back(wave.id);
  wave.changed = true;
}

Status Process::save(Wave &wave) {
  if (!wave.changed || core)
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
  return writeAll(wave.area + wave.record.hwregs + first * 4, block + first,
                  (end - first) * 4);
}

Status Process::saveAll() {
  Status result = Success;
  for (uint64_t id : std::exchange(changedWaves, {})) {
    auto found = waves.find(id);
    if (found == waves.end() || !found->second->changed)
      continue;
    if (Status status = save(*found->second))
      result = status;
  }
  return result;
}

uint64_t Process::pc(const Wave &wave) const {
  const ArchitectureInfo &a = archOf(wave);
  if (wave.ttmps[6] & Stopped && a.arch->family().parks(rdebugVersion))
    return wave.ttmps[hasStatePriv(a) ? 10 : 7] |
           uint64_t(wave.ttmps[11] >> 7 & 0xffff) << 32;
  return hw(wave, HwReg::PCLo) | uint64_t(hw(wave, HwReg::PCHi)) << 32;
}

Status Process::setPC(Wave &wave, uint64_t pc) {
  const ArchitectureInfo &a = archOf(wave);
  if (Status status = setHw(wave, HwReg::PCLo, uint32_t(pc)))
    return status;
  if (Status status = setHw(wave, HwReg::PCHi, uint32_t(pc >> 32) & 0xffff))
    return status;
  if (!(wave.ttmps[6] & Stopped) || !a.arch->family().parks(rdebugVersion))
    return Success;
  if (Status status = setTtmp(wave, hasStatePriv(a) ? 10 : 7, uint32_t(pc)))
    return status;
  return setTtmp(wave, 11,
                 (wave.ttmps[11] & ~(0xffffu << 7)) |
                     (uint32_t(pc >> 32) & 0xffff) << 7);
}

uint64_t Process::exec(const Wave &wave) const {
  uint64_t value = hw(wave, HwReg::ExecLo);
  if (wave.record.shape.lanes == 64)
    value |= uint64_t(hw(wave, HwReg::ExecHi)) << 32;
  return value;
}

/// Stops a wave that runs, as the trap handler would.
Status Process::haltWave(Wave &wave) {
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

Status Process::unhaltWave(Wave &wave, bool step) {
  const ArchitectureInfo &a = archOf(wave);
  const bool statePriv = hasStatePriv(a);
  const uint64_t at = pc(wave);
  const bool savedHalt = wave.ttmps[6] & SavedHalt;
  const uint32_t trapsts = hw(wave, HwReg::TrapSts);
  const gpu::Family &family = a.arch->family();
  // What has been reported does not count again.
  const uint32_t reported =
      statePriv ? 0x185fu : 0x7fu | 1u << 7 | 1u << 8 | 1u << 11 | 7u << 12 | 1u << 28 |
                  (family.StepFlag >= 0 ? 1u << family.StepFlag : 0);
  if (trapsts & reported)
    if (Status status = setHw(wave, HwReg::TrapSts, trapsts & ~reported))
      return status;
  if (statePriv) {
    if (Status status =
            setHw(wave, HwReg::ExcpFlagUser, hw(wave, HwReg::ExcpFlagUser) & ~0x7fu))
      return status;
    const uint32_t control = hw(wave, HwReg::TrapCtrl) & ~TrapCtrlStep;
    if (Status status = setHw(wave, HwReg::TrapCtrl,
                              control | (step ? TrapCtrlStep : 0)))
      return status;
    const uint32_t priv = hw(wave, HwReg::StatePriv) & ~StatePrivHalt;
    if (Status status = setHw(wave, HwReg::StatePriv,
                              priv | (savedHalt ? StatePrivHalt : 0)))
      return status;
  } else {
    const uint32_t mode = hw(wave, HwReg::Mode) & ~ModeStep;
    if (Status status =
            setHw(wave, HwReg::Mode, mode | (step ? ModeStep : 0)))
      return status;
    const uint32_t value =
        hw(wave, HwReg::Status) & ~(StatusHalt | StatusSkipExport);
    if (Status status = setHw(wave, HwReg::Status,
                              value | (savedHalt ? StatusHalt : 0)))
      return status;
  }
  if (Status status = setTtmp(wave, 6,
                              wave.ttmps[6] &
                                  ~(15u << TrapIdShift | SavedHalt | Stopped)))
    return status;
  return setPC(wave, at);
}

//===-- Registers ---------------------------------------------------------===//

bool Process::exists(const Wave &wave, const Register &reg) const {
  const WaveShape &shape = wave.record.shape;
  const ArchitectureInfo &info = archOf(wave);
  if (reg.lanes && reg.lanes != shape.lanes)
    return false;
  const unsigned shadowed = shape.sgprs >= 108 ? 102 : shape.sgprs >= 6 ? shape.sgprs - 6 : 0;
  switch (reg.kind) {
  case RegisterKind::Vector:
    return reg.index < shape.vgprs + (shape.lanes == 64 ? shape.sharedVgprs / 2 : 0) &&
           !(info.arch->generation() >= 11 &&
             hw(wave, HwReg::Status) & 1u << 24);
  case RegisterKind::AccVector:
    return reg.index < shape.accVgprs;
  case RegisterKind::Scalar:
    return info.arch->generation() == 9 ? reg.index < shadowed : reg.index < 106;
  case RegisterKind::ScalarAlias:
    return info.arch->generation() == 9 && reg.index >= shadowed &&
           reg.index < shape.sgprs;
  case RegisterKind::XnackMask:
    return info.arch->generation() == 9 || shape.lanes == 32;
  default:
    return true;
  }
}

Status Process::readSgpr(Wave &wave, unsigned index, unsigned count,
                         uint32_t *value) {
  const unsigned all = wave.record.shape.sgprs;
  if (index + count > all)
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  if (wave.sgprs.empty() && all) {
    wave.sgprs.resize(all);
    if (Status status = readAll(wave.area + wave.record.sgprs,
                                wave.sgprs.data(), uint64_t(all) * 4)) {
      wave.sgprs.clear();
      return status;
    }
  }
  memcpy(value, wave.sgprs.data() + index, count * 4);
  return Success;
}

/// Where a register's bytes stand, if they stand together.
Status Process::registerPlace(Wave &wave, const Register &reg,
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
      address = wave.area + r.sharedVgprs +
                uint64_t(reg.index - r.shape.vgprs) * 256;
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
    address =
        wave.area + r.sgprs + uint64_t(vccIndex(arch, r.shape.sgprs)) * 4;
    return Success;
  }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
}

Status Process::readRegister(uint64_t id, const Register &reg, uint64_t offset,
                             uint64_t size, void *value) {
  auto found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Wave *wave = found->second.get();
  if (wave->state != AMD_DBGAPI_WAVE_STATE_STOP)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  if (!exists(*wave, reg))
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  const Architecture &arch = *archOf(*wave).arch;

  // What a stopped wave's summary holds costs nothing.
  uint8_t bytes[8];
  bool small = true;
  switch (reg.kind) {
  case RegisterKind::PC: {
    const uint64_t v = pc(*wave);
    memcpy(bytes, &v, 8);
    break;
  }
  case RegisterKind::Exec: {
    const uint64_t v = exec(*wave);
    memcpy(bytes, &v, 8);
    break;
  }
  case RegisterKind::Trap:
    memcpy(bytes, &wave->ttmps[reg.index], 4);
    break;
  case RegisterKind::Status:
  case RegisterKind::Hardware: {
    const HwReg which = reg.kind == RegisterKind::Status ? HwReg::Status
                                                         : HwReg(reg.index);
    uint32_t v = hw(*wave, which);
    // Debugging's own bits are not the wave's.
    const bool saved = wave->ttmps[6] & SavedHalt;
    if (wave->ttmps[6] & Stopped) {
      if (which == HwReg::Status && !arch.family().HasStatePriv)
        v = (v & ~(StatusHalt | StatusSkipExport)) | (saved ? StatusHalt : 0);
      if (which == HwReg::StatePriv)
        v = (v & ~StatePrivHalt) | (saved ? StatePrivHalt : 0);
    }
    memcpy(bytes, &v, 4);
    break;
  }
  case RegisterKind::XnackMask: {
    const uint64_t v = hw(*wave, HwReg::XnackMaskLo) |
                       uint64_t(hw(*wave, HwReg::XnackMaskHi)) << 32;
    memcpy(bytes, &v, 8);
    break;
  }
  case RegisterKind::FlatScratch:
    small = arch.generation() != 9;
    if (small) {
      const uint64_t v = hw(*wave, HwReg::FlatScratchLo) |
                         uint64_t(hw(*wave, HwReg::FlatScratchHi)) << 32;
      memcpy(bytes, &v, 8);
    }
    break;
  default:
    small = false;
    break;
  }
  if (small) {
    memcpy(value, bytes + offset, size);
    return Success;
  }

  const bool scalar = reg.kind == RegisterKind::Scalar ||
                      reg.kind == RegisterKind::ScalarAlias ||
                      reg.kind == RegisterKind::Vcc ||
                      reg.kind == RegisterKind::FlatScratch;
  auto fromCache = [&]() {
    uint32_t words[2] = {};
    unsigned index = reg.index;
    if (reg.kind == RegisterKind::Vcc)
      index = vccIndex(arch, wave->record.shape.sgprs);
    if (reg.kind == RegisterKind::FlatScratch)
      index = flatScratchIndex(arch, wave->record.shape.sgprs);
    const Status status = readSgpr(*wave, index, reg.size / 4, words);
    if (!status)
      memcpy(value, reinterpret_cast<uint8_t *>(words) + offset, size);
    return status;
  };
  if (scalar && !wave->sgprs.empty())
    return fromCache();

  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  wave = found->second.get();
  if (scalar)
    return fromCache();
  uint64_t address = 0;
  if (Status status = registerPlace(*wave, reg, address))
    return status;
  if (Status status = save(*wave))
    return status;
  return readAll(address + offset, value, size);
}

Status Process::writeRegister(uint64_t id, const Register &reg, uint64_t offset,
                              uint64_t size, const void *value) {
  if (frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  auto found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (found->second->state != AMD_DBGAPI_WAVE_STATE_STOP)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  if (!exists(*found->second, reg))
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  if (core) // a core's memory is what it is
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  Suspended scope(*this);
  if (scope.status)
    return scope.status;
  found = waves.find(id);
  if (found == waves.end())
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Wave &wave = *found->second;
  const Architecture &arch = *archOf(wave).arch;
  auto merged = [&](uint64_t old) {
    memcpy(reinterpret_cast<uint8_t *>(&old) + offset, value, size);
    return old;
  };
  switch (reg.kind) {
  case RegisterKind::PC:
    // Instructions are aligned to words, in 48 bits of address.
    return setPC(wave, merged(pc(wave)) & 0xfffffffffffc);
  case RegisterKind::Status:
  case RegisterKind::Hardware: {
    const HwReg which = reg.kind == RegisterKind::Status ? HwReg::Status
                                                         : HwReg(reg.index);
    uint32_t writable = ~0u;
    if (which == HwReg::Status)
      writable = arch.family().HasStatePriv ? 0 : 1; // SCC
    else if (which == HwReg::StatePriv)
      writable = 1u << 9;
    else if (which == HwReg::Mode)
      writable = ~(ModeStep | 1u << 19); // not steps and watchpoints
    else if (which == HwReg::TrapCtrl)
      writable = 0x7f;
    const uint32_t old = hw(wave, which);
    const uint32_t wanted = uint32_t(merged(old));
    return setHw(wave, which, (old & ~writable) | (wanted & writable));
  }
  case RegisterKind::Exec: {
    const uint64_t v = merged(exec(wave));
    if (Status status = setHw(wave, HwReg::ExecLo, uint32_t(v)))
      return status;
    if (reg.size == 8)
      return setHw(wave, HwReg::ExecHi, uint32_t(v >> 32));
    return Success;
  }
  case RegisterKind::Trap:
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  default:
    break;
  }
  uint64_t address = 0;
  if (Status status = registerPlace(wave, reg, address))
    return status;
  if (Status status = save(wave))
    return status;
  if (Status status = writeAll(address + offset, value, size))
    return status;
  wave.sgprs.clear();
  // Keep the summary true.
  uint32_t block[32];
  if (Status status =
          readAll(wave.area + wave.record.hwregs, block, sizeof(block)))
    return status;
  memcpy(wave.hw, block, sizeof(wave.hw));
  memcpy(wave.ttmps, block + 16, sizeof(wave.ttmps));
  memcpy(wave.saved, block, sizeof(block));
  return Success;
}

} // namespace wavelane::embedded
