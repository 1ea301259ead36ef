//===-- Agents.h - The GPUs of a program ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_AGENTS_H
#define WAVELANE_SERVER_AGENTS_H

#include "GPURegisters.h"
#include "GPUSession.h"

namespace wavelane::server {

class Agents {
public:
  explicit Agents(GPUSession &session) : m_session(session) {}

  /// In the order of their numbers.
  std::vector<amd_dbgapi_agent_id_t> GetAll();
  /// The architecture of the first agent that has one.
  std::optional<amd_dbgapi_architecture_id_t> GetArchitecture();

  /// The registers that waves have; null where there is no agent.
  const GPURegisters *GetRegisters();
  /// Of the first agent: "gfx90a"; empty where there is none.
  std::string GetProcessor();
  /// Empty for an architecture of no agent.
  std::string GetProcessor(amd_dbgapi_architecture_id_t architecture);
  /// Why code for the GPU \p processor, \p machine in ELF flags, isn't for any
  /// of the agents; empty where it may be.
  std::string DescribeForeignCode(uint32_t machine, llvm::StringRef processor);

  /// The breakpoint instruction of the GPU that some code is for; empty where
  /// there is no agent.
  /// \param get_machine  Asked, where there are several kinds of GPU, for the
  ///     code's machine in ELF flags.
  llvm::ArrayRef<uint8_t> GetTrap(llvm::function_ref<uint32_t()> get_machine);
  /// How many bytes past the breakpoint a wave is when it has hit it.
  uint64_t GetTrapAdjust() const { return m_trap_adjust; }

  /// Tells the session which agents of a core file can't be shown.
  /// \return Whether any can.
  bool DescribeCore();

private:
  /// One kind of GPU among the agents.
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

#endif // WAVELANE_SERVER_AGENTS_H
