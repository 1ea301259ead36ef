//===-- LaneFlow.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneFlow.h"

#include <algorithm>
#include <deque>

using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::gpu::BranchCondition;
using ::wavelane::gpu::ControlFlow;
using ::wavelane::gpu::InstructionFacts;
using ::wavelane::gpu::LogicOperation;
using ::wavelane::gpu::MoveKind;
using ::wavelane::gpu::ScalarSum;
using ::wavelane::gpu::SlotAccess;

using Register = LaneFlow::Register;
using Outcome = LaneFlow::Outcome;

// More instructions than between any two joins.
static constexpr unsigned kMaxInstructions = 20000;

namespace {

/// 32 bits, some of which are known. Unknown bits are 0 in value.
struct Bits {
  uint32_t value = 0;
  uint32_t known = 0;

  static Bits Known(uint32_t value) { return {value, ~uint32_t(0)}; }
  bool IsKnown() const { return known == ~uint32_t(0); }
  uint32_t Zeros() const { return known & ~value; }
  bool operator==(const Bits &o) const {
    return value == o.value && known == o.known;
  }
  bool operator!=(const Bits &o) const { return !(*this == o); }

  Bits operator~() const { return {known & ~value, known}; }
  Bits operator&(const Bits &o) const {
    const uint32_t ones = value & o.value;
    return {ones, ones | Zeros() | o.Zeros()};
  }
  Bits operator|(const Bits &o) const { return ~(~*this & ~o); }
  Bits operator^(const Bits &o) const {
    const uint32_t both = known & o.known;
    return {(value ^ o.value) & both, both};
  }
  /// What is known in both cases.
  Bits Meet(const Bits &o) const {
    const uint32_t same = known & o.known & ~(value ^ o.value);
    return {value & same, same};
  }
};

/// A vector register or a stack slot, an element for each lane. Copied on
/// write: most states differ little.
using Vector = std::shared_ptr<const std::vector<Bits>>;
using Slot = std::pair<uint32_t, int64_t>;

struct State {
  std::map<Register, Bits> scalars;
  std::map<Register, Vector> vectors;
  std::map<Slot, Vector> slots;
  /// All lanes are on temporarily, such as to spill a whole register.
  bool whole_wave = false;
  /// The lanes that are on again; their bits no longer matter.
  uint64_t on = 0;
  /// The lanes that were seen on, but have done nothing yet.
  uint64_t seen = 0;
};

class Follower {
public:
  Follower(LaneFlow::Frame &frame, uint32_t lane_count, uint64_t waiting)
      : m_frame(frame), m_code(frame.GetCode()), m_lanes(lane_count),
        m_waiting(waiting), m_at(lane_count), m_works_at(lane_count) {}

  std::vector<Outcome> Run();

private:
  const AMDGPUMachineCode::Instruction *Decode(lldb::addr_t pc);
  /// Called on arrival at \a pc; continues there if that is new or less is
  /// known.
  void Arrive(lldb::addr_t pc, const State &state);
  /// Follows the code until a path ends or joins another.
  void Walk(lldb::addr_t pc, State state);
  /// Notes which lanes are on at \a pc.
  /// \return Whether still waiting for any lane.
  bool Note(lldb::addr_t pc, const AMDGPUMachineCode::Instruction &instruction,
            State &state);
  void Execute(const AMDGPUMachineCode::Instruction &instruction, State &state);
  bool ExecuteMask(const AMDGPUMachineCode::Instruction &instruction,
                   State &state);
  bool ExecuteMove(const AMDGPUMachineCode::Instruction &instruction,
                   State &state);
  bool ExecuteSpill(const AMDGPUMachineCode::Instruction &instruction,
                    State &state);

  Bits Get(State &state, Register reg);
  Vector GetVector(State &state, Register reg);
  Vector GetSlot(State &state, Slot slot);
  uint64_t GetExec(State &state, uint64_t &known);
  std::vector<Register> Parts(const llvm::MCInst &inst, unsigned operand) {
    return operand < inst.getNumOperands()
               ? m_code.GetParts(inst.getOperand(operand))
               : std::vector<Register>();
  }
  /// The operand's low or high half.
  Bits Source(State &state, const llvm::MCInst &inst, unsigned operand,
              unsigned half);
  /// \a value in lanes that are on, \a old in lanes that are off.
  Vector Merge(State &state, Vector value, Vector old);
  Vector Unknown() const {
    return std::make_shared<std::vector<Bits>>(m_lanes);
  }
  static Vector Meet(const Vector &a, const Vector &b);
  State Meet(State a, State b);
  static bool Same(const State &a, const State &b);

