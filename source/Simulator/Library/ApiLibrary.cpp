//===-- ApiLibrary.cpp - ROCdbgapi: the library as a whole ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"
#include "wavelane/DebugAPI/Extensions.h"
#include <cstring>

using namespace wavelane::library;

/// Tells the loader (DebugAPI/Library.h) whose library this is.
EXPORT const int wavelane_dbgapi_embedded;
EXPORT const int wavelane_dbgapi_embedded = 1;

EXPORT amd_dbgapi_status_t
amd_dbgapi_get_status_string(amd_dbgapi_status_t status, const char **text) {
  static const char *const Texts[] = {
      "success",
      "error",
      "fatal error: the library's state is lost",
      "not implemented",
      "the information is not available",
      "not supported",
      "invalid argument",
      "arguments do not fit each other, or a size does not fit its query",
      "the library is initialised already",
      "the library is not initialised",
      "a restriction prevents debugging",
      "attached to this process already",
      "invalid architecture",
      "the bytes are no legal instruction",
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
      "the process is in no state for this",
      "the process is frozen",
      "the process is frozen already",
      "the process is not frozen"};
  const int index = -int(status);
  if (!text || index < 0 || index >= int(std::size(Texts)))
    return Invalid;
  *text = Texts[index];
  return Success;
}

EXPORT void amd_dbgapi_get_version(uint32_t *major, uint32_t *minor,
                                   uint32_t *patch) {
  if (major)
    *major = AMD_DBGAPI_VERSION_MAJOR;
  if (minor)
    *minor = AMD_DBGAPI_VERSION_MINOR;
  if (patch)
    *patch = 0;
}

EXPORT const char *amd_dbgapi_get_build_name() {
  return "Wavelane (simulated device and GPU core files)";
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_initialize(amd_dbgapi_callbacks_t *callbacks) {
  Library &lib = library();
  if (lib.initialized)
    return AMD_DBGAPI_STATUS_ERROR_ALREADY_INITIALIZED;
  if (!callbacks || !callbacks->allocate_memory ||
      !callbacks->deallocate_memory || !callbacks->client_process_get_info ||
      !callbacks->insert_breakpoint || !callbacks->remove_breakpoint ||
      !callbacks->xfer_global_memory || !callbacks->log_message)
    return Invalid;
  lib.callbacks = *callbacks;
  memset(lib.nextId, 0, sizeof(lib.nextId));
  lib.initialized = true;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_finalize() {
  NEEDS_LIBRARY();
  for (auto &entry : library().processes)
    entry.second->detach();
  library().processes.clear();
  library().initialized = false;
  return Success;
}

EXPORT void amd_dbgapi_set_log_level(amd_dbgapi_log_level_t level) {
  library().logLevel = level;
}
