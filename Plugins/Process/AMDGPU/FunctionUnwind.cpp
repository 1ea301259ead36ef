//===-- FunctionUnwind.cpp ------------------------------------------------===//

#include "FunctionUnwind.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

using Register = FunctionUnwind::Register;

static constexpr Register kSP{'s', 32};

bool FunctionUnwind::Place::operator<(const Place &other) const {
  return std::tie(kind, reg, lane, offset, slot_base) <
         std::tie(other.kind, other.reg, other.lane, other.offset,
                  other.slot_base);
}

std::optional<FunctionUnwind::Place>
FunctionUnwind::Row::Find(Register reg) const {
  if (!clobbered.count(reg)) {
    Place place;
    place.reg = reg;
    return place;
  }
  for (const auto &[place, held] : copies)
    if (held == reg)
      return place;
  return std::nullopt;
}

static int64_t GetImmediate(const llvm::MCOperand &operand) {
  // Literals are 32 bits; LLVM gives them with or without their sign.
  return int32_t(operand.getImm());
}

FunctionUnwind::FunctionUnwind(AMDGPUMachineCode &code, lldb::addr_t start,
                               llvm::ArrayRef<uint8_t> bytes)
    : m_start(start), m_end(start) {
  Row row;
  m_rows[start] = row;
  // States that branches take along to where they go.
  std::map<lldb::addr_t, Row> at_target;
  // The state of the function's body, for code that no branch seen so far leads to.
  Row body;
  bool reachable = true;
  lldb::addr_t pc = start;
  while (!bytes.empty()) {
    auto target_row = at_target.find(pc);
    if (target_row != at_target.end() || !reachable) {
      row = target_row != at_target.end() ? target_row->second : body;
      m_rows[pc] = row;
      reachable = true;
    }
    std::optional<AMDGPUMachineCode::Instruction> instruction =
        code.Decode(bytes, pc);
    const uint64_t size = instruction ? instruction->size : 4;
    if (size > bytes.size())
      break;
    if (instruction) {
      const llvm::StringRef name = instruction->name;
      if (instruction->branches && !instruction->calls) {
        if (std::optional<uint64_t> target =
                code.GetBranchTarget(instruction->inst, pc, size))
          if (*target > pc)
            at_target.emplace(*target, row);
        if (name.starts_with("S_CBRANCH"))
          body = row;
        else
          reachable = false;
      } else if (name.starts_with("S_ENDPGM")) {
        reachable = false;
      } else if (instruction->calls) {
        body = row;
      }
      const size_t changes = row.clobbered.size() + row.copies.size();
      const std::optional<int64_t> sp = row.sp;
      Row before = row;
      Apply(code, *instruction, row);
      if (row.clobbered.size() + row.copies.size() != changes || row.sp != sp ||
          row.sp_copies != before.sp_copies || row.clobbered != before.clobbered)
        m_rows[pc + size] = row;
    }
    bytes = bytes.drop_front(size);
    pc += size;
  }
  m_end = pc;
}

const FunctionUnwind::Row *FunctionUnwind::GetRow(lldb::addr_t pc) const {
  if (pc < m_start || pc > m_end)
    return nullptr;
  auto next = m_rows.upper_bound(pc);
  return next == m_rows.begin() ? nullptr : &std::prev(next)->second;
}

/// Only what the convention says a function gives back is worth following.
static bool IsWanted(Register reg) {
  switch (reg.file) {
  case 's':
    return reg.number >= 30 && reg.number <= 105;
  case 'v':
    return reg.number >= 40;
  case 'a':
    return reg.number >= 32;
  }
  return false;
}

