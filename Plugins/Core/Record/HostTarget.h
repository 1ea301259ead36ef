//===-- HostTarget.h - the program of a GPU's target ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_RECORD_HOSTTARGET_H
#define WAVELANE_CORE_RECORD_HOSTTARGET_H

#include <cstdint>
#include <string>

namespace lldb_private {
namespace wavelane {

/// What the launch info of a GPU's target has as its event data
/// (SBLaunchInfo::GetLaunchEventData), which is otherwise for a launch, so that
/// clients find the target of its program.
/// \param id  Of that target (SBTarget::GetGloballyUniqueID).
inline std::string GetHostTargetData(uint64_t id) {
  return "host-target=" + std::to_string(id);
}

} // namespace wavelane
} // namespace lldb_private

#endif
