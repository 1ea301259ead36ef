//===-- FindGPU.h - which program's GPU a command is about ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_BASE_FINDGPU_H
#define WAVELANE_COMMANDS_BASE_FINDGPU_H

namespace lldb_private {
class CommandInterpreter;
class CommandReturnObject;

namespace wavelane {
class ProcessAMDGPU;

/// The GPU's process: that of the command or the selected target, else the only
/// one of the debugger.
/// \param none  The error if no program uses a GPU; null for the usual one.
/// \return
///     Null if there is none; the error is in \a result if that isn't null.
ProcessAMDGPU *FindGPUProcess(CommandInterpreter &interpreter,
                              CommandReturnObject *result,
                              const char *none = nullptr);

/// Whether the selected target is a GPU without waves, for commands that need
/// one: then the error is in \a result.
bool MissesWave(CommandInterpreter &interpreter, CommandReturnObject &result);

} // namespace wavelane
} // namespace lldb_private

#endif