  LaneFlow::Frame &m_frame;
  AMDGPUMachineCode &m_code;
  const uint32_t m_lanes;
  const uint64_t m_waiting;
  std::map<lldb::addr_t, std::optional<AMDGPUMachineCode::Instruction>>
      m_decoded;
  /// The state at a place. A lane that is on temporarily and leaves a loop then
  /// has different bits, so the lanes that were seen on are part of the key.
  using Key = std::pair<lldb::addr_t, uint64_t>;
  std::map<Key, State> m_states;
  std::deque<Key> m_queue;
  /// The frame's state, cached as it is read.
  std::map<Register, Bits> m_scalars;
  std::map<Register, Vector> m_vectors;
  std::map<Slot, Vector> m_slots;
  unsigned m_budget = kMaxInstructions;

  /// For each lane, the places where it is on, and where it does something, on
  /// all paths.
  std::vector<std::set<lldb::addr_t>> m_at, m_works_at;
  uint64_t m_lost = 0, m_returns = 0, m_ends = 0;
};

const AMDGPUMachineCode::Instruction *Follower::Decode(lldb::addr_t pc) {
  auto [it, is_new] = m_decoded.try_emplace(pc);
  if (is_new) {
    const std::vector<uint8_t> bytes = m_frame.ReadCode(pc);
    if (!bytes.empty())
      it->second = m_code.Decode(bytes, pc);
  }
  return it->second ? &*it->second : nullptr;
}

//===-- What registers hold -----------------------------------------------===//

Bits Follower::Get(State &state, Register reg) {
  auto found = state.scalars.find(reg);
  if (found != state.scalars.end())
    return found->second;
  auto [it, is_new] = m_scalars.try_emplace(reg);
  if (is_new)
    if (std::optional<uint32_t> value = m_frame.ReadScalar(reg))
      it->second = Bits::Known(*value);
  return it->second;
}

static Vector AllKnown(const std::optional<std::vector<uint32_t>> &values,
                       uint32_t lanes) {
  auto result = std::make_shared<std::vector<Bits>>(lanes);
  for (uint32_t lane = 0; values && lane < lanes && lane < values->size();
       ++lane)
    (*result)[lane] = Bits::Known((*values)[lane]);
  return result;
}

Vector Follower::GetVector(State &state, Register reg) {
  auto found = state.vectors.find(reg);
  if (found != state.vectors.end())
    return found->second;
  auto [it, is_new] = m_vectors.try_emplace(reg);
  if (is_new)
    it->second = AllKnown(m_frame.ReadVector(reg), m_lanes);
  return it->second;
}

Vector Follower::GetSlot(State &state, Slot slot) {
  auto found = state.slots.find(slot);
  if (found != state.slots.end())
    return found->second;
  auto [it, is_new] = m_slots.try_emplace(slot);
  if (is_new)
    it->second = AllKnown(m_frame.ReadSlot(slot.first, slot.second), m_lanes);
  return it->second;
}

uint64_t Follower::GetExec(State &state, uint64_t &known) {
  const Bits low = Get(state, {'e', 0});
  const Bits high = m_lanes > 32 ? Get(state, {'e', 1}) : Bits::Known(0);
  known = low.known | uint64_t(high.known) << 32;
  return low.value | uint64_t(high.value) << 32;
}

Vector Follower::Merge(State &state, Vector value, Vector old) {
  uint64_t known = 0;
  const uint64_t exec = GetExec(state, known);
  auto result = std::make_shared<std::vector<Bits>>(m_lanes);
  for (uint32_t lane = 0; lane < m_lanes; ++lane)
    (*result)[lane] = !(known >> lane & 1) ? (*value)[lane].Meet((*old)[lane])
                      : exec >> lane & 1   ? (*value)[lane]
                                           : (*old)[lane];
  return result;
}

Vector Follower::Meet(const Vector &a, const Vector &b) {
  if (a == b || *a == *b)
    return a;
  auto result = std::make_shared<std::vector<Bits>>(a->size());
  for (size_t i = 0; i < a->size(); ++i)
    (*result)[i] = (*a)[i].Meet((*b)[i]);
  return result;
}

State Follower::Meet(State a, State b) {
  State result;
  // A lane that is on again on one path isn't searched for any further there.
  const uint64_t on[2] = {a.on, b.on};
  for (const State *state : {&a, &b})
    for (const auto &entry : state->scalars) {
      const Register reg = entry.first;
      const Bits left = Get(a, reg), right = Get(b, reg);
      Bits met = left.Meet(right);
      if (reg.file == 'e') {
        const uint32_t left_on = on[0] >> 32 * reg.number;
        const uint32_t right_on = on[1] >> 32 * reg.number;
        const uint32_t from_right = left_on & ~right_on & right.known;
        const uint32_t from_left = right_on & ~left_on & left.known;
        met.known |= from_right | from_left;
        met.value = (met.value & ~(from_right | from_left)) |
                    (right.value & from_right) | (left.value & from_left);
      }
      result.scalars[reg] = met;
    }
  for (const State *state : {&a, &b}) {
    for (const auto &entry : state->vectors)
      result.vectors[entry.first] =
          Meet(GetVector(a, entry.first), GetVector(b, entry.first));
    for (const auto &entry : state->slots)
      result.slots[entry.first] =
          Meet(GetSlot(a, entry.first), GetSlot(b, entry.first));
  }
  result.whole_wave = a.whole_wave && b.whole_wave;
  result.on = a.on & b.on;
  result.seen = a.seen & b.seen;
  return result;
}

template <typename Key>
static bool SameVectors(const std::map<Key, Vector> &a,
                        const std::map<Key, Vector> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto &x, const auto &y) {
                      return x.first == y.first &&
                             (x.second == y.second || *x.second == *y.second);
                    });
}

