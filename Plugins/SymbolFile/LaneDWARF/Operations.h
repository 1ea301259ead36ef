//===-- Operations.h - which operations an expression has -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_OPERATIONS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_OPERATIONS_H

#include "lldb/Utility/DataExtractor.h"
#include <optional>

namespace lldb_private {
namespace wavelane {

/// The size of the operands at \a offset, for the operation before them. \a
/// data may extend beyond the expression.
std::optional<lldb::offset_t> GetOperandSize(const DataExtractor &data,
                                             lldb::offset_t offset);

/// Whether \a expression uses the AMD extension, in either of its encodings.
bool HasAMDOperation(const DataExtractor &expression);

/// Whether \a expression gives an object's address space, in any dialect.
bool GivesAddressSpace(const DataExtractor &expression);

/// Whether \a expression describes memory at a fixed address, rather than an
/// address that is a value, as that of an automatic pointer to a global.
bool IsStaticPlace(const DataExtractor &expression);

} // namespace wavelane
} // namespace lldb_private

#endif
