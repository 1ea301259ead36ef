//===-- GPUThread.cpp - A wave as LLDB's server sees a thread -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUThread.h"
#include "lldb/Utility/RegisterValue.h"

using namespace lldb_private;

namespace wavelane::server {

Status GPURegisterContext::ReadRegister(const RegisterInfo *info,
                                        RegisterValue &value) {
  Wave *wave = m_parts.runner.Find(GetThreadID());
  if (!info || !wave)
    return Status::FromErrorString("the wave has ended");
  if (wave->running)
    return Status::FromErrorString("the wave is running");
  uint8_t bytes[RegisterValue::kMaxRegisterByteSize];
  const uint32_t index = info->kinds[lldb::eRegisterKindLLDB];
  GPUSession &session = m_parts.session;
  if (index == GPURegisters::PC && info->byte_size == sizeof(uint64_t)) {
    std::optional<uint64_t> pc = m_parts.reader.GetPC(*wave);
    if (!pc)
      return Status::FromErrorString(
          "the wave's program counter can't be read");
    value.SetUInt64(*pc);
    return Status();
  }
  if (!session.IsAttached())
    return Status::FromErrorString("GPU debugging has ended");
  if (llvm::Error error =
          session.Check(session.fn().read_register(
                            wave->id,
                            m_parts.registers.GetID(
                                index, m_parts.reader.GetArchitecture(*wave)),
                            0, info->byte_size, bytes),
                        "reading a register"))
    return Status::FromError(std::move(error));
  value.SetBytes(bytes, info->byte_size, lldb::eByteOrderLittle);
  return Status();
}

Status GPURegisterContext::WriteRegister(const RegisterInfo *info,
                                         const RegisterValue &value) {
  Wave *wave = m_parts.runner.Find(GetThreadID());
  GPUSession &session = m_parts.session;
  if (!info || !wave || !session.IsAttached())
    return Status::FromErrorString("the wave has ended");
  if (wave->running)
    return Status::FromErrorString("the wave is running");
  if (session.GetCore())
    return Status::FromErrorString(
        "registers can't be written: the process is a core file");
  if (Status error = m_parts.time.CheckPresent(); error.Fail())
    return error;
  if (value.GetByteSize() != info->byte_size)
    return Status::FromErrorStringWithFormat("register %s has %u bytes",
                                             info->name, info->byte_size);
  const uint32_t index = info->kinds[lldb::eRegisterKindLLDB];
  if (llvm::Error error =
          session.Check(session.fn().write_register(
                            wave->id,
                            m_parts.registers.GetID(
                                index, m_parts.reader.GetArchitecture(*wave)),
                            0, info->byte_size, value.GetBytes()),
                        "writing a register"))
    return Status::FromError(std::move(error));
  if (index == GPURegisters::PC) {
    wave->PCWritten();
    m_parts.runner.NoteChange(*wave);
  }
  return Status();
}

Status
GPURegisterContext::ReadAllRegisterValues(lldb::WritableDataBufferSP &data) {
  return Status::FromErrorString("the registers of a wave are read one by one");
}

Status
GPURegisterContext::WriteAllRegisterValues(const lldb::DataBufferSP &data) {
  return Status::FromErrorString(
      "the registers of a wave are written one by one");
}

std::vector<uint32_t>
GPURegisterContext::GetExpeditedRegisters(ExpeditedRegs type) const {
  if (type == ExpeditedRegs::Minimal)
    return {GPURegisters::PC};
  return {GPURegisters::PC, GPURegisters::Exec};
}

std::string GPUThread::GetName() {
  Wave *wave = m_parts.runner.Find(GetID());
  return wave ? m_parts.reader.GetFacts(*wave).name : std::string();
}

lldb::StateType GPUThread::GetState() {
  Wave *wave = m_parts.runner.Find(GetID());
  if (!wave)
    return lldb::eStateExited;
  if (!wave->running)
    return lldb::eStateStopped;
  return wave->stepping ? lldb::eStateStepping : lldb::eStateRunning;
}

NativeRegisterContext &GPUThread::GetRegisterContext() {
  if (!m_context)
    m_context = std::make_shared<GPURegisterContext>(*this, m_parts);
  return *m_context;
}

bool GPUThread::GetStopReason(ThreadStopInfo &info, std::string &description) {
  Wave *wave = m_parts.runner.Find(GetID());
  if (!wave || wave->running)
    return false;
  m_parts.reasons.Get(*wave, info, description);
  return true;
}

Status GPUThread::SetWatchpoint(lldb::addr_t address, size_t size,
                                uint32_t flags, bool hardware) {
  return Status::FromErrorString("watchpoints are set for all waves");
}

Status GPUThread::RemoveWatchpoint(lldb::addr_t address) {
  return Status::FromErrorString("watchpoints are set for all waves");
}

Status GPUThread::SetHardwareBreakpoint(lldb::addr_t address, size_t size) {
  return Status::FromErrorString("GPUs have no hardware breakpoints");
}

Status GPUThread::RemoveHardwareBreakpoint(lldb::addr_t address) {
  return Status::FromErrorString("GPUs have no hardware breakpoints");
}

} // namespace wavelane::server
