//===-- FunctionUnwind.cpp ------------------------------------------------===//

#include "FunctionUnwind.h"

#include <vector>

using namespace lldb_private;
using namespace lldb_private::wavelane;

using Register = FunctionUnwind::Register;

static constexpr Register kSP{'s', 32};

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

static int64_t GetImmediate(const llvm::MCOperand &operand) {
  // Literals are 32 bits; LLVM gives them with or without their sign.
  return int32_t(operand.getImm());
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
      if (Apply(code, *step.instruction, row))
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

void FunctionUnwind::ApplyToExec(
    AMDGPUMachineCode &code, const AMDGPUMachineCode::Instruction &instruction,
    Row &row) {
  const llvm::StringRef name = instruction.name;
  const llvm::MCInst &inst = instruction.inst;
  auto parts = [&](unsigned i) {
    return i < inst.getNumOperands() ? code.GetParts(inst.getOperand(i))
                                     : std::vector<Register>();
  };
  auto is_ones = [&](unsigned i) {
    return i < inst.getNumOperands() && inst.getOperand(i).isImm() &&
           inst.getOperand(i).getImm() == -1;
  };
  auto holds = [&](Register place, Register value) {
    if (place == value)
      return !row.clobbered.Has(value);
    Place key;
    key.reg = place;
    auto found = row.copies.find(key);
    return found != row.copies.end() && found->second.value == value;
  };
  // exec as it was at entry, or the halves that there are.
  auto is_entry_mask = [&](const std::vector<Register> &mask) {
    for (unsigned half = 0; half < mask.size(); ++half)
      if (!holds(mask[half], {'e', half}))
        return false;
    return !mask.empty();
  };

  Lanes active = Lanes::Unknown;
  const bool saves = name.contains("SAVEEXEC");
  const std::vector<Register> saved = saves ? parts(0) : std::vector<Register>();
  const bool saved_is_entry = row.active == Lanes::AtEntry;
  if (saves) {
    if (name.starts_with("S_OR_SAVEEXEC") && is_ones(1))
      active = Lanes::All;
    else if (name.starts_with("S_OR_SAVEEXEC") && is_entry_mask(parts(1)))
      active = Lanes::AtEntry;
  } else if (name.starts_with("S_MOV_B")) {
    if (is_ones(1))
      active = Lanes::All;
    else if (is_entry_mask(parts(1)))
      active = Lanes::AtEntry;
  } else if (name.starts_with("S_OR_B")) {
    // The lanes that were turned off come back. None is active but these.
    if (is_entry_mask(parts(1)) || is_entry_mask(parts(2)))
      active = Lanes::AtEntry;
  }
  for (Register written : code.GetWritten(inst)) {
    if (written.file == 'e')
      continue;
    row.clobbered.Set(written, true);
    Place place;
    place.reg = written;
    row.copies.erase(place);
    row.sp_copies.erase(written);
  }
  for (unsigned half = 0; half < 2; ++half) {
    row.clobbered.Set({'e', half}, active != Lanes::AtEntry);
    if (saved_is_entry && half < saved.size()) {
      Place place;
      place.reg = saved[half];
      row.copies.insert_or_assign(place, Copy{{'e', half}, Lanes::All});
    }
  }
  row.active = active;
}

bool FunctionUnwind::Apply(AMDGPUMachineCode &code,
                           const AMDGPUMachineCode::Instruction &instruction,
                           Row &row) {
  bool changed = false;
  const llvm::StringRef name = instruction.name;
  const llvm::MCInst &inst = instruction.inst;
  const unsigned count = inst.getNumOperands();
  auto reg = [&](unsigned i) -> std::optional<Register> {
    return i < count ? code.GetRegister(inst.getOperand(i)) : std::nullopt;
  };
  auto imm = [&](unsigned i) -> std::optional<int64_t> {
    if (i < count && inst.getOperand(i).isImm())
      return GetImmediate(inst.getOperand(i));
    return std::nullopt;
  };
  auto in_register = [](Register r) {
    Place place;
    place.reg = r;
    return place;
  };
  auto in_lane = [](Register r, uint32_t lane) {
    Place place;
    place.kind = Place::InLane;
    place.reg = r;
    place.lane = lane;
    return place;
  };
  // The value at entry that a place holds.
  auto held_by = [&](const Place &place) -> std::optional<Copy> {
    if (place.kind == Place::InRegister && !row.clobbered.Has(place.reg))
      return Copy{place.reg, Lanes::All};
    auto found = row.copies.find(place);
    if (found != row.copies.end())
      return found->second;
    return std::nullopt;
  };
  // What becomes of it when the active lanes are copied.
  auto for_active = [&](std::optional<Copy> copy) -> std::optional<Copy> {
    if (!copy || (copy->value.file != 'v' && copy->value.file != 'a') ||
        row.active == copy->lanes)
      return copy;
    if (row.active == Lanes::Unknown || copy->lanes != Lanes::All)
      return std::nullopt;
    return Copy{copy->value, row.active};
  };
  auto clobber = [&](Register r, bool lanes_too) {
    changed |= row.clobbered.Set(r, true);
    changed |= row.copies.erase(in_register(r)) != 0;
    changed |= row.sp_copies.erase(r) != 0;
    if (lanes_too && r.file == 'v')
      for (auto it = row.copies.begin(); it != row.copies.end();) {
        const bool gone =
            it->first.kind == Place::InLane && it->first.reg == r;
        changed |= gone;
        it = gone ? row.copies.erase(it) : std::next(it);
      }
  };
  auto put = [&](const Place &place, std::optional<Copy> copy) {
    changed |= row.copies.erase(place) != 0;
    if (!copy)
      return;
    changed = true;
    if (place.kind == Place::InRegister && place.reg == copy->value)
      row.clobbered.Set(copy->value, false);
    else
      row.copies.emplace(place, *copy);
  };
  auto sp_of = [&](Register r) -> std::optional<int64_t> {
    if (r == kSP)
      return row.sp;
    auto found = row.sp_copies.find(r);
    if (found != row.sp_copies.end())
      return found->second;
    return std::nullopt;
  };
  auto set_sp = [&](Register r, std::optional<int64_t> value) {
    changed = true;
    if (r == kSP)
      row.sp = value;
    else if (value)
      row.sp_copies[r] = *value;
  };

  if (code.WritesExec(inst)) {
    ApplyToExec(code, instruction, row);
    return true;
  }
  // v40[lane] = sN
  if (name.starts_with("V_WRITELANE_B32")) {
    std::optional<Register> to = reg(0), from = reg(1);
    std::optional<int64_t> lane = imm(2);
    if (!to)
      return changed;
    std::optional<Copy> value =
        from ? held_by(in_register(*from)) : std::nullopt;
    clobber(*to, /*lanes_too=*/!lane);
    if (lane)
      put(in_lane(*to, *lane), value);
    return changed;
  }
  // sN = v40[lane]
  if (name.starts_with("V_READLANE_B32")) {
    std::optional<Register> to = reg(0), from = reg(1);
    std::optional<int64_t> lane = imm(2);
    if (!to)
      return changed;
    std::optional<Copy> value =
        from && lane ? held_by(in_lane(*from, *lane)) : std::nullopt;
    clobber(*to, false);
    put(in_register(*to), value);
    return changed;
  }
  // A copy, also between vector and accumulation registers.
  if (name.starts_with("S_MOV_B32") || name.starts_with("V_MOV_B32") ||
      name.starts_with("V_ACCVGPR_WRITE") || name.starts_with("V_ACCVGPR_READ") ||
      name.starts_with("V_ACCVGPR_MOV")) {
    std::optional<Register> to = reg(0), from = reg(1);
    if (!to)
      return changed;
    std::optional<Copy> value =
        from ? for_active(held_by(in_register(*from))) : std::nullopt;
    std::optional<int64_t> sp = from ? sp_of(*from) : std::nullopt;
    clobber(*to, true);
    if (*to == kSP) {
      // What the caller had is known by arithmetic.
      set_sp(kSP, sp);
      if (sp && *sp == 0)
        row.clobbered.Set(kSP, false);
      return changed;
    }
    put(in_register(*to), value);
    if (sp)
      set_sp(*to, sp);
    return changed;
  }
  // The same for pairs, as of the return address.
  if (name.starts_with("S_MOV_B64") && count == 2) {
    std::vector<Register> to = code.GetParts(inst.getOperand(0));
    std::vector<Register> from = code.GetParts(inst.getOperand(1));
    std::vector<std::optional<Copy>> values;
    for (Register part : from)
      values.push_back(held_by(in_register(part)));
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i] == kSP)
        set_sp(kSP, std::nullopt);
      clobber(to[i], true);
      if (i < values.size())
        put(in_register(to[i]), values[i]);
    }
    return changed;
  }
  // The stack pointer moves, or a frame pointer is set beside it.
  const bool adds = name.starts_with("S_ADD_I32") ||
                    name.starts_with("S_ADD_U32") ||
                    name.starts_with("S_ADDK_I32");
  const bool subtracts =
      name.starts_with("S_SUB_I32") || name.starts_with("S_SUB_U32");
  if (adds || subtracts) {
    std::optional<Register> to = reg(0);
    if (to) {
      std::optional<int64_t> sum;
      std::optional<Register> from = reg(1);
      std::optional<int64_t> step = imm(count - 1);
      if (name.starts_with("S_ADDK_I32")) {
        from = to;
        if (step)
          step = int16_t(*step);
      }
      if (!step && adds && from && !(*from == kSP) && reg(2))
        step = imm(1); // The constant first.
      if (from && step)
        if (std::optional<int64_t> base = sp_of(*from))
          sum = adds ? *base + *step : *base - *step;
      clobber(*to, false);
      if (*to == kSP || sum)
        set_sp(*to, sum);
      if (*to == kSP && sum && *sum == 0)
        row.clobbered.Set(kSP, false);
      return changed;
    }
  }
  // A slot of the stack for each lane, addressed from s32 or s33.
  const bool buffer_store = name.starts_with("BUFFER_STORE_DWORD_OFFSET") ||
                            name.starts_with("BUFFER_STORE_DWORD_VBUFFER_OFFSET");
  const bool buffer_load = name.starts_with("BUFFER_LOAD_DWORD_OFFSET") ||
                           name.starts_with("BUFFER_LOAD_DWORD_VBUFFER_OFFSET");
  const bool scratch_store = name.starts_with("SCRATCH_STORE_DWORD_SADDR");
  const bool scratch_load = name.starts_with("SCRATCH_LOAD_DWORD_SADDR");
  if (buffer_store || buffer_load || scratch_store || scratch_load) {
    const bool buffer = buffer_store || buffer_load;
    std::optional<Register> data = reg(0), base = reg(buffer ? 2 : 1);
    std::optional<int64_t> offset = imm(buffer ? 3 : 2);
    std::optional<Place> slot;
    if (base && offset)
      if (std::optional<int64_t> sp = sp_of(*base)) {
        slot.emplace();
        slot->kind = Place::OnStack;
        slot->slot_base = *sp;
        slot->offset = *offset;
      }
    if (!data)
      return changed;
    if (buffer_store || scratch_store) {
      if (slot)
        put(*slot, for_active(held_by(in_register(*data))));
      return changed;
    }
    std::optional<Copy> value =
        slot ? for_active(held_by(*slot)) : std::nullopt;
    clobber(*data, true);
    put(in_register(*data), value);
    return changed;
  }

  for (Register written : code.GetWritten(inst)) {
    if (written == kSP)
      set_sp(kSP, std::nullopt);
    clobber(written, true);
  }
  if (instruction.calls && !row.called)
    changed = row.called = true;
  return changed;
}
