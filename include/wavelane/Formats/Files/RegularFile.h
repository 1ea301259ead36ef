//===-- RegularFile.h - files that others have named ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information and a program's loader name files, and may be wrong or
// malicious: a pipe is waited for forever, a device has no end, a size may be
// larger than the file. MemoryBuffer trusts them all.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_FORMATS_FILES_REGULARFILE_H
#define WAVELANE_FORMATS_FILES_REGULARFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace wavelane::files {

/// More than any source file or code object has.
inline constexpr uint64_t MostBytes = uint64_t(1) << 30;

/// Reads a regular file, or \p Size bytes at \p Offset in it.
/// \return An error if it isn't a regular file, has fewer bytes, or these are
///     more than MostBytes.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readRegular(llvm::StringRef Path, uint64_t Offset = 0,
            std::optional<uint64_t> Size = std::nullopt);

/// Maps a regular file of any size, or reads it if it is small. Nothing follows
/// its end.
/// \return An error if it isn't a regular file.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
mapRegular(llvm::StringRef Path);

} // namespace wavelane::files

#endif // WAVELANE_FORMATS_FILES_REGULARFILE_H
