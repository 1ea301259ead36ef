//===-- ApiLibrary.cpp - ROCdbgapi: the library as a whole ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"
#include "wavelane/Protocol/Library/Extensions.h"
#include <cstring>

using namespace wavelane::library;

/// Identifies this library to the loader (DebugAPI/Library.h).
EXPORT const int wavelane_dbgapi_embedded;
EXPORT const int wavelane_dbgapi_embedded = 1;

EXPORT amd_dbgapi_status_t
amd_dbgapi_get_status_string(amd_dbgapi_status_t Outcome, const char **Text) {
  static const char *const Texts[] = {
      "success",
      "error",
      "fatal error: the library's state is lost",
      "not implemented",
      "the information is not available",
      "not supported",
      "invalid argument",
      "arguments do not fit each other, or a size does not fit its query",
      "the library is already initialized",
      "the library is not initialized",
      "a restriction prevents debugging",
      "already attached to this process",
      "invalid architecture",
      "the bytes are not a legal instruction",
      "invalid code object",
      "unknown or unsupported AMDGPU machine in the ELF header",
      "invalid process",
      "the process has exited",
      "invalid agent",
      "invalid queue",
      "invalid dispatch",
      "invalid wave",
      "the wave is not stopped",
      "the wave is stopped",
      "a stop of the wave is outstanding",
      "the wave cannot be resumed",
      "invalid displaced step",
      "no buffer for a displaced step is free",
      "the wave is in a displaced step",
      "a wave in a displaced step can only be single-stepped",
      "invalid watchpoint",
      "no watchpoint is available",
      "invalid register class",
      "invalid register",
      "invalid lane",
      "invalid address class",
      "invalid address space",
      "memory cannot be accessed",
      "the address has no equivalent in that address space",
      "invalid event",
      "invalid breakpoint",
      "a callback of the client has failed",
      "the client does not know the process",
      "no such symbol",
      "the wave does not have this register",
      "invalid work-group",
      "the process is not in a state for this",
      "the process is frozen",
      "the process is already frozen",
      "the process is not frozen"};
  const int Index = -int(Outcome);
  if (!Text || Index < 0 || Index >= int(std::size(Texts)))
    return Invalid;
  *Text = Texts[Index];
  return Success;
}

EXPORT void amd_dbgapi_get_version(uint32_t *Major, uint32_t *Minor,
                                   uint32_t *Patch) {
  if (Major)
    *Major = AMD_DBGAPI_VERSION_MAJOR;
  if (Minor)
    *Minor = AMD_DBGAPI_VERSION_MINOR;
  if (Patch)
    *Patch = 0;
}

EXPORT const char *amd_dbgapi_get_build_name() {
  return "Wavelane (simulated device and GPU core files)";
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_initialize(amd_dbgapi_callbacks_t *Callbacks) {
  Library &Lib = library();
  if (Lib.Initialized)
    return AMD_DBGAPI_STATUS_ERROR_ALREADY_INITIALIZED;
  if (!Callbacks || !Callbacks->allocate_memory ||
      !Callbacks->deallocate_memory || !Callbacks->client_process_get_info ||
      !Callbacks->insert_breakpoint || !Callbacks->remove_breakpoint ||
      !Callbacks->xfer_global_memory || !Callbacks->log_message)
    return Invalid;
  Lib.Callbacks = *Callbacks;
  memset(Lib.NextId, 0, sizeof(Lib.NextId));
  Lib.Initialized = true;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_finalize() {
  NEEDS_LIBRARY();
  for (auto &Entry : library().Processes)
    Entry.second->detach();
  library().Processes.clear();
  library().Initialized = false;
  return Success;
}

EXPORT void amd_dbgapi_set_log_level(amd_dbgapi_log_level_t Level) {
  library().LogLevel = Level;
}
