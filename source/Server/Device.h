//===-- Device.h - Which GPU a program is debugged on -----------*- C++ -*-===//

#ifndef WAVELANE_SERVER_DEVICE_H
#define WAVELANE_SERVER_DEVICE_H

#include "wavelane/DebugAPI/Library.h"
#include "lldb/Utility/Environment.h"

namespace wavelane::server {

/// What WAVELANE_DEVICE says in the program's environment, or else in the
/// server's. The error names a value that is none of the three.
llvm::Expected<dbgapi::Device>
GetDevice(const lldb_private::Environment &program);

/// AMD's library wants KFD's device file. Where WAVELANE_DBGAPI_LIBRARY names a
/// library and the machine has no such file, this process begins anew, with \p argv,
/// under a library that stands in for the file (source/Simulator/Kfd).
void StandInForDeviceFile(char *argv[]);

/// Makes \p environment that of a program whose GPU code can be debugged: the
/// runtime waits for the debugger, and for the simulated device it is ours.
void SetEnvironment(lldb_private::Environment &environment,
                    dbgapi::Device device);

/// Opens the debug library for \p device: WAVELANE_DBGAPI_LIBRARY where set.
llvm::Expected<std::shared_ptr<dbgapi::Library>>
OpenLibrary(dbgapi::Device device);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_DEVICE_H
