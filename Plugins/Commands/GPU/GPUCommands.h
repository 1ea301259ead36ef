//===-- GPUCommands.h - the commands `gpu ...` ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_GPU_GPUCOMMANDS_H
#define WAVELANE_COMMANDS_GPU_GPUCOMMANDS_H

#include "Commands/Base/CommandUtil.h"

namespace lldb_private {
namespace wavelane {

/// `gpu agent`, `queue`, `dispatch`, `workgroup` and `wave`, added to \a gpu.
void AddObjectCommands(CommandGroup &gpu, CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeAddressSpaceCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeGPUMemoryCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeMatrixCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeWaveNameCommand(CommandInterpreter &interpreter);
lldb::CommandObjectSP MakeWaveSummaryCommand(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
