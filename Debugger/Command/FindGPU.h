//===-- FindGPU.h - which program's GPU a command is about ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_COMMAND_FINDGPU_H
#define WAVELANE_DEBUGGER_COMMAND_FINDGPU_H

namespace lldb_private {
class CommandInterpreter;
class CommandReturnObject;

namespace wavelane {
class ProcessAMDGPU;

/// The GPU's process: the command's or the selected target's, else the
/// debugger's only one.
/// \return
///     Null if there is none, after an error in \a result (if that isn't null).
ProcessAMDGPU *FindGPUProcess(CommandInterpreter &interpreter,
                              CommandReturnObject *result);

} // namespace wavelane
} // namespace lldb_private

#endif