bool Follower::Same(const State &a, const State &b) {
  return a.on == b.on && a.seen == b.seen && a.whole_wave == b.whole_wave &&
         a.scalars == b.scalars && SameVectors(a.vectors, b.vectors) &&
         SameVectors(a.slots, b.slots);
}

//===-- Instructions ------------------------------------------------------===//

Bits Follower::Source(State &state, const llvm::MCInst &inst, unsigned operand,
                      unsigned half) {
  if (operand >= inst.getNumOperands())
    return {};
  const llvm::MCOperand &op = inst.getOperand(operand);
  if (op.isImm())
    // Literals are 32 bits, extended with zeros; inline constants are
    // sign-extended.
    return Bits::Known(half && op.getImm() >= -16
                           ? (op.getImm() < 0 ? ~0u : 0u)
                           : uint32_t(op.getImm() >> 32 * half));
  const std::vector<Register> parts = m_code.GetParts(op);
  if (half >= parts.size() || parts[half].file == 'v' ||
      parts[half].file == 'a')
    return {};
  return Get(state, parts[half]);
}

static Bits Compute(LogicOperation operation, Bits a, Bits b) {
  switch (operation) {
  case LogicOperation::None:
    return {};
  case LogicOperation::Not:
    return ~a;
  case LogicOperation::And:
    return a & b;
  case LogicOperation::AndNot2:
    return a & ~b;
  case LogicOperation::AndNot1:
    return ~a & b;
  case LogicOperation::Or:
    return a | b;
  case LogicOperation::OrNot2:
    return a | ~b;
  case LogicOperation::OrNot1:
    return ~a | b;
  case LogicOperation::Xor:
    return a ^ b;
  case LogicOperation::Nand:
    return ~(a & b);
  case LogicOperation::Nor:
    return ~(a | b);
  case LogicOperation::Xnor:
    return ~(a ^ b);
  }
  return {};
}

