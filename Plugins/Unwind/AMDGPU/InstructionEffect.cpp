//===-- InstructionEffect.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InstructionEffect.h"

#include "llvm/ADT/STLExtras.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::gpu::LogicOperation;
using ::wavelane::gpu::MoveKind;
using ::wavelane::gpu::ScalarSum;
using ::wavelane::gpu::SlotAccess;

using Lanes = UnwindRow::Lanes;
using Register = UnwindRow::Register;
using Place = UnwindRow::Place;

static constexpr Register kSP{'s', 32};

static Place InRegister(Register reg) {
  Place place;
  place.reg = reg;
  return place;
}

static Place InLane(Register reg, uint32_t lane) {
  Place place;
  place.kind = Place::InLane;
  place.reg = reg;
  place.lane = lane;
  return place;
}

//===-- Operands ----------------------------------------------------------===//

std::optional<Register> InstructionEffect::GetRegister(unsigned operand) const {
  if (operand >= m_inst.getNumOperands())
    return std::nullopt;
  return m_code.GetRegister(m_inst.getOperand(operand));
}

std::vector<Register> InstructionEffect::GetParts(unsigned operand) const {
  if (operand >= m_inst.getNumOperands())
    return {};
  return m_code.GetParts(m_inst.getOperand(operand));
}

std::optional<int64_t> InstructionEffect::GetImmediate(unsigned operand) const {
  if (operand >= m_inst.getNumOperands() || !m_inst.getOperand(operand).isImm())
    return std::nullopt;
  // LLVM gives 32-bit literals with or without sign extension.
  return int32_t(m_inst.getOperand(operand).getImm());
}

//===-- Values at entry ---------------------------------------------------===//

std::optional<UnwindRow::Copy>
InstructionEffect::GetHeld(const Place &place) const {
  if (place.kind == Place::InRegister && !m_row.clobbered.Has(place.reg))
    return Copy{place.reg, Lanes::All};
  auto found = m_row.copies.find(place);
  if (found != m_row.copies.end())
    return found->second;
  return std::nullopt;
}

std::optional<UnwindRow::Copy>
InstructionEffect::ForActiveLanes(std::optional<Copy> copy) const {
  if (!copy || (copy->value.file != 'v' && copy->value.file != 'a') ||
      m_row.active == copy->lanes)
    return copy;
  if (m_row.active == Lanes::Unknown || copy->lanes != Lanes::All)
    return std::nullopt;
  return Copy{copy->value, m_row.active};
}

bool InstructionEffect::Holds(Register place, Register value) const {
  if (place == value)
    return !m_row.clobbered.Has(value);
  auto found = m_row.copies.find(InRegister(place));
  return found != m_row.copies.end() && found->second.value == value;
}

/// Whether the registers hold exec as at entry, or its halves.
bool InstructionEffect::IsEntryMask(const std::vector<Register> &mask) const {
  for (unsigned half = 0; half < mask.size(); ++half)
    if (!Holds(mask[half], {'e', half}))
      return false;
  return !mask.empty();
}

void InstructionEffect::Clobber(Register reg, bool with_lanes) {
  m_changed |= m_row.clobbered.Set(reg, true);
  m_changed |= m_row.copies.erase(InRegister(reg)) != 0;
  m_changed |= m_row.sp_copies.erase(reg) != 0;
  if (!with_lanes || reg.file != 'v')
    return;
  for (auto it = m_row.copies.begin(); it != m_row.copies.end();) {
    const bool gone = it->first.kind == Place::InLane && it->first.reg == reg;
    m_changed |= gone;
    it = gone ? m_row.copies.erase(it) : std::next(it);
  }
}

void InstructionEffect::Put(const Place &place, std::optional<Copy> copy) {
  m_changed |= m_row.copies.erase(place) != 0;
  if (!copy)
    return;
  m_changed = true;
  if (place.kind == Place::InRegister && place.reg == copy->value)
    m_row.clobbered.Set(copy->value, false);
  else
    m_row.copies.emplace(place, *copy);
}

