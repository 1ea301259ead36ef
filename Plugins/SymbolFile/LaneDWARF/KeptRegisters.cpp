//===-- KeptRegisters.cpp ---------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KeptRegisters.h"
#include "llvm/ADT/STLExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

KeptRegisters::KeptRegisters(std::shared_ptr<AMDGPUMachineCode> code,
                             CalledFunctions::Reader read, addr_t start,
                             llvm::ArrayRef<uint8_t> bytes)
    : m_code(std::move(code)),
      m_steps(ReadRegisterSteps(*m_code, start, bytes)),
      m_called(*m_code, std::move(read)) {
  m_called.Add(m_steps);
}

std::vector<KeptRegisters::Range>
KeptRegisters::Find(llvm::ArrayRef<Register> registers,
                    llvm::function_ref<Place(addr_t)> place) const {
  // Whether the registers have the value before an instruction. It is assumed
  // at first, except where the function begins, and withdrawn where a path
  // contradicts.
  std::vector<bool> has(m_steps.size(), true), is_reached(m_steps.size());
  std::vector<Place> places;
  for (const RegisterStep &step : m_steps)
    places.push_back(place(step.pc));
  std::vector<size_t> queue;
  auto arrive = [&](size_t to, bool value) {
    if (to >= m_steps.size())
      return;
    if (is_reached[to] && (value || !has[to]))
      return;
    has[to] = has[to] && value;
    is_reached[to] = true;
    queue.push_back(to);
  };
  arrive(0, false);
  while (!queue.empty()) {
    const size_t i = queue.back();
    queue.pop_back();
    const RegisterStep &step = m_steps[i];
    const bool is_written = llvm::any_of(
        registers, [&](const Register &reg) { return step.MayWrite(reg); });
    const bool value = !is_written && (places[i] == Place::eHere ||
                                       (places[i] == Place::eGap && has[i]));
    if (step.falls_through)
      arrive(i + 1, value);
    if (step.target)
      arrive(*step.target, value);
  }
  std::vector<Range> kept;
  for (size_t i = 0; i < m_steps.size(); ++i)
    if (is_reached[i] && has[i] && places[i] == Place::eGap)
      kept.emplace_back(m_steps[i].pc, m_steps[i].end);
  return kept;
}
