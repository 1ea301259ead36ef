//===-- Check.h - debug information that LLVM can read ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's readers of DWARF end the process at some damaged debug information;
// these find it before.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_DEBUGINFO_CHECK_H
#define WAVELANE_DEBUGINFO_CHECK_H

#include "llvm/DebugInfo/DWARF/DWARFDataExtractor.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace wavelane::debuginfo {

/// \return An error if the line table at \p Begin in .debug_line, \p Lines, has
///     a form that LLVM's reader doesn't know.
llvm::Error checkLineTable(const llvm::DWARFDataExtractor &Lines,
                           uint64_t Begin);

/// Checks all units of an object, and their line tables.
llvm::Error check(const llvm::object::ObjectFile &Object);

} // namespace wavelane::debuginfo

#endif // WAVELANE_DEBUGINFO_CHECK_H
