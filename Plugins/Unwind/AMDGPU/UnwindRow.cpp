//===-- UnwindRow.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnwindRow.h"

using namespace lldb_private::wavelane;

bool UnwindRow::Place::operator<(const Place &other) const {
  return std::tie(kind, reg, lane, offset, slot_base) <
         std::tie(other.kind, other.reg, other.lane, other.offset,
                  other.slot_base);
}

template <size_t Size>
static bool SetBit(std::bitset<Size> &bits, unsigned number, bool value) {
  if (number >= Size || bits[number] == value)
    return false;
  bits[number] = value;
  return true;
}

bool UnwindRow::RegisterSet::Has(Register reg) const {
  switch (reg.file) {
  case 's':
    return reg.number < m_scalar.size() && m_scalar[reg.number];
  case 'v':
    return reg.number < m_vector.size() && m_vector[reg.number];
  case 'a':
    return reg.number < m_accumulation.size() && m_accumulation[reg.number];
  case 'e':
    return reg.number < m_exec.size() && m_exec[reg.number];
  }
  return true;
}

bool UnwindRow::RegisterSet::Set(Register reg, bool value) {
  switch (reg.file) {
  case 's':
    return SetBit(m_scalar, reg.number, value);
  case 'v':
    return SetBit(m_vector, reg.number, value);
  case 'a':
    return SetBit(m_accumulation, reg.number, value);
  case 'e':
    return SetBit(m_exec, reg.number, value);
  }
  return false;
}

std::optional<UnwindRow::Place> UnwindRow::Find(Register reg) const {
  if (!clobbered.Has(reg)) {
    Place place;
    place.reg = reg;
    return place;
  }
  // Where functions save values is kept by those that they call. A copy in a
  // register may be there by chance.
  std::optional<Place> best;
  auto rank = [](const Place &place) {
    return std::tuple(place.lanes == Lanes::All, place.kind);
  };
  for (const auto &[place, copy] : copies) {
    if (!(copy.value == reg))
      continue;
    Place found = place;
    found.lanes = copy.lanes;
    if (!best || rank(*best) < rank(found))
      best = found;
  }
  return best;
}

void UnwindRow::RegisterSet::Add(const RegisterSet &other) {
  m_scalar |= other.m_scalar;
  m_vector |= other.m_vector;
  m_accumulation |= other.m_accumulation;
  m_exec |= other.m_exec;
}

bool UnwindRow::RegisterSet::operator==(const RegisterSet &other) const {
  return m_scalar == other.m_scalar && m_vector == other.m_vector &&
         m_accumulation == other.m_accumulation && m_exec == other.m_exec;
}

bool UnwindRow::operator==(const UnwindRow &other) const {
  return guess == other.guess && clobbered == other.clobbered &&
         called == other.called && copies == other.copies &&
         active == other.active && sp == other.sp &&
         sp_copies == other.sp_copies;
}

template <typename Map> static void KeepCommon(Map &map, const Map &other) {
  for (auto it = map.begin(); it != map.end();) {
    auto found = other.find(it->first);
    const bool same = found != other.end() && found->second == it->second;
    it = same ? std::next(it) : map.erase(it);
  }
}

void UnwindRow::Meet(const UnwindRow &other) {
  clobbered.Add(other.clobbered);
  guess |= other.guess;
  called |= other.called;
  if (active != other.active)
    active = Lanes::Unknown;
  KeepCommon(copies, other.copies);
  KeepCommon(sp_copies, other.sp_copies);
  if (sp != other.sp)
    sp = std::nullopt;
}