void FunctionUnwind::Apply(AMDGPUMachineCode &code,
                           const AMDGPUMachineCode::Instruction &instruction,
                           Row &row) {
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
  auto held_by = [&](const Place &place) -> std::optional<Register> {
    if (place.kind == Place::InRegister && !row.clobbered.count(place.reg) &&
        IsWanted(place.reg))
      return place.reg;
    auto found = row.copies.find(place);
    if (found != row.copies.end())
      return found->second;
    return std::nullopt;
  };
  auto clobber = [&](Register r, bool lanes_too) {
    if (IsWanted(r))
      row.clobbered[r] = true;
    row.copies.erase(in_register(r));
    row.sp_copies.erase(r);
    if (lanes_too && r.file == 'v')
      for (auto it = row.copies.begin(); it != row.copies.end();)
        it = it->first.kind == Place::InLane && it->first.reg == r
                 ? row.copies.erase(it)
                 : std::next(it);
  };
  auto put = [&](const Place &place, std::optional<Register> value) {
    row.copies.erase(place);
    if (!value)
      return;
    if (place.kind == Place::InRegister && place.reg == *value)
      row.clobbered.erase(*value);
    else
      row.copies[place] = *value;
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
    if (r == kSP)
      row.sp = value;
    else if (value)
      row.sp_copies[r] = *value;
  };

  // v40[lane] = sN
  if (name.starts_with("V_WRITELANE_B32")) {
    std::optional<Register> to = reg(0), from = reg(1);
    std::optional<int64_t> lane = imm(2);
    if (!to)
      return;
    std::optional<Register> value =
        from ? held_by(in_register(*from)) : std::nullopt;
    clobber(*to, /*lanes_too=*/!lane);
    if (lane)
      put(in_lane(*to, *lane), value);
    return;
  }
  // sN = v40[lane]
  if (name.starts_with("V_READLANE_B32")) {
    std::optional<Register> to = reg(0), from = reg(1);
    std::optional<int64_t> lane = imm(2);
    if (!to)
      return;
    std::optional<Register> value =
        from && lane ? held_by(in_lane(*from, *lane)) : std::nullopt;
    clobber(*to, false);
    put(in_register(*to), value);
    return;
  }
  // A copy, also between vector and accumulation registers.
  if (name.starts_with("S_MOV_B32") || name.starts_with("V_MOV_B32") ||
      name.starts_with("V_ACCVGPR_WRITE") || name.starts_with("V_ACCVGPR_READ") ||
      name.starts_with("V_ACCVGPR_MOV")) {
    std::optional<Register> to = reg(0), from = reg(1);
    if (!to)
      return;
    std::optional<Register> value =
        from ? held_by(in_register(*from)) : std::nullopt;
    std::optional<int64_t> sp = from ? sp_of(*from) : std::nullopt;
    clobber(*to, true);
    if (*to == kSP) {
      // What the caller had is known by arithmetic.
      row.sp = sp;
      if (sp && *sp == 0)
        row.clobbered.erase(kSP);
      return;
    }
    put(in_register(*to), value);
    set_sp(*to, sp);
    return;
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
      if (name.starts_with("S_ADDK_I32"))
        from = to;
      if (!step && adds && from && !(*from == kSP) && reg(2))
        step = imm(1); // The constant first.
      if (from && step)
        if (std::optional<int64_t> base = sp_of(*from))
          sum = adds ? *base + *step : *base - *step;
      clobber(*to, false);
      if (*to == kSP) {
        row.sp = sum;
        if (sum && *sum == 0)
          row.clobbered.erase(kSP);
      } else {
        set_sp(*to, sum);
      }
      return;
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
      return;
    if (buffer_store || scratch_store) {
      if (slot)
        put(*slot, held_by(in_register(*data)));
      return;
    }
    std::optional<Register> value = slot ? held_by(*slot) : std::nullopt;
    clobber(*data, true);
    put(in_register(*data), value);
    return;
  }

  for (Register written : code.GetWritten(inst)) {
    if (written == kSP)
      row.sp = std::nullopt;
    clobber(written, true);
  }
  if (instruction.calls) {
    // The callee gives back what the convention says, and uses the rest.
    for (auto it = row.copies.begin(); it != row.copies.end();) {
      const Place &place = it->first;
      bool kept = place.kind == Place::OnStack;
      if (place.kind != Place::OnStack)
        kept = (place.reg.file == 's' && place.reg.number >= 30) ||
               (place.reg.file == 'v' && place.reg.number >= 40 &&
                place.reg.number % 16 >= 8) ||
               (place.reg.file == 'a' && place.reg.number >= 32);
      it = kept ? std::next(it) : row.copies.erase(it);
    }
  }
}