// Instructions that compute masks, bit by bit.
bool Follower::ExecuteMask(const AMDGPUMachineCode::Instruction &instruction,
                           State &state) {
  const InstructionFacts &facts = *instruction.facts;
  const llvm::MCInst &inst = instruction.inst;
  if (!facts.isScalar())
    return false;
  const std::vector<Register> to = Parts(inst, 0);
  if (to.empty() || to.size() > 2)
    return false;
  std::vector<std::pair<Register, Bits>> results;
  auto is_ones = [&](unsigned operand) {
    return operand < inst.getNumOperands() &&
           inst.getOperand(operand).isImm() &&
           inst.getOperand(operand).getImm() == -1;
  };
  bool whole_wave = false;
  if (facts.Move == MoveKind::Scalar) {
    for (unsigned half = 0; half < to.size(); ++half)
      results.emplace_back(to[half], Source(state, inst, 1, half));
    whole_wave = is_ones(1);
  } else if (facts.Move == MoveKind::Select) {
    for (unsigned half = 0; half < to.size(); ++half)
      results.emplace_back(
          to[half],
          Source(state, inst, 1, half).Meet(Source(state, inst, 2, half)));
  } else if (facts.Logic == LogicOperation::None) {
    return false;
  } else {
    for (unsigned half = 0; half < to.size(); ++half) {
      const Register exec{'e', half};
      if (facts.SavesExec || facts.CopiesExec) {
        const Bits old = Get(state, exec);
        const Bits result =
            Compute(facts.Logic, Source(state, inst, 1, half), old);
        results.emplace_back(to[half], facts.SavesExec ? old : result);
        results.emplace_back(exec, result);
      } else {
        results.emplace_back(to[half],
                             Compute(facts.Logic, Source(state, inst, 1, half),
                                     Source(state, inst, 2, half)));
      }
    }
    whole_wave = facts.SavesExec && is_ones(1);
  }
  for (const auto &[reg, bits] : results) {
    state.scalars[reg] = bits;
    if (reg.file == 'e')
      state.whole_wave = whole_wave;
  }
  return true;
}

// Instructions that move values between registers or their lanes, or add to
// addresses.
bool Follower::ExecuteMove(const AMDGPUMachineCode::Instruction &instruction,
                           State &state) {
  const InstructionFacts &facts = *instruction.facts;
  const llvm::MCInst &inst = instruction.inst;
  const unsigned count = inst.getNumOperands();
  auto reg = [&](unsigned i) -> std::optional<Register> {
    return i < count ? m_code.GetRegister(inst.getOperand(i)) : std::nullopt;
  };
  auto imm = [&](unsigned i) -> std::optional<int64_t> {
    return i < count && inst.getOperand(i).isImm()
               ? std::optional<int64_t>(inst.getOperand(i).getImm())
               : std::nullopt;
  };
  std::optional<Register> to = reg(0), from = reg(1);
  if (facts.Move == MoveKind::WriteLane && to) {
    auto lanes = std::make_shared<std::vector<Bits>>(*GetVector(state, *to));
    std::optional<int64_t> lane = imm(2);
    if (lane && uint64_t(*lane) < m_lanes)
      (*lanes)[*lane] = Source(state, inst, 1, 0);
    else
      *lanes = *Unknown();
    state.vectors[*to] = std::move(lanes);
    return true;
  }
  if (facts.Move == MoveKind::ReadLane && to) {
    std::optional<int64_t> lane = imm(2);
    state.scalars[*to] = from && lane && uint64_t(*lane) < m_lanes
                             ? (*GetVector(state, *from))[*lane]
                             : Bits();
    return true;
  }
  if (facts.isMoveOf(MoveKind::Vector, 32) && to && from &&
      (from->file == 'v' || from->file == 'a')) {
    state.vectors[*to] =
        Merge(state, GetVector(state, *from), GetVector(state, *to));
    return true;
  }
  const bool adds_short = facts.Sum == ScalarSum::AddShort;
  const bool subtracts = facts.Sum == ScalarSum::Subtract;
  if (facts.Sum != ScalarSum::None && to) {
    const Bits left = adds_short ? Get(state, *to) : Source(state, inst, 1, 0);
    Bits right = Source(state, inst, count - 1, 0);
    if (adds_short)
      right.value = uint32_t(int32_t(int16_t(right.value)));
    Bits sum;
    if (left.IsKnown() && right.IsKnown())
      sum = Bits::Known(subtracts ? left.value - right.value
                                  : left.value + right.value);
    state.scalars[*to] = sum;
    return true;
  }
  return false;
}

