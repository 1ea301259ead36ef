//===-- FunctionUnwind.cpp ------------------------------------------------===//

#include "FunctionUnwind.h"
#include "InstructionEffect.h"

#include <vector>

using namespace lldb_private;
using namespace lldb_private::wavelane;

using Register = FunctionUnwind::Register;

bool FunctionUnwind::Place::operator<(const Place &other) const {
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

bool FunctionUnwind::RegisterSet::Has(Register reg) const {
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

bool FunctionUnwind::RegisterSet::Set(Register reg, bool value) {
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

std::optional<FunctionUnwind::Place>
FunctionUnwind::Row::Find(Register reg) const {
  if (!clobbered.Has(reg)) {
    Place place;
    place.reg = reg;
    return place;
  }
  for (const auto &[place, copy] : copies)
    if (copy.value == reg) {
      Place result = place;
      result.lanes = copy.lanes;
      return result;
    }
  return std::nullopt;
}

void FunctionUnwind::RegisterSet::Add(const RegisterSet &other) {
  m_scalar |= other.m_scalar;
  m_vector |= other.m_vector;
  m_accumulation |= other.m_accumulation;
  m_exec |= other.m_exec;
}

bool FunctionUnwind::RegisterSet::operator==(const RegisterSet &other) const {
  return m_scalar == other.m_scalar && m_vector == other.m_vector &&
         m_accumulation == other.m_accumulation && m_exec == other.m_exec;
}

bool FunctionUnwind::Row::operator==(const Row &other) const {
  return guess == other.guess && clobbered == other.clobbered && called == other.called &&
         copies == other.copies && active == other.active && sp == other.sp &&
         sp_copies == other.sp_copies;
}

template <typename Map> static void KeepCommon(Map &map, const Map &other) {
  for (auto it = map.begin(); it != map.end();) {
    auto found = other.find(it->first);
    const bool same = found != other.end() && found->second == it->second;
    it = same ? std::next(it) : map.erase(it);
  }
}

void FunctionUnwind::Row::Meet(const Row &other) {
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

// Functions whose loops are deeper than this don't come.
static constexpr int kMaxPasses = 50;

FunctionUnwind::FunctionUnwind(AMDGPUMachineCode &code, lldb::addr_t start,
                               llvm::ArrayRef<uint8_t> bytes)
    : m_start(start), m_end(start) {
  struct Step {
    lldb::addr_t pc;
    std::optional<AMDGPUMachineCode::Instruction> instruction;
    std::optional<lldb::addr_t> target;
    bool falls_through = true;
    bool conditional = false;
  };
  std::vector<Step> steps;
  lldb::addr_t pc = start;
  while (!bytes.empty()) {
    Step step;
    step.pc = pc;
    step.instruction = code.Decode(bytes, pc);
    const uint64_t size = step.instruction ? step.instruction->size : 4;
    if (size > bytes.size())
      break;
    if (step.instruction) {
      const llvm::StringRef name = step.instruction->name;
      if (step.instruction->branches && !step.instruction->calls) {
        step.target = code.GetBranchTarget(step.instruction->inst, pc, size);
        step.conditional = name.starts_with("S_CBRANCH");
        step.falls_through = step.conditional || step.instruction->waits;
      } else if (name.starts_with("S_ENDPGM")) {
        step.falls_through = false;
      }
    }
    steps.push_back(std::move(step));
    bytes = bytes.drop_front(size);
    pc += size;
  }
  m_end = pc;

  // What holds where several ways meet is what holds on all of them. The passes go
  // on until no way, a loop's neither, takes anything away any more. Only then it is
  // known which code is reached by ways that aren't seen, as a jump through a table.
  std::map<lldb::addr_t, Row> at_target;
  bool guesses = false;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    bool changed = false;
    auto arrive = [&](lldb::addr_t target, const Row &row) {
      auto [it, is_new] = at_target.emplace(target, row);
      if (is_new) {
        changed = true;
        return;
      }
      Row met = it->second;
      met.Meet(row);
      if (!(met == it->second)) {
        it->second = std::move(met);
        changed = true;
      }
    };
    m_rows.clear();
    Row row, body;
    bool reachable = true, passed_over = false;
    m_rows[start] = row;
    for (Step &step : steps) {
      auto target_row = at_target.find(step.pc);
      if (target_row != at_target.end()) {
        if (reachable)
          arrive(step.pc, row);
        row = target_row->second;
        m_rows[step.pc] = row;
      } else if (!reachable && !guesses) {
        passed_over = true;
        continue;
      } else if (!reachable) {
        row = body;
        row.guess = true;
        m_rows[step.pc] = row;
      }
      reachable = true;
      if (!step.instruction) {
        row.guess = true;
        m_rows[step.pc + 4] = row;
        continue;
      }
      if (step.target && *step.target >= start && *step.target < m_end)
        arrive(*step.target, row);
      if (step.conditional || step.instruction->calls)
        body = row;
      if (InstructionEffect(code, *step.instruction, row).Apply())
        m_rows[step.pc + step.instruction->size] = row;
      reachable = step.falls_through;
    }
    if (!changed && (guesses || !passed_over))
      break;
    guesses |= !changed;
  }
}

const FunctionUnwind::Row *FunctionUnwind::GetRow(lldb::addr_t pc) const {
  if (pc < m_start || pc > m_end)
    return nullptr;
  auto next = m_rows.upper_bound(pc);
  return next == m_rows.begin() ? nullptr : &std::prev(next)->second;
}
