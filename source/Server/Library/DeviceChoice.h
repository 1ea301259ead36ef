//===-- DeviceChoice.h - Which GPU a program is debugged on -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_LIBRARY_DEVICECHOICE_H
#define WAVELANE_SERVER_LIBRARY_DEVICECHOICE_H

#include "lldb/Utility/Environment.h"
#include "wavelane/DebugAPI/Library.h"
#include "wavelane/RuntimeChoice/RuntimeChoice.h"
#include <optional>

namespace wavelane::server {

/// Whether a program started for \p device uses the simulated one.
bool RunsSimulated(debugapi::Device device);

/// Changes \p environment for a program with GPU debugging: the runtime waits
/// for the debugger, and uses the simulated device if \p device says so.
/// \return Why the runtime that was asked for will fail; empty if unknown.
std::string SetEnvironment(lldb_private::Environment &environment,
                           debugapi::Device device,
                           runtimechoice::Runtime runtime,
                           llvm::StringRef program);

/// The process that simulates the GPU of \a program; none if there is none.
std::optional<lldb::pid_t> FindDeviceProcess(lldb::pid_t program);

/// The folder in which the simulated device of \a program puts what it finds
/// (simulator::CheckFolderVariable), or that of this process; empty if there is
/// none. A program can name any folder.
std::string GetCheckFolder(lldb::pid_t program);

/// Opens the debug library for \p device: the one at \p path unless that is
/// empty.
llvm::Expected<std::shared_ptr<debugapi::Library>>
OpenLibrary(debugapi::Device device, llvm::StringRef path);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LIBRARY_DEVICECHOICE_H