// Spills of 32 bits for each lane and their reloads.
bool Follower::ExecuteSpill(const AMDGPUMachineCode::Instruction &instruction,
                            State &state) {
  const llvm::MCInst &inst = instruction.inst;
  const std::optional<SlotAccess> access = m_code.GetSlotAccess(inst);
  if (!access)
    return false;
  std::optional<Register> data =
      access->Data < inst.getNumOperands()
          ? m_code.GetRegister(inst.getOperand(access->Data))
          : std::nullopt;
  if (!data)
    return false;
  const Bits base =
      access->Base ? Source(state, inst, *access->Base, 0) : Bits::Known(0);
  const bool has_offset = access->Offset < inst.getNumOperands() &&
                          inst.getOperand(access->Offset).isImm();
  if (!base.IsKnown() || !has_offset) {
    if (access->IsLoad)
      state.vectors[*data] = Merge(state, Unknown(), GetVector(state, *data));
    return true;
  }
  const Slot slot{base.value, inst.getOperand(access->Offset).getImm()};
  if (access->IsLoad)
    state.vectors[*data] =
        Merge(state, GetSlot(state, slot), GetVector(state, *data));
  else
    state.slots[slot] =
        Merge(state, GetVector(state, *data), GetSlot(state, slot));
  return true;
}

void Follower::Execute(const AMDGPUMachineCode::Instruction &instruction,
                       State &state) {
  if (ExecuteMask(instruction, state) || ExecuteMove(instruction, state) ||
      ExecuteSpill(instruction, state))
    return;
  if (instruction.calls) {
    // The lanes are the same after the call. The calling convention says what
    // else it preserves, for anything read before or later.
    for (unsigned number = 0; number < 106; ++number)
      if (!m_frame.IsCalleeSaved({'s', number}))
        state.scalars[{'s', number}] = {};
    for (unsigned half : {0u, 1u})
      state.scalars[{'c', half}] = {};
    const Vector unknown = Unknown();
    for (char file : {'v', 'a'})
      for (unsigned number = 0; number < 256; ++number)
        if (!m_frame.IsCalleeSaved({file, number}))
          state.vectors[{file, number}] = unknown;
    return;
  }
  // A comparison is 0 in lanes that are off.
  const bool compares =
      instruction.facts->IsCompare && !instruction.facts->isScalar();
  for (Register written : m_code.GetWritten(instruction.inst)) {
    if (written.file == 'v' || written.file == 'a') {
      state.vectors[written] =
          Merge(state, Unknown(), GetVector(state, written));
      continue;
    }
    Bits result;
    if (compares && (m_lanes > 32 || written.file == 'e' ||
                     written.file == 'c' || written.file == 's')) {
      unsigned half = written.number;
      if (written.file == 's') {
        const std::vector<Register> to = Parts(instruction.inst, 0);
        half = !to.empty() && to.size() > 1 && to[1] == written;
      }
      result.known = half > 1 ? 0 : Get(state, {'e', half}).Zeros();
    }
    state.scalars[written] = result;
    if (written.file == 'e')
      state.whole_wave = false;
  }
}

//===-- Ways --------------------------------------------------------------===//

static bool WorksInLanes(const AMDGPUMachineCode::Instruction &instruction) {
  const InstructionFacts &facts = *instruction.facts;
  return instruction.calls || (!facts.isScalar() && !facts.accessesOneLane());
}

bool Follower::Note(lldb::addr_t pc,
                    const AMDGPUMachineCode::Instruction &instruction,
                    State &state) {
  if (state.whole_wave)
    return true;
  uint64_t known = 0;
  const uint64_t exec = GetExec(state, known);
  const bool works = WorksInLanes(instruction);
  for (uint32_t lane = 0; lane < m_lanes; ++lane) {
    const uint64_t bit = uint64_t(1) << lane;
    if (!(m_waiting & bit) || state.on & bit)
      continue;
    if (!(known & bit)) {
      m_lost |= bit;
      state.on |= bit;
    } else if (exec & bit) {
      if (!(state.seen & bit))
        m_at[lane].insert(pc);
      state.seen |= bit;
      if (works) {
        m_works_at[lane].insert(pc);
        state.on |= bit;
      }
    }
  }
  return (m_waiting & ~state.on) != 0;
}

