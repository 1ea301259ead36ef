//===-- Settings.h - How a user wants GPUs debugged -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_LIBRARY_SETTINGS_H
#define WAVELANE_SERVER_LIBRARY_SETTINGS_H

#include "lldb/Utility/Environment.h"
#include "wavelane/DebugAPI/Library.h"
#include "wavelane/RuntimeChoice/RuntimeChoice.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace wavelane::server {

/// An exception that is reported on request.
enum class Exception {
  Memory,    ///< memory faults at the instruction that caused them
  Alu,       ///< arithmetic exceptions at their instruction
  LocalRange ///< accesses beyond a workgroup's local memory
};

/// The settings for the server (packets::Settings). Those that aren't set have
/// defaults.
struct Settings {
  std::optional<debugapi::Device> device;
  std::optional<runtimechoice::Runtime> runtime;
  std::optional<bool> leave_environment;
  std::optional<std::string> library; ///< the path of a ROCdbgapi library
  std::optional<std::vector<Exception>> exceptions;
  /// What is checked on the simulated GPU, as in the file of options that the
  /// device reads: "checks", separated by commas, and if they are set "kernel",
  /// "launches" and "leaks".
  std::optional<llvm::json::Object> check;
  std::optional<uint64_t> schedule; ///< the simulated GPU's

  /// Parses the packet's arguments. The error names the invalid one.
  static llvm::Expected<Settings> Parse(const llvm::json::Object &object);
  /// Reads the variables in the server's environment.
  static llvm::Expected<Settings> ReadEnvironment();
  /// These settings, completed by those of \p fallback.
  Settings Or(const Settings &fallback) const;

  bool operator==(const Settings &other) const {
    return device == other.device && runtime == other.runtime &&
           leave_environment == other.leave_environment &&
           library == other.library && exceptions == other.exceptions &&
           check == other.check && schedule == other.schedule;
  }
};

/// The device of a program: packets::DeviceVariable in its environment
/// overrides \p settings.
llvm::Expected<debugapi::Device>
GetDevice(const lldb_private::Environment &program, const Settings &settings);
/// The runtime of a program: runtimechoice::Variable overrides the settings.
llvm::Expected<runtimechoice::Runtime>
GetRuntime(const lldb_private::Environment &program, const Settings &settings);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LIBRARY_SETTINGS_H
