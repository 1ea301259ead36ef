//===-- NonStop.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NonStop.h"
#include "JSONPackets.h"
#include "ProcessAMDGPUProperties.h"
#include "WaveProcess.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/WaveMessages.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Target/Target.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace protocol = ::wavelane::protocol;

Status NonStop::Send(WaveProcess &process, bool keeps_others) {
  const bool is_wanted = GetProcessAMDGPUProperties().IsNonStop();
  if (is_wanted && process.GetCoreFile()) {
    if (!std::exchange(m_has_refused, true))
      Debugger::ReportWarning("plugin.process.amdgpu.non-stop: the waves of a "
                              "core file stop together",
                              process.GetTarget().GetDebugger().GetID());
    return Status();
  }
  if (is_wanted == m_is_on && (!is_wanted || keeps_others == m_keeps_others))
    return Status();
  protocol::NonStopRequest request;
  request.On = is_wanted;
  request.KeepsOthers = keeps_others;
  StringExtractorGDBRemote response;
  if (SendEscapedPacket(process.GetGDBRemote(),
                        ::wavelane::server::packets::Make(
                            ::wavelane::server::packets::NonStop,
                            std::move(*toJSON(request).getAsObject())),
                        response) !=
      process_gdb_remote::GDBRemoteCommunication::PacketResult::Success)
    return Status::FromErrorString("the server doesn't answer");
  if (response.IsErrorResponse())
    return Status::FromErrorStringWithFormatv(
        "plugin.process.amdgpu.non-stop can't be used: {0}",
        response.GetStatus().AsCString());
  if (!response.IsOKResponse())
    return Status::FromErrorString(
        "plugin.process.amdgpu.non-stop can't be used: this lldb-server has no "
        "non-stop mode");
  m_is_on = is_wanted;
  m_keeps_others = keeps_others;
  return Status();
}
