//===-- WaveThread.h - a wave, for what steps and reads it ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVETHREAD_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVETHREAD_H

#include "Core/Lane/Wave.h"
#include "ThreadGDBRemote.h"
#include "WaveName.h"

#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// What the registers, the steps and the process of a wave need from it.
/// Implemented by ThreadAMDGPU.
class WaveThread : public process_gdb_remote::ThreadGDBRemote, public Wave {
public:
  using ThreadGDBRemote::ThreadGDBRemote;

  virtual WaveName &GetNames() = 0;
  virtual uint32_t GetFocusLane() = 0;
  /// The error for stepping a lane that won't run again in this wave, because
  /// its work-item is done or it has none. Empty for other lanes.
  virtual std::string DescribeEnd(uint32_t lane) = 0;
  /// Whether the unwinder has no caller for the frame with that index in the
  /// thread's list.
  virtual bool IsOutermost(uint32_t frame_idx) = 0;
  /// One number, or the three of a position, about this wave from the server.
  /// \param[in] key One of the keys of jWavelaneWaveInfo.
  virtual std::optional<std::vector<uint64_t>>
  GetWaveFact(llvm::StringRef key) = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
