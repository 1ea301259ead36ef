//===-- CalledFunctions.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CalledFunctions.h"
#include "RegisterWriters.h"
#include "wavelane/GPU/CallingConvention.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using Register = RegisterStep::Register;

/// A function that is called.
class CalledFunctions::Function {
public:
  explicit Function(addr_t address) : m_address(address) {}

  void Read(CalledFunctions &all);
  /// Whether it, or one that it calls, may write a register that the calling
  /// convention doesn't preserve.
  bool MayWrite(const Register &reg) const {
    return !m_is_known || m_written.count(reg);
  }

private:
  const addr_t m_address;
  bool m_is_read = false, m_is_known = false;
  std::vector<RegisterStep> m_steps;
  std::set<Register> m_written;

  friend class CalledFunctions;
};

/// A call in a function's code.
class CalledFunctions::Call : public CalledFunction {
public:
  Call(Caller &from, size_t step) : m_from(from), m_step(step) {}
  bool MayWrite(const Register &reg) override {
    const Function *function = Find();
    return !function || function->MayWrite(reg);
  }
  /// \return Null if it isn't known which one it is.
  Function *Find();

private:
  Caller &m_from;
  const size_t m_step;
  bool m_is_found = false;
  Function *m_function = nullptr;
};

/// A function with calls.
class CalledFunctions::Caller {
public:
  Caller(CalledFunctions &all, std::vector<RegisterStep> &steps)
      : m_all(all), m_steps(steps) {
    for (size_t i = 0; i < steps.size(); ++i)
      if (steps[i].calls) {
        calls.push_back(std::make_unique<Call>(*this, i));
        steps[i].callee = calls.back().get();
      }
  }

  Function *Find(size_t step) {
    // On the way to where the address is from, calls are only what the calling
    // convention says.
    if (m_is_searching)
      return nullptr;
    const llvm::SaveAndRestore searching(m_is_searching, true);
    std::optional<addr_t> callee;
    const std::vector<Register> &halves = m_steps[step].masks;
    if (halves.size() != 2)
      return nullptr;
    if (!m_writers)
      m_writers.emplace(m_steps);
    for (const Register &half : halves) {
      const RegisterWriters::Writers &found = m_writers->Find(half, step);
      if (found.HasOthers() || found.steps.size() != 1)
        return nullptr;
      const std::optional<addr_t> address =
          m_steps[*found.steps.begin()].address;
      if (!address || (callee && callee != address))
        return nullptr;
      callee = address;
    }
    return m_all.Find(*callee);
  }
  bool IsSearching() const { return m_is_searching; }

  std::vector<std::unique_ptr<Call>> calls;

private:
  CalledFunctions &m_all;
  const llvm::ArrayRef<RegisterStep> m_steps;
  std::optional<RegisterWriters> m_writers;
  bool m_is_searching = false;
};

CalledFunctions::Function *CalledFunctions::Call::Find() {
  if (!m_is_found && !m_from.IsSearching()) {
    m_is_found = true;
    m_function = m_from.Find(m_step);
  }
  return m_function;
}

void CalledFunctions::Function::Read(CalledFunctions &all) {
  m_steps = ReadRegisterSteps(all.m_code, m_address, all.m_read(m_address));
  all.Add(m_steps);
  bool is_known = !m_steps.empty();
  for (const RegisterStep &step : m_steps) {
    m_written.insert(step.written.begin(), step.written.end());
    if (step.calls) {
      const Function *callee = static_cast<Call *>(step.callee)->Find();
      is_known &= callee && callee->m_is_known;
      if (callee)
        for (const Register &reg : callee->m_written)
          if (!::wavelane::gpu::isCalleeSaved(reg.file, reg.number))
            m_written.insert(reg);
    } else if (step.writes_any) {
      is_known = false;
    }
    // It may go on in another function.
    const Register back[] = {{'s', 30}, {'s', 31}};
    if (!step.falls_through && !step.target && !step.masks.empty() &&
        !llvm::ArrayRef(step.masks).equals(back))
      is_known = false;
  }
  // Until here, it wasn't known to those that it calls, and that call it.
  m_is_known = is_known;
}

CalledFunctions::CalledFunctions(AMDGPUMachineCode &code, Reader read)
    : m_code(code), m_read(std::move(read)) {}

CalledFunctions::~CalledFunctions() = default;

void CalledFunctions::Add(std::vector<RegisterStep> &steps) {
  if (llvm::any_of(steps, [](const RegisterStep &step) { return step.calls; }))
    m_callers.push_back(std::make_unique<Caller>(*this, steps));
}

CalledFunctions::Function *CalledFunctions::Find(addr_t address) {
  constexpr unsigned deepest = 64;
  std::unique_ptr<Function> &function = m_functions[address];
  if (!function)
    function = std::make_unique<Function>(address);
  if (!function->m_is_read) {
    if (m_depth == deepest)
      return nullptr;
    const llvm::SaveAndRestore depth(m_depth, m_depth + 1);
    function->m_is_read = true;
    function->Read(*this);
  }
  return function.get();
}
