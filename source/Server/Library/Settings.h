//===-- Settings.h - How a user wants GPUs debugged -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_LIBRARY_SETTINGS_H
#define WAVELANE_SERVER_LIBRARY_SETTINGS_H

#include "lldb/Utility/Environment.h"
#include "wavelane/DebugAPI/Library.h"
#include "wavelane/Protocol/Server/SettingsMessages.h"
#include "wavelane/RuntimeChoice/RuntimeChoice.h"
#include "llvm/Support/JSON.h"

namespace wavelane::server {

using protocol::Exception;
using Settings = protocol::ServerSettings;

/// Completes settings by the variables in the server's environment. Fails if
/// one is wrong that would count.
llvm::Expected<Settings> CompleteByEnvironment(const Settings &settings);

/// What is checked on the simulated GPU, as in the file of options that the
/// device reads: "checks", separated by commas, and if they are set "kernel",
/// "launches", "leaks" and "shadowLimit".
llvm::json::Object GetCheckOptions(const Settings &settings);
/// Whether the setting \p key belongs to GetCheckOptions().
bool IsCheckOption(llvm::StringRef key);

/// The device of a program: packets::DeviceVariable in its environment
/// overrides \p settings.
llvm::Expected<debugapi::Device>
GetDevice(const lldb_private::Environment &program, const Settings &settings);
/// The runtime of a program: runtimechoice::Variable overrides the settings.
llvm::Expected<runtimechoice::Runtime>
GetRuntime(const lldb_private::Environment &program, const Settings &settings);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LIBRARY_SETTINGS_H
