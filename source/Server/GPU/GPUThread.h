//===-- GPUThread.h - A wave as LLDB's server sees a thread -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_GPU_GPUTHREAD_H
#define WAVELANE_SERVER_GPU_GPUTHREAD_H

#include "Server/Wave/StopReasons.h"
#include "Server/Wave/TimeTravel.h"
#include "Server/Wave/WaveRunner.h"
#include "lldb/Host/common/NativeThreadProtocol.h"

namespace wavelane::server {

/// The parts of a process that its threads use.
struct WaveParts {
  GPUSession &session;
  WaveRunner &runner;
  WaveReader &reader;
  StopReasons &reasons;
  const TimeTravel &time;
  const GPURegisters &registers;
};

/// The registers of one wave.
class GPURegisterContext : public lldb_private::NativeRegisterContext {
public:
  GPURegisterContext(lldb_private::NativeThreadProtocol &thread,
                     const WaveParts &parts)
      : NativeRegisterContext(thread), m_parts(parts) {}

  uint32_t GetRegisterCount() const override {
    return m_parts.registers.GetCount();
  }
  uint32_t GetUserRegisterCount() const override {
    return m_parts.registers.GetCount();
  }
  const lldb_private::RegisterInfo *
  GetRegisterInfoAtIndex(uint32_t index) const override {
    return m_parts.registers.GetInfo(index);
  }
  uint32_t GetRegisterSetCount() const override {
    return m_parts.registers.GetSetCount();
  }
  const lldb_private::RegisterSet *
  GetRegisterSet(uint32_t index) const override {
    return m_parts.registers.GetSet(index);
  }
  lldb_private::Status
  ReadRegister(const lldb_private::RegisterInfo *info,
               lldb_private::RegisterValue &value) override;
  lldb_private::Status
  WriteRegister(const lldb_private::RegisterInfo *info,
                const lldb_private::RegisterValue &value) override;
  lldb_private::Status
  ReadAllRegisterValues(lldb::WritableDataBufferSP &data) override;
  lldb_private::Status
  WriteAllRegisterValues(const lldb::DataBufferSP &data) override;
  std::vector<uint32_t>
  GetExpeditedRegisters(lldb_private::ExpeditedRegs type) const override;

private:
  const WaveParts &m_parts;
};

/// A wave of the current stop.
class GPUThread : public lldb_private::NativeThreadProtocol {
public:
  GPUThread(lldb_private::NativeProcessProtocol &process,
            const WaveParts &parts, uint64_t wave)
      : NativeThreadProtocol(process, wave), m_parts(parts) {}

  std::string GetName() override;
  lldb::StateType GetState() override;
  lldb_private::NativeRegisterContext &GetRegisterContext() override;
  bool GetStopReason(lldb_private::ThreadStopInfo &info,
                     std::string &description) override;
  // Watchpoints belong to the whole process; there are no hardware breakpoints.
  lldb_private::Status SetWatchpoint(lldb::addr_t address, size_t size,
                                     uint32_t flags, bool hardware) override;
  lldb_private::Status RemoveWatchpoint(lldb::addr_t address) override;
  lldb_private::Status SetHardwareBreakpoint(lldb::addr_t address,
                                             size_t size) override;
  lldb_private::Status RemoveHardwareBreakpoint(lldb::addr_t address) override;

private:
  const WaveParts m_parts;
  std::shared_ptr<GPURegisterContext> m_context;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPU_GPUTHREAD_H
