//===-- Device.h - Which GPU a program is debugged on -----------*- C++ -*-===//

#ifndef WAVELANE_SERVER_DEVICE_H
#define WAVELANE_SERVER_DEVICE_H

#include "wavelane/DebugAPI/Library.h"
#include "lldb/Utility/Environment.h"

namespace wavelane::server {

/// Whether a program that is started for \p device uses the simulated one.
bool RunsSimulated(dbgapi::Device device);

/// Makes \p environment that of a program whose GPU code can be debugged: the
/// runtime waits for the debugger, and for the simulated device it is ours.
void SetEnvironment(lldb_private::Environment &environment,
                    dbgapi::Device device);

/// Opens the debug library for \p device: the one at \p path unless that is empty.
llvm::Expected<std::shared_ptr<dbgapi::Library>>
OpenLibrary(dbgapi::Device device, llvm::StringRef path);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_DEVICE_H