std::optional<int64_t> InstructionEffect::GetStackOffset(Register reg) const {
  if (reg == kSP)
    return m_row.sp;
  auto found = m_row.sp_copies.find(reg);
  if (found != m_row.sp_copies.end())
    return found->second;
  return std::nullopt;
}

void InstructionEffect::SetStackOffset(Register reg,
                                       std::optional<int64_t> offset) {
  m_changed = true;
  if (reg == kSP) {
    m_row.sp = offset;
    // The caller's value can be computed.
    if (offset && *offset == 0)
      m_row.clobbered.Set(kSP, false);
  } else if (offset) {
    m_row.sp_copies[reg] = *offset;
  }
}

//===-- Kinds of instructions ---------------------------------------------===//

bool InstructionEffect::Apply() {
  if (WriteExec() || WriteLane() || ReadLane() || CopyRegister() ||
      CopyPair() || MoveStackPointer() || AccessSlot())
    return m_changed;
  ClobberWritten();
  if (m_instruction.calls && !m_row.called)
    m_changed = m_row.called = true;
  return m_changed;
}

void InstructionEffect::ClobberWritten() {
  for (Register written : m_code.GetWritten(m_inst)) {
    if (written == kSP)
      SetStackOffset(kSP, std::nullopt);
    Clobber(written, true);
  }
}

bool InstructionEffect::WriteExec() {
  if (!m_code.WritesExec(m_inst))
    return false;
  m_changed = true;
  auto is_ones = [&](unsigned operand) {
    return operand < m_inst.getNumOperands() &&
           m_inst.getOperand(operand).isImm() &&
           m_inst.getOperand(operand).getImm() == -1;
  };
  Lanes active = Lanes::Unknown;
  const bool saves = m_facts.SavesExec;
  const std::vector<Register> saved =
      saves ? GetParts(0) : std::vector<Register>();
  const bool saved_is_entry = m_row.active == Lanes::AtEntry;
  if (saves) {
    if (m_facts.Logic == LogicOperation::Or && is_ones(1))
      active = Lanes::All;
    else if (m_facts.Logic == LogicOperation::Or && IsEntryMask(GetParts(1)))
      active = Lanes::AtEntry;
  } else if (m_facts.Move == MoveKind::Scalar) {
    if (is_ones(1))
      active = Lanes::All;
    else if (IsEntryMask(GetParts(1)))
      active = Lanes::AtEntry;
  } else if (m_facts.Logic == LogicOperation::Or) {
    // The lanes that were off are on again, and only these are active.
    if (IsEntryMask(GetParts(1)) || IsEntryMask(GetParts(2)))
      active = Lanes::AtEntry;
  }
  for (Register written : m_code.GetWritten(m_inst))
    if (written.file != 'e')
      Clobber(written, /*with_lanes=*/false);
  for (unsigned half = 0; half < 2; ++half) {
    m_row.clobbered.Set({'e', half}, active != Lanes::AtEntry);
    if (saved_is_entry && half < saved.size())
      m_row.copies.insert_or_assign(InRegister(saved[half]),
                                    Copy{{'e', half}, Lanes::All});
  }
  m_row.active = active;
  return true;
}

// v40[lane] = sN
bool InstructionEffect::WriteLane() {
  if (m_facts.Move != MoveKind::WriteLane)
    return false;
  std::optional<Register> to = GetRegister(0), from = GetRegister(1);
  std::optional<int64_t> lane = GetImmediate(2);
  if (!to)
    return true;
  std::optional<Copy> value = from ? GetHeld(InRegister(*from)) : std::nullopt;
  Clobber(*to, /*with_lanes=*/!lane);
  if (lane)
    Put(InLane(*to, *lane), value);
  return true;
}

// sN = v40[lane]
bool InstructionEffect::ReadLane() {
  if (m_facts.Move != MoveKind::ReadLane)
    return false;
  std::optional<Register> to = GetRegister(0), from = GetRegister(1);
  std::optional<int64_t> lane = GetImmediate(2);
  if (!to)
    return true;
  std::optional<Copy> value =
      from && lane ? GetHeld(InLane(*from, *lane)) : std::nullopt;
  Clobber(*to, /*with_lanes=*/false);
  Put(InRegister(*to), value);
  return true;
}

