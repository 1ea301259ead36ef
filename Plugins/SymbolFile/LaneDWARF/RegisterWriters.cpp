//===-- RegisterWriters.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegisterWriters.h"
#include "llvm/ADT/STLExtras.h"

using namespace lldb_private::wavelane;

RegisterWriters::RegisterWriters(llvm::ArrayRef<RegisterStep> steps)
    : m_steps(steps), m_before(steps.size()) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].falls_through && i + 1 < steps.size())
      m_before[i + 1].push_back(i);
    if (steps[i].target)
      m_before[*steps[i].target].push_back(i);
  }
}

const RegisterWriters::Writers &RegisterWriters::Find(const Register &reg,
                                                      size_t step) {
  auto [known, is_new] = m_found.try_emplace({reg, step});
  if (is_new) {
    std::set<std::pair<Register, size_t>> seen;
    Search(reg, step, known->second, seen);
  }
  return known->second;
}

/// Whether a register may have something when a function begins that concerns
/// it. A calling convention passes arguments in the others.
static bool IsPassed(const RegisterStep::Register &reg) {
  constexpr unsigned vector_arguments = 32, scalar_arguments = 34;
  return reg.file == 'v'   ? reg.number < vector_arguments
         : reg.file == 's' ? reg.number < scalar_arguments
                           : reg.file != 'a';
}

bool RegisterWriters::IsUnwritten(const Register &reg, size_t step) {
  if (IsPassed(reg))
    return false;
  auto [known, is_new] =
      m_written.try_emplace(reg, unsigned(m_steps.size()), false);
  llvm::BitVector &written = known->second;
  if (!is_new)
    return !written.test(unsigned(step));
  std::vector<size_t> open;
  auto arrive = [&](size_t to) {
    if (to < m_steps.size() && !written.test(unsigned(to))) {
      written.set(unsigned(to));
      open.push_back(to);
    }
  };
  auto leave = [&](size_t from) {
    if (m_steps[from].falls_through)
      arrive(from + 1);
    if (m_steps[from].target)
      arrive(*m_steps[from].target);
  };
  for (size_t i = 0; i < m_steps.size(); ++i)
    if (m_steps[i].MayWrite(reg))
      leave(i);
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    leave(at);
  }
  return !written.test(unsigned(step));
}

namespace {

/// Among which lanes those are, before a step, that execute what is asked for:
/// a write in some of them doesn't replace the values of the others.
class AskedLanes {
public:
  bool AllExecute() const { return m_masks.empty() && !m_is_unknown; }
  bool operator<(const AskedLanes &other) const {
    return std::tie(m_is_unknown, m_may_execute, m_masks) <
           std::tie(other.m_is_unknown, other.m_may_execute, other.m_masks);
  }

  /// Goes back over a step.
  void Undo(const RegisterStep &step) {
    if (m_is_unknown)
      return;
    const bool may_execute = std::exchange(m_may_execute, false);
    const bool writes_mask =
        llvm::any_of(step.written, [this](const RegisterStep::Register &reg) {
          return m_masks.count(reg);
        });
    const bool forgets =
        llvm::any_of(m_masks, [&](const RegisterStep::Register &reg) {
          return step.MayWriteAny(reg);
        });
    m_is_unknown = forgets;
    if (writes_mask) {
      for (const RegisterStep::Register &reg : step.written)
        m_masks.erase(reg);
      Add(step, step.mask);
    }
    if (may_execute)
      Add(step, step.lanes);
  }

private:
  void Add(const RegisterStep &step, RegisterStep::Lanes lanes) {
    if (lanes == RegisterStep::Lanes::eUnknown)
      m_is_unknown = true;
    m_may_execute |=
        lanes == RegisterStep::Lanes::eExecuting || step.reads_exec;
    if (lanes == RegisterStep::Lanes::eMasks)
      m_masks.insert(step.masks.begin(), step.masks.end());
  }

  /// Some of them may be among those that execute the step.
  bool m_may_execute = true;
  /// Others are in these registers.
  std::set<RegisterStep::Register> m_masks;
  bool m_is_unknown = false;
};

} // namespace

void RegisterWriters::Search(const Register &reg, size_t step, Writers &found,
                             std::set<std::pair<Register, size_t>> &seen) {
  if (!seen.insert({reg, step}).second)
    return;
  const bool is_vector = reg.file == 'v' || reg.file == 'a';
  using State = std::pair<size_t, AskedLanes>;
  std::set<State> done;
  std::vector<State> open{{step, AskedLanes()}};
  std::vector<std::pair<Register, size_t>> copies;
  while (!open.empty()) {
    if (++m_work > kMostSteps) {
      found.has_unknown = true;
      return;
    }
    const auto [at, lanes] = std::move(open.back());
    open.pop_back();
    if (at == 0)
      found.is_passed = true;
    for (size_t before : m_before[at]) {
      const RegisterStep &writer = m_steps[before];
      AskedLanes next = lanes;
      auto written = llvm::find(writer.written, reg);
      const bool is_write = written != writer.written.end();
      if (writer.MayWriteAny(reg) && !is_write) {
        // A call's result is the call's.
        if (writer.calls) {
          found.steps.insert(before);
          continue;
        }
        found.has_unknown = true;
      }
      if (is_write) {
        if (writer.copied.empty())
          found.steps.insert(before);
        else
          copies.emplace_back(writer.copied[written - writer.written.begin()],
                              before);
        if (!is_vector || (!writer.is_partial && lanes.AllExecute()))
          continue;
      }
      if (is_vector)
        next.Undo(writer);
      State state{before, std::move(next)};
      if (done.insert(state).second)
        open.push_back(std::move(state));
    }
  }
  for (const auto &[source, copy] : copies)
    Search(source, copy, found, seen);
}
