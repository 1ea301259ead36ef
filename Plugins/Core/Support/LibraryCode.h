//===-- LibraryCode.h - code that isn't the user's --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's headers are compiled into each program: `blockIdx.x` is a call of a
// function there. Steps skip such code, and stops in it show the user's line
// that it belongs to.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_SUPPORT_LIBRARYCODE_H
#define WAVELANE_CORE_SUPPORT_LIBRARYCODE_H

#include "lldb/Utility/FileSpec.h"
#include "lldb/lldb-forward.h"
#include "llvm/ADT/StringRef.h"

namespace lldb_private {
class SymbolContext;

namespace wavelane {

/// The paths of headers of HIP, ROCm and the compiler, as a regular expression.
inline constexpr char kDefaultLibraryFiles[] =
    "^/usr/(local/)?(include|lib)/|^/opt/rocm|/lib/clang/[0-9.]+/include/";

/// Sets the regular expression for the paths of such files; if empty, there are
/// none.
void SetLibraryFiles(llvm::StringRef regex);
bool IsLibraryFile(const FileSpec &file);
/// Whether the frame's line is in such a file, or it is a function of the
/// compiler's, such as __ockl_get_local_id.
bool IsLibraryCode(StackFrame &frame);

/// The first frame of the user's code, starting at the index \a from; if there
/// is none, the frame at \a from; null without frames.
lldb::StackFrameSP GetOwnFrame(Thread &thread, uint32_t from = 0);

/// Replaces the context of an address in code inlined from such files by that
/// of the place that it was inlined into. Keeps it if that is also in such a
/// file.
/// \param context  With its block, function and line entry.
void ClimbToOwnCode(const Address &address, SymbolContext &context);

} // namespace wavelane
} // namespace lldb_private

#endif
