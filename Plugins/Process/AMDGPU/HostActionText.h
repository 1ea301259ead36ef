//===-- HostActionText.h - what the program did, in a line ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host isn't recorded, but the device remembers what it was asked for:
// copies, fills and launches. Waves that go back or forward cross them.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_HOSTACTIONTEXT_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_HOSTACTIONTEXT_H

#include "wavelane/Protocol/Device/HistoryMessages.h"

#include <cstdint>
#include <string>

namespace lldb_private {
namespace wavelane {

class WaveProcess;

/// "the host's copy of 4000 bytes to 0x2000... (saxpy.hip:31)".
std::string DescribeHostAction(WaveProcess &process,
                               const ::wavelane::protocol::HostAction &action);

/// Shows the user what the host did between two positions of the recording, a
/// line each.
void ReportCrossedActions(WaveProcess &process, int64_t from, int64_t to);

} // namespace wavelane
} // namespace lldb_private

#endif