// Also between vector and accumulation registers.
bool InstructionEffect::CopyRegister() {
  if (!m_facts.isMoveOf(MoveKind::Scalar, 32) &&
      !m_facts.isMoveOf(MoveKind::Vector, 32))
    return false;
  std::optional<Register> to = GetRegister(0), from = GetRegister(1);
  if (!to)
    return true;
  // A vector register has a scalar's value in each lane that is active.
  const bool is_spread = from && from->file == 's' && to->file != 's';
  std::optional<Copy> value = from && !is_spread
                                  ? ForActiveLanes(GetHeld(InRegister(*from)))
                                  : std::nullopt;
  std::optional<int64_t> offset = from ? GetStackOffset(*from) : std::nullopt;
  Clobber(*to, /*with_lanes=*/true);
  if (*to == kSP) {
    SetStackOffset(kSP, offset);
    return true;
  }
  Put(InRegister(*to), value);
  if (offset)
    SetStackOffset(*to, offset);
  return true;
}

// Such as the return address.
bool InstructionEffect::CopyPair() {
  if (!m_facts.isMoveOf(MoveKind::Scalar, 64) || m_inst.getNumOperands() != 2)
    return false;
  std::vector<Register> to = GetParts(0);
  std::vector<std::optional<Copy>> values;
  for (Register part : GetParts(1))
    values.push_back(GetHeld(InRegister(part)));
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] == kSP)
      SetStackOffset(kSP, std::nullopt);
    Clobber(to[i], /*with_lanes=*/true);
    if (i < values.size())
      Put(InRegister(to[i]), values[i]);
  }
  return true;
}

// Or a frame pointer is set from it.
bool InstructionEffect::MoveStackPointer() {
  const bool adds_short = m_facts.Sum == ScalarSum::AddShort;
  const bool adds = adds_short || m_facts.Sum == ScalarSum::Add;
  std::optional<Register> to = GetRegister(0);
  if (m_facts.Sum == ScalarSum::None || !to)
    return false;
  std::optional<Register> from = adds_short ? to : GetRegister(1);
  std::optional<int64_t> step = GetImmediate(m_inst.getNumOperands() - 1);
  if (adds_short && step)
    step = int16_t(*step);
  if (!step && adds && from && !(*from == kSP) && GetRegister(2))
    step = GetImmediate(1); // The constant comes first.
  std::optional<int64_t> sum;
  if (from && step)
    if (std::optional<int64_t> base = GetStackOffset(*from))
      sum = adds ? *base + *step : *base - *step;
  Clobber(*to, /*with_lanes=*/false);
  if (*to == kSP || sum)
    SetStackOffset(*to, sum);
  return true;
}

// A stack slot for each lane, addressed from s32 or s33.
bool InstructionEffect::AccessSlot() {
  const std::optional<SlotAccess> access = m_code.GetSlotAccess(m_inst);
  if (!access || !access->Base)
    return false;
  std::optional<Register> data = GetRegister(access->Data),
                          base = GetRegister(*access->Base);
  std::optional<int64_t> offset = GetImmediate(access->Offset);
  std::optional<Place> slot;
  if (base && offset)
    if (std::optional<int64_t> from_entry = GetStackOffset(*base)) {
      slot.emplace();
      slot->kind = Place::OnStack;
      slot->slot_base = *from_entry;
      slot->offset = *offset;
    }
  if (!data)
    return true;
  if (!access->IsLoad) {
    if (slot)
      Put(*slot, ForActiveLanes(GetHeld(InRegister(*data))));
    return true;
  }
  std::optional<Copy> value =
      slot ? ForActiveLanes(GetHeld(*slot)) : std::nullopt;
  Clobber(*data, /*with_lanes=*/true);
  Put(InRegister(*data), value);
  return true;
}
