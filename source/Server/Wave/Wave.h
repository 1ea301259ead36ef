//===-- Wave.h - What the server holds of a wave ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_WAVE_H
#define WAVELANE_SERVER_WAVE_WAVE_H

#include "wavelane/Protocol/Library/amd-dbgapi.h"
#include "wavelane/Protocol/Server/Stop.h"
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace wavelane::server {

/// Facts that all waves of a workgroup share.
struct WorkgroupFacts {
  uint64_t agent = 0, queue = 0, dispatch = 0, workgroup_id = 0;
  size_t lane_count = 0;
  /// Unknown for waves that began before the debugger attached.
  bool has_position = false;
  uint32_t workgroup[3] = {};
  std::string kernel;
};

/// Facts that don't change while a wave lives.
struct WaveFacts : WorkgroupFacts {
  uint32_t wave_in_workgroup = 0;
  std::string name;
};

/// The sizes of a dispatch, in work-items.
struct DispatchShape {
  std::array<uint16_t, 3> workgroup;
  std::array<uint32_t, 3> grid;
  /// The address of its kernel's arguments.
  std::optional<uint64_t> arguments;
};

struct Wave {
  explicit Wave(amd_dbgapi_wave_id_t id) : id(id) {}

  const amd_dbgapi_wave_id_t id;
  /// WaveRunner::SetRunning() sets it.
  bool running = true;
  /// WaveRunner::NoteChange() was called for it.
  bool changed = false;
  /// The number of its fold (WaveFolds).
  uint32_t fold = 0;
  /// The client steps the wave by one instruction.
  bool stepping = false;
  /// The wave is to run once others have stepped over a breakpoint.
  bool waits = false;
  /// The wave has stopped since the process was last resumed, so its reasons
  /// are new.
  bool stopped_now = false;
  /// The amd_dbgapi_wave_stop_reasons_t bits of its last stop.
  uint32_t reasons = 0;
  /// The wave was chosen to show an interrupt.
  bool interrupted = false;
  /// The user has moved the wave away from a fault.
  bool fault_ignored = false;
  /// The wave steps an instruction out of line.
  std::optional<amd_dbgapi_displaced_stepping_id_t> displaced;
  /// The lanes that caused the stop, if known: those for which a condition
  /// holds, that accessed watched memory, or that faulted.
  uint64_t stop_lanes = 0;
  /// It has stopped because there is nothing before or after, with this text.
  std::string boundary;
  /// The number of the check's finding that it has stopped for.
  std::optional<uint64_t> finding;
  /// The address that the client asked to watch, for a watchpoint stop.
  std::optional<uint64_t> watch_address;
  /// If its instruction has hit several, all of them.
  std::vector<protocol::WatchedAccess> all_watched;
  /// Computed on demand; valid until the wave runs again.
  std::optional<protocol::Stop> stop;
  std::optional<uint64_t> pc;
  std::optional<amd_dbgapi_architecture_id_t> architecture;
  std::shared_ptr<const WorkgroupFacts> workgroup;
  std::unique_ptr<WaveFacts> facts;

  /// Called when the user has moved the wave.
  void PCWritten() {
    pc.reset();
    fault_ignored = true;
  }
};

/// By number, which is the wave's thread ID for the client.
using Waves = std::map<uint64_t, Wave>;

/// A wave to run.
struct WaveStart {
  amd_dbgapi_wave_id_t wave;
  bool step;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_WAVE_H
