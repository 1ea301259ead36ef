//===-- SilentErrors.h - mistakes that a program doesn't notice -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_INSTRUMENTATIONRUNTIME_HIP_SILENTERRORS_H
#define WAVELANE_PLUGINS_INSTRUMENTATIONRUNTIME_HIP_SILENTERRORS_H

#include "lldb/lldb-types.h"

#include <string>

namespace lldb_private {
class Process;

namespace wavelane {

/// The function that the simulated GPU's HIP runtime, or its driver under AMD's
/// runtime, calls with each mistake that shows in nothing but wrong results:
/// when it is made, or when the program ends without having asked for its first
/// error.
inline constexpr char kSilentErrorFunction[] = "wavelane_on_silent_error";

/// The function that a program calls instead of the C library's _exit, so that
/// the runtime's work at exit is done.
inline constexpr char kExitFunction[] = "wavelane_exit";

/// A sentence about the mistake: "hipMalloc failed with hipErrorOutOfMemory
/// (2), called by main at a.hip:12, and the program ignored it".
/// \param info  The function's argument: the address of the runtime's record.
/// \return Empty if the record can't be read, or if the program uses the result
///     of the call that failed.
std::string DescribeSilentError(Process &process, lldb::addr_t info);

} // namespace wavelane
} // namespace lldb_private

#endif
