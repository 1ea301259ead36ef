//===-- RuntimeHook.h - A breakpoint in the program's runtime ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_RUNTIMEHOOK_H
#define WAVELANE_DEBUGLIBRARY_RUNTIMEHOOK_H

#include "Memory.h"
#include "Objects.h"

namespace wavelane::library {

/// The client's breakpoint where the runtime's list of code objects changes
/// (r_debug's r_brk). A core has none.
class RuntimeHook {
public:
  RuntimeHook(amd_dbgapi_client_process_id_t Client, ProgramMemory &Memory,
              ProcessFacts &Facts)
      : Client(Client), Memory(Memory), Facts(Facts) {}

  /// \param[out] Good  Whether the runtime's version is known, and its hook has
  ///     the breakpoint.
  Status insert(bool &Good);
  void remove();
  /// 0 without a breakpoint.
  uint64_t id() const { return Breakpoint; }

private:
  const amd_dbgapi_client_process_id_t Client;
  ProgramMemory &Memory;
  ProcessFacts &Facts;
  uint64_t Breakpoint = 0;
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_RUNTIMEHOOK_H
