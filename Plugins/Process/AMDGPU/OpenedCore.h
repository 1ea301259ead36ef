//===-- OpenedCore.h - the core file of a process ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_OPENEDCORE_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_OPENEDCORE_H

#include "wavelane/Protocol/Server/ProgramMessages.h"

#include "lldb/Utility/FileSpec.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// The core file that a process is opened from, if it isn't a program that
/// runs. Its waves may run on, on a simulated GPU.
class OpenedCore {
public:
  /// \param[in] file Empty for a program that runs.
  explicit OpenedCore(const FileSpec &file) : m_file(file) {}

  explicit operator bool() const { return bool(m_file); }
  const FileSpec &GetFile() const { return m_file; }
  /// Sets the file with the memory that the core file lacks; it may be the same
  /// one, which then has both sides.
  void SetHostCore(const FileSpec &host_core) { m_host_core = host_core; }
  /// The file with the host's memory: the one that was set, or the one that
  /// FindHostCore finds. Empty if the core has it, or nobody.
  FileSpec GetHostCore() const;

  /// Whether waves run, or have done so since the core was opened.
  bool IsLive() const { return !m_file || m_simulates; }
  bool Simulates() const { return m_simulates; }
  /// Lets the waves of a core run on.
  /// \param[in] ask Asks the server (packets::Simulate).
  /// \return The server's answer; unset for a process that is live already.
  llvm::Expected<std::optional<::wavelane::protocol::Simulation>> Simulate(
      llvm::function_ref<llvm::Expected<::wavelane::protocol::Simulation>()>
          ask);
  /// What begins now, in a line.
  std::string Describe(const ::wavelane::protocol::Simulation &begun) const;

private:
  FileSpec m_file, m_host_core;
  bool m_simulates = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
