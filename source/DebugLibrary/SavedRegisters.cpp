//===-- SavedRegisters.cpp - The registers of saved waves -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SavedRegisters.h"
#include "WaveState.h"

#include "wavelane/GPU/Features.h"
#include <cstring>
#include <utility>

using namespace wavelane::savearea;
using namespace llvm;

namespace wavelane::library {

//===-- Hardware registers of a record ------------------------------------===//

uint32_t WaveRegisters::hw(const Wave &W, HwReg Reg) const {
  std::optional<unsigned> Word = wordOf(*archOf(W).Arch, Reg);
  return Word ? W.Hw[*Word] : 0;
}

Status WaveRegisters::setHw(Wave &W, HwReg Reg, uint32_t Value) {
  std::optional<unsigned> Word = wordOf(*archOf(W).Arch, Reg);
  if (!Word)
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  W.Hw[*Word] = Value;
  noteChange(W);
  return Success;
}

Status WaveRegisters::setTtmp(Wave &W, unsigned Index, uint32_t Value) {
  W.Ttmps[Index] = Value;
  noteChange(W);
  return Success;
}

void WaveRegisters::noteChange(Wave &W) {
  if (!W.Changed)
    ChangedWaves.push_back(W.Id);
  W.Changed = true;
}

void WaveRegisters::saveOnRequest() {
  OnRequest = Conn.askRegisters(simulator::EveryQueue) >= 0;
}

Status WaveRegisters::fetch(Wave &W) const {
  if (!OnRequest || W.HasRegisters)
    return Success;
  if (Conn.askRegisters(W.Q->Entry.queue_id, W.Position) < 0)
    return AMD_DBGAPI_STATUS_ERROR;
  W.HasRegisters = true;
  return Success;
}

Status WaveRegisters::fetchAll(const Queue &Q) const {
  if (!OnRequest || Q.Waves.empty() || Conn.askRegisters(Q.Entry.queue_id) >= 0)
    return Success;
  return AMD_DBGAPI_STATUS_ERROR;
}

void WaveRegisters::noteWrite(Wave &W) const {
  if (!std::exchange(W.Written, true))
    W.Q->Written.push_back(W.Position);
}

Status WaveRegisters::save(Wave &W) {
  if (!W.Changed || Facts.Core)
    return Success;
  uint32_t Block[32];
  memcpy(Block, W.Hw, sizeof(W.Hw));
  memcpy(Block + 16, W.Ttmps, sizeof(W.Ttmps));
  W.Changed = false;
  unsigned First = 0, End = 32;
  while (First < End && Block[First] == W.Saved[First])
    ++First;
  while (End > First && Block[End - 1] == W.Saved[End - 1])
    --End;
  if (First == End)
    return Success;
  memcpy(W.Saved, Block, sizeof(Block));
  noteWrite(W);
  return Memory.writeAll(W.Area + W.Record.Hwregs + First * 4, Block + First,
                         (End - First) * 4);
}

Status WaveRegisters::saveAll() {
  Status Result = Success;
  for (uint64_t Id : std::exchange(ChangedWaves, {})) {
    auto Match = List.Waves.find(Id);
    if (Match == List.Waves.end() || !Match->second->Changed)
      continue;
    if (Status Outcome = save(*Match->second))
      Result = Outcome;
  }
  return Result;
}

uint64_t WaveRegisters::pc(const Wave &W) const {
  const ArchitectureInfo &A = archOf(W);
  if (W.Ttmps[6] & Stopped && A.Arch->family().parks(Facts.RdebugVersion))
    return W.Ttmps[hasStatePriv(A) ? 10 : 7] |
           uint64_t(W.Ttmps[11] >> 7 & 0xffff) << 32;
  return hw(W, HwReg::PCLo) | uint64_t(hw(W, HwReg::PCHi)) << 32;
}

Status WaveRegisters::setPC(Wave &W, uint64_t Pc) {
  const ArchitectureInfo &A = archOf(W);
  if (Status Outcome = setHw(W, HwReg::PCLo, uint32_t(Pc)))
    return Outcome;
  if (Status Outcome = setHw(W, HwReg::PCHi, uint32_t(Pc >> 32) & 0xffff))
    return Outcome;
  if (!(W.Ttmps[6] & Stopped) || !A.Arch->family().parks(Facts.RdebugVersion))
    return Success;
  if (Status Outcome = setTtmp(W, hasStatePriv(A) ? 10 : 7, uint32_t(Pc)))
    return Outcome;
  return setTtmp(W, 11,
                 (W.Ttmps[11] & ~(0xffffu << 7)) | (uint32_t(Pc >> 32) & 0xffff)
                                                       << 7);
}

uint64_t WaveRegisters::exec(const Wave &W) const {
  uint64_t Value = hw(W, HwReg::ExecLo);
  if (W.Record.Shape.Lanes == 64)
    Value |= uint64_t(hw(W, HwReg::ExecHi)) << 32;
  return Value;
}

/// Stops a running wave, as the trap handler would.
Status WaveRegisters::halt(Wave &W) {
  const ArchitectureInfo &A = archOf(W);
  const uint64_t At = pc(W);
  const bool StatePriv = hasStatePriv(A);
  const HwReg Reg = StatePriv ? HwReg::StatePriv : HwReg::Status;
  const uint32_t Bit = StatePriv ? StatePrivHalt : StatusHalt;
  const uint32_t Old = hw(W, Reg);
  if (Status Outcome = setTtmp(W, 6,
                               (W.Ttmps[6] & ~(0x1fu << TrapIdShift)) |
                                   Stopped | (Old & Bit ? SavedHalt : 0)))
    return Outcome;
  if (Status Outcome =
          setHw(W, Reg, Old | Bit | (StatePriv ? 0 : StatusSkipExport)))
    return Outcome;
  return setPC(W, At);
}

Status WaveRegisters::unhalt(Wave &W, bool Step) {
  const ArchitectureInfo &A = archOf(W);
  const bool StatePriv = hasStatePriv(A);
  const uint64_t At = pc(W);
  const bool WasHalted = W.Ttmps[6] & SavedHalt;
  const uint32_t Trapsts = hw(W, HwReg::TrapSts);
  const gpu::Family &Family = A.Arch->family();
  // Exceptions that were reported don't count again.
  const uint32_t Reported =
      StatePriv ? 0x185fu
                : 0x7fu | 1u << 7 | 1u << 8 | 1u << 11 | 7u << 12 | 1u << 28 |
                      (Family.StepFlag >= 0 ? 1u << Family.StepFlag : 0);
  if (Trapsts & Reported)
    if (Status Outcome = setHw(W, HwReg::TrapSts, Trapsts & ~Reported))
      return Outcome;
  if (StatePriv) {
    if (Status Outcome =
            setHw(W, HwReg::ExcpFlagUser, hw(W, HwReg::ExcpFlagUser) & ~0x7fu))
      return Outcome;
    const uint32_t Control = hw(W, HwReg::TrapCtrl) & ~TrapCtrlStep;
    if (Status Outcome =
            setHw(W, HwReg::TrapCtrl, Control | (Step ? TrapCtrlStep : 0)))
      return Outcome;
    const uint32_t Priv = hw(W, HwReg::StatePriv) & ~StatePrivHalt;
    if (Status Outcome =
            setHw(W, HwReg::StatePriv, Priv | (WasHalted ? StatePrivHalt : 0)))
      return Outcome;
  } else {
    const uint32_t Mode = hw(W, HwReg::Mode) & ~ModeStep;
    if (Status Outcome = setHw(W, HwReg::Mode, Mode | (Step ? ModeStep : 0)))
      return Outcome;
    const uint32_t Value =
        hw(W, HwReg::Status) & ~(StatusHalt | StatusSkipExport);
    if (Status Outcome =
            setHw(W, HwReg::Status, Value | (WasHalted ? StatusHalt : 0)))
      return Outcome;
  }
  if (Status Outcome = setTtmp(
          W, 6, W.Ttmps[6] & ~(15u << TrapIdShift | SavedHalt | Stopped)))
    return Outcome;
  return setPC(W, At);
}

//===-- Registers ---------------------------------------------------------===//

bool WaveRegisters::exists(const Wave &W, const Register &Reg) const {
  const WaveShape &Shape = W.Record.Shape;
  const ArchitectureInfo &Info = archOf(W);
  if (Reg.Lanes && Reg.Lanes != Shape.Lanes)
    return false;
  const unsigned Shadowed = Shape.Sgprs >= 108 ? 102
                            : Shape.Sgprs >= 6 ? Shape.Sgprs - 6
                                               : 0;
  switch (Reg.Kind) {
  case RegisterKind::Vector:
    return Reg.Index <
               Shape.Vgprs + (Shape.Lanes == 64 ? Shape.SharedVgprs / 2 : 0) &&
           !(gpu::features(*Info.Arch).HasNoVgprsStatus &&
             hw(W, HwReg::Status) & 1u << 24);
  case RegisterKind::AccVector:
    return Reg.Index < Shape.AccVgprs;
  case RegisterKind::Scalar:
    return gpu::features(*Info.Arch).HasScratchSgprs ? Reg.Index < Shadowed
                                                     : Reg.Index < 106;
  case RegisterKind::ScalarAlias:
    return gpu::features(*Info.Arch).HasScratchSgprs && Reg.Index >= Shadowed &&
           Reg.Index < Shape.Sgprs;
  case RegisterKind::XnackMask:
    return gpu::features(*Info.Arch).HasScratchSgprs || Shape.Lanes == 32;
  default:
    return true;
  }
}

Status WaveRegisters::readSgpr(Wave &W, unsigned Index, unsigned Count,
                               uint32_t *Value) {
  const unsigned All = W.Record.Shape.Sgprs;
  if (Index + Count > All)
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  if (W.Sgprs.empty() && All) {
    W.Sgprs.resize(All);
    if (Status Outcome = Memory.readAll(W.Area + W.Record.Sgprs, W.Sgprs.data(),
                                        uint64_t(All) * 4)) {
      W.Sgprs.clear();
      return Outcome;
    }
  }
  memcpy(Value, W.Sgprs.data() + Index, Count * 4);
  return Success;
}

/// The location of a register's bytes, if they are contiguous.
Status WaveRegisters::place(Wave &W, const Register &Reg, uint64_t &Address) {
  const WaveRecord &R = W.Record;
  const Architecture &Arch = *archOf(W).Arch;
  auto Word = [&](HwReg Which) {
    Address = W.Area + R.Hwregs + uint64_t(*wordOf(Arch, Which)) * 4;
    return Success;
  };
  switch (Reg.Kind) {
  case RegisterKind::Vector:
    if (Reg.Index < R.Shape.Vgprs)
      Address = W.Area + R.Vgprs + uint64_t(Reg.Index) * R.Shape.Lanes * 4;
    else // two rows of 32 lanes each
      Address =
          W.Area + R.SharedVgprs + uint64_t(Reg.Index - R.Shape.Vgprs) * 256;
    return Success;
  case RegisterKind::AccVector:
    Address = W.Area + R.AccVgprs + uint64_t(Reg.Index) * R.Shape.Lanes * 4;
    return Success;
  case RegisterKind::Scalar:
  case RegisterKind::ScalarAlias:
    Address = W.Area + R.Sgprs + uint64_t(Reg.Index) * 4;
    return Success;
  case RegisterKind::Trap:
    Address = W.Area + R.Ttmps + uint64_t(Reg.Index) * 4;
    return Success;
  case RegisterKind::Hardware:
    return Word(HwReg(Reg.Index));
  case RegisterKind::PC:
    return Word(HwReg::PCLo);
  case RegisterKind::XnackMask:
    return Word(HwReg::XnackMaskLo);
  case RegisterKind::FlatScratch:
    if (!gpu::features(Arch).HasScratchSgprs)
      return Word(HwReg::FlatScratchLo);
    Address =
        W.Area + R.Sgprs + uint64_t(flatScratchIndex(Arch, R.Shape.Sgprs)) * 4;
    return Success;
  case RegisterKind::Status:
    return Word(HwReg::Status);
  case RegisterKind::Exec:
    return Word(HwReg::ExecLo);
  case RegisterKind::Vcc:
    Address = W.Area + R.Sgprs + uint64_t(vccIndex(Arch, R.Shape.Sgprs)) * 4;
    return Success;
  }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
}

Status WaveRegisters::endStep(Wave &W) {
  return hasStatePriv(archOf(W))
             ? setHw(W, HwReg::TrapCtrl, hw(W, HwReg::TrapCtrl) & ~TrapCtrlStep)
             : setHw(W, HwReg::Mode, hw(W, HwReg::Mode) & ~ModeStep);
}

Status WaveRegisters::setWatch(Wave &W, bool On) {
  const bool Apart = hasStatePriv(archOf(W));
  const HwReg Which = Apart ? HwReg::TrapCtrl : HwReg::Mode;
  const uint32_t Bit = Apart ? TrapCtrlWatch : ModeWatch;
  const uint32_t Value = hw(W, Which);
  return setHw(W, Which, On ? Value | Bit : Value & ~Bit);
}

//===-- Reading -----------------------------------------------------------===//

static bool isScalar(const Register &Reg) {
  return Reg.Kind == RegisterKind::Scalar ||
         Reg.Kind == RegisterKind::ScalarAlias ||
         Reg.Kind == RegisterKind::Vcc || Reg.Kind == RegisterKind::FlatScratch;
}

/// A hardware register without the bits that debugging has changed.
uint32_t WaveRegisters::ownBits(const Wave &W, HwReg Which) const {
  const uint32_t Value = hw(W, Which);
  if (!(W.Ttmps[6] & Stopped))
    return Value;
  const bool Halted = W.Ttmps[6] & SavedHalt;
  if (Which == HwReg::Status && !hasStatePriv(archOf(W)))
    return (Value & ~(StatusHalt | StatusSkipExport)) |
           (Halted ? StatusHalt : 0);
  if (Which == HwReg::StatePriv)
    return (Value & ~StatePrivHalt) | (Halted ? StatePrivHalt : 0);
  return Value;
}

/// The value of a register in a stopped wave's summary.
std::optional<uint64_t> WaveRegisters::summary(const Wave &W,
                                               const Register &Reg) const {
  auto Pair = [&](HwReg Low, HwReg High) {
    return hw(W, Low) | uint64_t(hw(W, High)) << 32;
  };
  switch (Reg.Kind) {
  case RegisterKind::PC:
    return pc(W);
  case RegisterKind::Exec:
    return exec(W);
  case RegisterKind::Trap:
    return W.Ttmps[Reg.Index];
  case RegisterKind::Status:
    return ownBits(W, HwReg::Status);
  case RegisterKind::Hardware:
    return ownBits(W, HwReg(Reg.Index));
  case RegisterKind::XnackMask:
    return Pair(HwReg::XnackMaskLo, HwReg::XnackMaskHi);
  case RegisterKind::FlatScratch:
    if (gpu::features(*archOf(W).Arch).HasScratchSgprs)
      return std::nullopt;
    return Pair(HwReg::FlatScratchLo, HwReg::FlatScratchHi);
  default:
    return std::nullopt;
  }
}

Status WaveRegisters::readScalar(Wave &W, const Register &Reg, uint64_t Offset,
                                 uint64_t Size, void *Value) {
  const Architecture &Arch = *archOf(W).Arch;
  const unsigned Sgprs = W.Record.Shape.Sgprs;
  uint32_t Words[2] = {};
  if (Status Outcome =
          readSgpr(W,
                   Reg.Kind == RegisterKind::Vcc ? vccIndex(Arch, Sgprs)
                   : Reg.Kind == RegisterKind::FlatScratch
                       ? flatScratchIndex(Arch, Sgprs)
                       : Reg.Index,
                   Reg.Size / 4, Words))
    return Outcome;
  memcpy(Value, reinterpret_cast<uint8_t *>(Words) + Offset, Size);
  return Success;
}

std::optional<Status> WaveRegisters::readKnown(Wave &W, const Register &Reg,
                                               uint64_t Offset, uint64_t Size,
                                               void *Value) {
  if (std::optional<uint64_t> Bits = summary(W, Reg)) {
    memcpy(Value, reinterpret_cast<uint8_t *>(&*Bits) + Offset, Size);
    return Success;
  }
  if (isScalar(Reg) && !W.Sgprs.empty())
    return readScalar(W, Reg, Offset, Size, Value);
  return std::nullopt;
}

Status WaveRegisters::read(Wave &W, const Register &Reg, uint64_t Offset,
                           uint64_t Size, void *Value) {
  if (isScalar(Reg))
    return readScalar(W, Reg, Offset, Size, Value);
  uint64_t Address = 0;
  if (Status Outcome = place(W, Reg, Address))
    return Outcome;
  if (Status Outcome = save(W))
    return Outcome;
  if (Status Outcome = fetch(W))
    return Outcome;
  return Memory.readAll(Address + Offset, Value, Size);
}

Status WaveRegisters::readPair(Wave &W, unsigned Pair, uint64_t &Value) {
  uint32_t Words[2] = {};
  const Status Outcome = readSgpr(
      W,
      Pair == PairVcc ? vccIndex(*archOf(W).Arch, W.Record.Shape.Sgprs) : Pair,
      2, Words);
  Value = Words[0] | uint64_t(Words[1]) << 32;
  return Outcome;
}

//===-- Writing -----------------------------------------------------------===//

Status WaveRegisters::writePair(Wave &W, unsigned Pair, uint64_t Value) {
  const unsigned Index =
      Pair == PairVcc ? vccIndex(*archOf(W).Arch, W.Record.Shape.Sgprs) : Pair;
  const uint32_t Words[2] = {uint32_t(Value), uint32_t(Value >> 32)};
  if (Status Outcome = fetch(W))
    return Outcome;
  W.Sgprs.clear();
  noteWrite(W);
  return Memory.writeAll(W.Area + W.Record.Sgprs + Index * 4, Words, 8);
}

/// Changes only the bits that belong to the wave.
Status WaveRegisters::writeHardware(Wave &W, HwReg Which, uint32_t Value) {
  uint32_t Writable = ~0u;
  if (Which == HwReg::Status)
    Writable = hasStatePriv(archOf(W)) ? 0 : 1; // SCC
  else if (Which == HwReg::StatePriv)
    Writable = 1u << 9;
  else if (Which == HwReg::Mode)
    Writable = ~(ModeStep | ModeWatch);
  else if (Which == HwReg::TrapCtrl)
    Writable = 0x7f;
  return setHw(W, Which, (hw(W, Which) & ~Writable) | (Value & Writable));
}

Status WaveRegisters::write(Wave &W, const Register &Reg, uint64_t Offset,
                            uint64_t Size, const void *Value) {
  auto Merged = [&](uint64_t Old) {
    memcpy(reinterpret_cast<uint8_t *>(&Old) + Offset, Value, Size);
    return Old;
  };
  switch (Reg.Kind) {
  case RegisterKind::PC:
    // The PC is aligned to words and has 48 bits.
    return setPC(W, Merged(pc(W)) & 0xfffffffffffc);
  case RegisterKind::Status:
    return writeHardware(W, HwReg::Status,
                         uint32_t(Merged(hw(W, HwReg::Status))));
  case RegisterKind::Hardware:
    return writeHardware(W, HwReg(Reg.Index),
                         uint32_t(Merged(hw(W, HwReg(Reg.Index)))));
  case RegisterKind::Exec: {
    const uint64_t Mask = Merged(exec(W));
    if (Status Outcome = setHw(W, HwReg::ExecLo, uint32_t(Mask)))
      return Outcome;
    return Reg.Size == 8 ? setHw(W, HwReg::ExecHi, uint32_t(Mask >> 32))
                         : Success;
  }
  case RegisterKind::Trap:
    return AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE;
  default:
    break;
  }
  uint64_t Address = 0;
  if (Status Outcome = place(W, Reg, Address))
    return Outcome;
  if (Status Outcome = save(W))
    return Outcome;
  if (Status Outcome = fetch(W))
    return Outcome;
  noteWrite(W);
  if (Status Outcome = Memory.writeAll(Address + Offset, Value, Size))
    return Outcome;
  W.Sgprs.clear();
  // Keep the summary up to date.
  uint32_t Block[32];
  if (Status Outcome =
          Memory.readAll(W.Area + W.Record.Hwregs, Block, sizeof(Block)))
    return Outcome;
  memcpy(W.Hw, Block, sizeof(W.Hw));
  memcpy(W.Ttmps, Block + 16, sizeof(W.Ttmps));
  memcpy(W.Saved, Block, sizeof(Block));
  return Success;
}

} // namespace wavelane::library
