//===-- CalledFunction.h - what a call instruction calls --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_INSTRUMENTATIONRUNTIME_HIP_CALLEDFUNCTION_H
#define WAVELANE_PLUGINS_INSTRUMENTATIONRUNTIME_HIP_CALLEDFUNCTION_H

#include "lldb/lldb-types.h"

#include <string>

namespace lldb_private {
class FileSpec;
class Target;

namespace wavelane {

/// The function that the direct call in front of \a return_address calls. The
/// stack may lack it: a function can jump to another one instead of calling it.
/// \return Its name without arguments, also if it is called through the
///     procedure linkage table; empty if it isn't known.
std::string GetCalledFunction(Target &target, lldb::addr_t return_address);

/// Whether \a file is a library of the runtime: HIP's, HSA's, or the simulated
/// GPU's driver, whose functions of the same names stand before AMD's.
bool IsRuntimeLibrary(const FileSpec &file);

} // namespace wavelane
} // namespace lldb_private

#endif
