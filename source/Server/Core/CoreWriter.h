//===-- CoreWriter.h - Writes a core of host and GPU ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an ELF core of a stopped program in Linux's own format, with the GPU
// core state among its notes, like ROCgdb's gcore. Debuggers without GPU
// support can open it, too.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_CORE_COREWRITER_H
#define WAVELANE_SERVER_CORE_COREWRITER_H

#include "Server/Wave/GPUMemory.h"
#include "lldb/Host/common/NativeProcessProtocol.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace wavelane::server {

/// Writes \p path; leaves no file behind on failure. \p process must be stopped
/// and traced by the calling thread. Like the kernel's cores, omits code and
/// data of files that the program hasn't changed.
/// \param findings  What checks have found, for the core's note; may be empty.
llvm::Error WriteCore(lldb_private::NativeProcessProtocol &process,
                      llvm::ArrayRef<uint8_t> gpu_state,
                      llvm::StringRef findings, const MemoryPatches &patches,
                      const std::string &path);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_CORE_COREWRITER_H
