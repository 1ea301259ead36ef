//===-- CoreWriter.h - Writes a core of host and GPU ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ELF core of a stopped program in the form of Linux's own, with the GPU
// core state among its notes, as ROCgdb's gcore writes it: debuggers that know
// nothing of GPUs open it as well.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_COREWRITER_H
#define WAVELANE_SERVER_COREWRITER_H

#include "lldb/Host/common/NativeProcessProtocol.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <utility>
#include <vector>

namespace wavelane::server {

/// Memory that shows something else than what stands there: a debugger's
/// breakpoints hide code.
using MemoryPatches = std::vector<std::pair<uint64_t, std::vector<uint8_t>>>;

/// Writes \p path, or leaves no file behind. \p process is stopped and traced
/// by the calling thread. As the kernel's cores it holds no code and no data of
/// files that the program has not changed.
llvm::Error WriteCore(lldb_private::NativeProcessProtocol &process,
                      llvm::ArrayRef<uint8_t> gpu_state,
                      const MemoryPatches &patches, const std::string &path);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_COREWRITER_H
