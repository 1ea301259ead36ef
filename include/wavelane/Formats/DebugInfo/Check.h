//===-- Check.h - debug information that LLVM can read ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's readers of DWARF and of symbols end the process at some damaged files;
// these find the damage before.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_FORMATS_DEBUGINFO_CHECK_H
#define WAVELANE_FORMATS_DEBUGINFO_CHECK_H

#include "llvm/DebugInfo/DWARF/DWARFDataExtractor.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace wavelane::debuginfo {

/// \return An error if the line table at \p Begin in .debug_line, \p Lines, has
///     a form that LLVM's reader doesn't know.
llvm::Error checkLineTable(const llvm::DWARFDataExtractor &Lines,
                           uint64_t Begin);

/// \return An error if a section of symbols doesn't consist of symbols. The
///     iterators of LLVM's ELFObjectFile trust that.
llvm::Error checkSymbols(const llvm::object::ObjectFile &Object);

/// More than the compressed sections of any code object have.
inline constexpr uint64_t MostDecompressed = uint64_t(1) << 30;

/// \return An error if compressed sections say that they have more than
///     MostDecompressed bytes. LLVM takes that memory before it decompresses
///     any, and ends the process if there isn't enough.
llvm::Error checkCompressed(const llvm::object::ObjectFile &Object);

/// Checks the symbols and compressed sections of an object, all its units, and
/// their line tables.
llvm::Error check(const llvm::object::ObjectFile &Object);

} // namespace wavelane::debuginfo

#endif // WAVELANE_FORMATS_DEBUGINFO_CHECK_H
