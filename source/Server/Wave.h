//===-- Wave.h - What the server holds of a wave ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_H
#define WAVELANE_SERVER_WAVE_H

#include "wavelane/DebugAPI/amd-dbgapi.h"
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace wavelane::server {

/// What is the same for all waves of a workgroup.
struct WorkgroupFacts {
  uint64_t agent = 0, queue = 0, dispatch = 0, workgroup_id = 0;
  size_t lane_count = 0;
  /// Unknown for waves that began before the debugger attached.
  bool has_position = false;
  uint32_t workgroup[3] = {};
  std::string kernel;
};

/// What is the same for a wave as long as it lives.
struct WaveFacts : WorkgroupFacts {
  uint32_t wave_in_workgroup = 0;
  std::string name;
};

/// Sizes of a dispatch, in work-items.
struct DispatchShape {
  std::array<uint16_t, 3> workgroup;
  std::array<uint32_t, 3> grid;
  /// Where its kernel's arguments are.
  std::optional<uint64_t> arguments;
};

struct Wave {
  explicit Wave(amd_dbgapi_wave_id_t id) : id(id) {}

  const amd_dbgapi_wave_id_t id;
  bool running = true;
  /// The client steps it by one instruction.
  bool stepping = false;
  /// It has stopped since the process was last resumed: the reasons are new.
  bool stopped_now = false;
  /// Of its last stop: amd_dbgapi_wave_stop_reasons_t bits.
  uint32_t reasons = 0;
  /// It was chosen to show an interrupt.
  bool interrupted = false;
  /// The user has moved it away from a fault.
  bool fault_ignored = false;
  /// Steps an instruction out of line.
  std::optional<amd_dbgapi_displaced_stepping_id_t> displaced;
  /// The lanes that the stop is about, if they are known: those for which a
  /// condition holds, that accessed what is watched, or that faulted.
  uint64_t stop_lanes = 0;
  /// Of a watchpoint stop: the address that the client asked to watch.
  std::optional<uint64_t> watch_address;
  /// Computed on demand, until it runs again.
  std::optional<std::string> description;
  std::optional<uint64_t> pc;
  std::optional<amd_dbgapi_architecture_id_t> architecture;
  std::shared_ptr<const WorkgroupFacts> workgroup;
  std::unique_ptr<WaveFacts> facts;

  /// The user has moved it.
  void PCWritten() {
    pc.reset();
    fault_ignored = true;
  }
};

/// By number, which is the wave's thread ID for the client.
using Waves = std::map<uint64_t, Wave>;

/// A wave that is to run.
struct WaveStart {
  amd_dbgapi_wave_id_t wave;
  bool step;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_H
