//===-- RuntimeHook.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeHook.h"

#include <string>

namespace wavelane::library {

/// The r_debug versions whose trap handler is known.
static constexpr uint32_t OldestRDebug = 8, NewestRDebug = 11;

Status RuntimeHook::insert(bool &Good) {
  Good = false;
  int32_t Version = 0;
  uint64_t Address = 0;
  auto Read = [&](uint64_t From, void *To, uint64_t Size) {
    const Status Outcome = Memory.readAll(From, To, Size);
    return Outcome && Facts.Core ? Fatal : Outcome;
  };
  if (Status Outcome = Read(Facts.Runtime.r_debug, &Version, sizeof(Version)))
    return Outcome;
  if (Status Outcome = Read(Facts.Runtime.r_debug + 16, &Address, 8))
    return Outcome;
  Facts.RdebugVersion = uint32_t(Version);
  if (Version < int32_t(OldestRDebug) || Version > int32_t(NewestRDebug)) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "the program's ROCr has version " + std::to_string(Version) +
                      " of r_debug, and only versions " +
                      std::to_string(OldestRDebug) + " to " +
                      std::to_string(NewestRDebug) + " are known");
    return Success;
  }
  if (!Facts.Core) {
    const uint64_t Made = library().newId(Library::BreakpointId);
    if (library().Callbacks.insert_breakpoint(Client, Address, {Made}) !=
        Success) {
      library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                    "the client cannot put a breakpoint on the runtime's "
                    "code-object hook");
      return Success;
    }
    Breakpoint = Made;
  }
  Good = true;
  return Success;
}

void RuntimeHook::remove() {
  if (Breakpoint)
    library().Callbacks.remove_breakpoint(Client, {Breakpoint});
  Breakpoint = 0;
}

} // namespace wavelane::library
