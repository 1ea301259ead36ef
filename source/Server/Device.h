//===-- Device.h - Which GPU a program is debugged on -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_DEVICE_H
#define WAVELANE_SERVER_DEVICE_H

#include "lldb/Utility/Environment.h"
#include "wavelane/DebugAPI/Library.h"

namespace wavelane::server {

/// Whether a program that is started for \p device uses the simulated one.
bool RunsSimulated(debugapi::Device device);

/// Makes \p environment that of a program whose GPU code can be debugged: the
/// runtime waits for the debugger, and for the simulated device it is ours.
void SetEnvironment(lldb_private::Environment &environment,
                    debugapi::Device device);

/// Opens the debug library for \p device: the one at \p path unless that is
/// empty.
llvm::Expected<std::shared_ptr<debugapi::Library>>
OpenLibrary(debugapi::Device device, llvm::StringRef path);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_DEVICE_H
