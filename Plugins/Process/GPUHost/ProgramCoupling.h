//===-- ProgramCoupling.h - a program's host process and its GPU's --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_GPUHOST_PROGRAMCOUPLING_H
#define WAVELANE_PLUGINS_PROCESS_GPUHOST_PROGRAMCOUPLING_H

#include "Process/AMDGPU/HostCoupling.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>

namespace lldb_private {
class ArchSpec;
class FileSpec;

namespace wavelane {
class ProcessAMDGPU;

/// What a program's host process needs from its coupling with the GPU's, and
/// reports to it. Implemented by GPUCoupling.
class ProgramCoupling : public HostCoupling {
public:
  /// \param[in] end_input Ends the reading of the program's input where it goes
  ///     on although the host is stopped.
  /// \param[in] look_at_link Notices the end of the host while it is stopped.
  /// \param[in] look_at_overdue See LookAtOverdue.
  virtual void
  SetLooks(std::function<void()> end_input, std::function<void()> look_at_link,
           std::function<void(bool stop_is_reported)> look_at_overdue) = 0;

  /// Null until the program uses its GPU.
  virtual std::shared_ptr<ProcessAMDGPU> GetGPU() const = 0;

  /// Creates the GPU target, once, and connects it.
  /// \param[in] arch The GPU's architecture, as far as known.
  /// \param[in] url From the server: "unix-connect:///..." or
  ///     "connect://host:port".
  virtual llvm::Error Connect(const ArchSpec &arch, llvm::StringRef url) = 0;

  /// Creates the GPU target of a core file, and selects a wave that has stopped
  /// for a reason.
  /// \param[in] core The file that has the GPU's state.
  /// \param[in] host_core The file that has the host's memory; may be the same.
  virtual llvm::Error OpenCore(const FileSpec &core,
                               const FileSpec &host_core) = 0;

  /// Reads the list of code objects again and resolves breakpoints in them. The
  /// host is stopped in its runtime, and the GPU is stopped meanwhile; it
  /// continues with the host.
  virtual void RefreshModules() = 0;

  /// Whether \a process is being stopped because the other one has.
  virtual bool StopsForTheOther(Process &process) = 0;
  /// The debugger is about to detach from the host: detaches the GPU first.
  virtual void DetachGPU() = 0;
  /// The debugger has killed the host.
  virtual void HostIsGone() = 0;
  /// The host is about to end, or its server, though not by itself.
  virtual void HostIsLost(const ReportedEnd &end) = 0;
};

/// The couplings of all programs, which the session keeps.
struct ProgramCouplings {
  /// Of a host target; created on first use.
  std::shared_ptr<ProgramCoupling> (*get_or_create)(Target &host_target);
  /// Of either side's target; null if it has none.
  std::shared_ptr<ProgramCoupling> (*find)(Target &target);
};
/// Called once, before the first process.
void SetProgramCouplings(const ProgramCouplings &couplings);
const ProgramCouplings &GetProgramCouplings();

} // namespace wavelane
} // namespace lldb_private

#endif
