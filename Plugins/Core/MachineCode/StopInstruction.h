//===-- StopInstruction.h - what a stop is about ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wave stops after the instruction that traps, or whose access fails;
// without precise memory it may have gone on. The place to show is that of the
// instruction.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_MACHINECODE_STOPINSTRUCTION_H
#define WAVELANE_CORE_MACHINECODE_STOPINSTRUCTION_H

#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include <optional>

namespace lldb_private {
class Target;

namespace wavelane {

struct StopInstruction {
  lldb::addr_t address; ///< in the instruction
  bool is_last; ///< the wave is right after it, and hasn't gone on since
};

/// The instruction that \a info is about.
/// \param pc Of the wave.
/// \return nullopt if the wave is at it, or for a stop that isn't about one.
std::optional<StopInstruction>
FindStopInstruction(Target &target, StopInfo &info, lldb::addr_t pc);

} // namespace wavelane
} // namespace lldb_private

#endif
