//===-- WaveProcess.h - the process of waves, for its parts -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVEPROCESS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVEPROCESS_H

#include "Core/Lane/LaneProcess.h"
#include "HostCoupling.h"
#include "ProcessGDBRemote.h"
#include "WaveStops.h"
#include "WaveThread.h"

#include <memory>
#include <optional>

namespace lldb_private {
namespace wavelane {

class UnwindCache;

/// What waves, and the parts of their process, need from it. Implemented by
/// ProcessAMDGPU.
class WaveProcess : public LaneProcess<process_gdb_remote::ProcessGDBRemote> {
public:
  using LaneProcess::LaneProcess;

  /// Sends one packet and returns the JSON of the answer.
  virtual llvm::Expected<StructuredData::ObjectSP>
  SendJSONPacket(llvm::StringRef packet) = 0;
  virtual std::shared_ptr<HostCoupling> GetCoupling() = 0;
  /// What the process is doing; GetState returns what LLDB's listeners know.
  virtual lldb::StateType GetRealState() = 0;

  /// \return The settings that waves have in common: those of the waves there
  /// are, else \a settings_sp, which LLDB has just copied from the user's.
  virtual lldb::OptionValuePropertiesSP
  ShareWaveSettings(const lldb::OptionValuePropertiesSP &settings_sp) = 0;
  /// How functions keep their callers' registers, for all waves.
  virtual std::shared_ptr<UnwindCache> GetUnwindCache() = 0;
  /// A wave, even if LLDB's list is short; see HeldWaves. May be null.
  virtual lldb::ThreadSP FindWave(lldb::tid_t tid) = 0;

  // See WaveFacts.
  virtual StructuredData::ObjectSP GetWaveInfo(lldb::tid_t tid) = 0;
  virtual void NameWaves(WaveThread &wave) = 0;
  virtual void FindOrigins() = 0;

  /// What the stop reply has reported; null if it didn't have the waves.
  virtual std::shared_ptr<const FoldedStop> GetFoldedStop() = 0;
  /// Sets a wave's stop reason in constant time, without reading its registers
  /// unless the reason is a rare one.
  virtual bool SetStopInfoOf(WaveThread &wave) = 0;
  /// The address where a wave has stopped, without reading its registers.
  virtual std::optional<lldb::addr_t> GetStopAddress(lldb::tid_t tid) = 0;
  /// The lanes that caused a wave's stop; 0 if unknown.
  virtual uint64_t GetStopLanes(lldb::tid_t tid) const = 0;

  /// Called before anything of the program is written. In the past, a new
  /// future begins there, with a warning.
  virtual Status PrepareWrite() = 0;
  /// See LoneWave.
  virtual bool OthersRunAlong() const = 0;
  /// See NonStop.
  virtual bool IsNonStop() const = 0;
  /// Whether waves are about to run on, and the server steps them over
  /// breakpoints: LLDB needs no registers for that.
  virtual bool LeavesStepsOver() const = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
