//===-- Agents.h - The GPUs of a program ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_LIBRARY_AGENTS_H
#define WAVELANE_SERVER_LIBRARY_AGENTS_H

#include "GPURegisters.h"
#include "GPUSession.h"

namespace wavelane::server {

class Agents {
public:
  explicit Agents(GPUSession &session) : m_session(session) {}

  /// In ascending order of their numbers.
  llvm::Expected<std::vector<amd_dbgapi_agent_id_t>> GetAll();
  /// The architecture of the first agent with a known one.
  llvm::Expected<std::optional<amd_dbgapi_architecture_id_t>> GetArchitecture();

  /// The registers of waves; null if no agent is known.
  const GPURegisters *GetRegisters();
  /// The first agent's processor, such as "gfx90a"; empty if there is none.
  std::string GetProcessor();
  /// Empty if no agent has that architecture.
  std::string GetProcessor(amd_dbgapi_architecture_id_t architecture);
  /// Why code for the GPU \p processor, \p machine in ELF flags, can't run on
  /// any of the agents; empty if it can.
  std::string DescribeForeignCode(uint32_t machine, llvm::StringRef processor);

  /// The breakpoint instruction of the GPU that some code is for; empty if
  /// there is no agent. \param get_machine Called, if there are several kinds
  /// of GPU, for the code's machine in ELF flags.
  llvm::ArrayRef<uint8_t> GetTrap(llvm::function_ref<uint32_t()> get_machine);
  /// How many bytes past the breakpoint a wave is after hitting it.
  uint64_t GetTrapAdjust() const { return m_trap_adjust; }

  /// Reports to the session which agents of a core file can't be shown.
  /// \return Whether any can.
  bool DescribeCore();

private:
  /// A kind of GPU among the agents.
  struct Architecture {
    amd_dbgapi_architecture_id_t id;
    std::string name;
    uint32_t machine = 0;      ///< in ELF flags
    std::vector<uint8_t> trap; ///< the breakpoint instruction
  };

  Architecture ReadArchitecture(amd_dbgapi_architecture_id_t id);

  GPUSession &m_session;
  std::unique_ptr<GPURegisters> m_registers;
  std::vector<Architecture> m_architectures;
  uint64_t m_trap_adjust = 0;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LIBRARY_AGENTS_H
