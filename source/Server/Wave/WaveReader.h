//===-- WaveReader.h - A wave as the library has it -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_WAVEREADER_H
#define WAVELANE_SERVER_WAVE_WAVEREADER_H

#include "Server/Library/Agents.h"
#include "Server/Library/CodeObjects.h"
#include "Wave.h"

namespace wavelane::server {

/// Queries the library about waves, and caches the answers that don't change.
class WaveReader {
public:
  WaveReader(GPUSession &session, Agents &agents, CodeObjects &code_objects)
      : m_session(session), m_agents(agents), m_code_objects(code_objects) {}

  /// A handle of 0 if unknown.
  amd_dbgapi_architecture_id_t GetArchitecture(Wave &wave);
  /// The processor of the wave's agent, such as "gfx90a"; empty if unknown.
  std::string GetProcessor(Wave &wave);
  const WaveFacts &GetFacts(Wave &wave);
  std::shared_ptr<const WorkgroupFacts> GetWorkgroupFacts(Wave &wave);
  /// Unknown for waves that began before the debugger attached.
  std::optional<DispatchShape> GetDispatchShape(Wave &wave);
  /// The kernel's address if it has no symbol; empty if unknown.
  const std::string &GetKernelName(amd_dbgapi_dispatch_id_t dispatch);

  /// The program counter of a stopped wave.
  std::optional<uint64_t> GetPC(Wave &wave);
  std::optional<uint64_t> GetExec(Wave &wave);
  /// The lanes that really execute (wavelane/GPU/ExecutingLanes.h), a bit each.
  std::optional<uint64_t> GetActiveLanes(Wave &wave);
  /// The address of the instruction that ends where the wave is, whichever has
  /// been executed last.
  std::optional<uint64_t> GetInstructionBefore(Wave &wave);
  /// Empty if it can't be read.
  std::vector<uint8_t> ReadRegister(Wave &wave, llvm::StringRef name);

  /// Called when code objects have changed, since kernels may have other names.
  void ForgetNames();

private:
  GPUSession &m_session;
  Agents &m_agents;
  CodeObjects &m_code_objects;
  std::map<uint64_t, std::string> m_kernels;
  /// Facts of workgroups that have waves, and of some that have ended.
  std::map<uint64_t, std::shared_ptr<const WorkgroupFacts>> m_workgroups;
  /// When there are more than this, those of ended workgroups are forgotten.
  size_t m_max_workgroups = 1024;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_WAVEREADER_H
