//===-- VectorSize.h - vector registers as code uses them -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_VECTORSIZE_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_VECTORSIZE_H

#include "Core/Lane/FrameFacts.h"

namespace lldb_private {
namespace wavelane {

/// The size of register \a number, by DWARF, that x86-64 code uses. Its xmm,
/// ymm and zmm registers share their numbers, and the machine has the widest;
/// the instructions show which one is meant.
/// \param ranges The code, as file addresses; if empty, the frame's
///     function.
llvm::Expected<uint64_t>
GetUsedVectorSize(const FrameFacts &facts, uint64_t number,
                  llvm::ArrayRef<std::pair<uint64_t, uint64_t>> ranges);

} // namespace wavelane
} // namespace lldb_private

#endif