void Follower::Arrive(lldb::addr_t pc, const State &state) {
  const Key key(pc, state.seen);
  auto [it, is_new] = m_states.try_emplace(key, state);
  if (!is_new) {
    State met = Meet(it->second, state);
    if (Same(met, it->second))
      return;
    it->second = std::move(met);
  }
  m_queue.push_back(key);
}

void Follower::Walk(lldb::addr_t pc, State state) {
  bool first = true;
  while (m_budget) {
    --m_budget;
    if (!first && m_states.count({pc, state.seen}))
      return Arrive(pc, state);
    first = false;
    const AMDGPUMachineCode::Instruction *instruction = Decode(pc);
    if (!instruction) {
      m_lost |= m_waiting & ~state.on;
      return;
    }
    if (!Note(pc, *instruction, state))
      return;
    const InstructionFacts &facts = *instruction->facts;
    const lldb::addr_t next = pc + instruction->size;
    if (facts.Flow == ControlFlow::End) {
      m_ends |= m_waiting & ~state.on;
      return;
    }
    if (instruction->branches && !instruction->calls && !instruction->waits) {
      std::optional<uint64_t> target =
          m_code.GetBranchTarget(instruction->inst, pc, instruction->size);
      if (facts.Flow == ControlFlow::Jump) {
        m_returns |= m_waiting & ~state.on;
        return;
      }
      if (!target) {
        if (facts.IsTrap || facts.IsHalt) {
          pc = next;
          continue;
        }
        m_lost |= m_waiting & ~state.on;
        return;
      }
      if (facts.Flow != ControlFlow::ConditionalBranch)
        return Arrive(*target, state);
      uint64_t known = 0;
      const uint64_t exec = GetExec(state, known);
      const uint64_t all = m_lanes > 32 ? ~uint64_t(0) : 0xffffffff;
      // Unknown lanes may all be off, but not one that is known to be on.
      const bool is_zero = (known & all) == all && !(exec & all);
      const bool is_not_zero = (exec & all) != 0;
      const bool on_zero = facts.Condition == BranchCondition::ExecZ;
      const bool on_not_zero = facts.Condition == BranchCondition::ExecNZ;
      const bool never = (on_zero && is_not_zero) || (on_not_zero && is_zero);
      const bool always = (on_zero && is_zero) || (on_not_zero && is_not_zero);
      if (!never)
        Arrive(*target, state);
      if (always)
        return;
      return Arrive(next, state);
    }
    Execute(*instruction, state);
    pc = next;
  }
}

std::vector<Outcome> Follower::Run() {
  State start;
  start.whole_wave = m_frame.IsWholeWave();
  Arrive(m_frame.GetPC(), start);
  while (!m_queue.empty() && m_budget) {
    const Key key = m_queue.front();
    m_queue.pop_front();
    Walk(key.first, m_states[key]);
  }
  if (!m_budget)
    m_lost |= m_waiting;
  std::vector<Outcome> outcomes(m_lanes);
  for (uint32_t lane = 0; lane < m_lanes; ++lane) {
    const uint64_t bit = uint64_t(1) << lane;
    if (!(m_waiting & bit) || m_lost & bit)
      continue;
    Outcome &outcome = outcomes[lane];
    outcome.was_on = !m_at[lane].empty();
    if (!m_works_at[lane].empty()) {
      // The place where it does something, or is at least on, if all paths
      // agree.
      for (const std::set<lldb::addr_t> *places :
           {&m_works_at[lane], &m_at[lane]})
        if (places->size() == 1 && outcome.kind == Outcome::Unknown) {
          outcome.kind = Outcome::GoesOn;
          outcome.pc = *places->begin();
        }
    } else if (m_returns & bit) {
      outcome.kind = Outcome::Returns;
    } else if (m_ends & bit) {
      outcome.kind = Outcome::Ends;
    }
  }
  return outcomes;
}

} // namespace

std::vector<Outcome> LaneFlow::Follow(Frame &frame, uint32_t lane_count,
                                      uint64_t waiting) {
  if (lane_count == 0 || lane_count > 64)
    return {};
  return Follower(frame, lane_count, waiting).Run();
}
