//===-- FunctionUnwind.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionUnwind.h"
#include "InstructionEffect.h"

#include <vector>

using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::gpu::ControlFlow;

// More passes than any code's nested loops need.
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
      const ControlFlow flow = step.instruction->facts->Flow;
      if (step.instruction->branches && !step.instruction->calls) {
        step.target = code.GetBranchTarget(step.instruction->inst, pc, size);
        step.conditional = flow == ControlFlow::ConditionalBranch;
        step.falls_through = step.conditional || step.instruction->waits;
      } else if (flow == ControlFlow::End) {
        step.falls_through = false;
      }
    }
    steps.push_back(std::move(step));
    bytes = bytes.drop_front(size);
    pc += size;
  }
  m_end = pc;

  // Where several paths meet, only facts that hold on all of them remain.
  // Repeat until no path, including a loop's, removes anything more. Only then
  // is it known which code is reached by unseen paths, such as a jump through a
  // table.
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
