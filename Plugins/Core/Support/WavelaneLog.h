//===-- WavelaneLog.h - log enable wavelane ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_SUPPORT_WAVELANELOG_H
#define WAVELANE_CORE_SUPPORT_WAVELANELOG_H

#include "lldb/Utility/Log.h"
#include "llvm/ADT/BitmaskEnum.h"

namespace lldb_private {
namespace wavelane {

/// The categories of LLDB's log channel "wavelane".
enum class WavelaneLog : Log::MaskType {
  Breakpoints = Log::ChannelFlag<0>,
  Expressions = Log::ChannelFlag<1>,
  Lanes = Log::ChannelFlag<2>,
  Waves = Log::ChannelFlag<3>,
  LLVM_MARK_AS_BITMASK_ENUM(Waves)
};
LLVM_ENABLE_BITMASK_ENUMS_IN_NAMESPACE();

/// Adds the channel to LLDB; once.
void InitializeLog();

} // namespace wavelane

template <> Log::Channel &LogChannelFor<wavelane::WavelaneLog>();

} // namespace lldb_private

#endif
