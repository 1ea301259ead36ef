//===-- UsedBits.h - the bits of an object without its padding --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_USEDBITS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_USEDBITS_H

#include "lldb/Symbol/CompilerType.h"
#include "llvm/ADT/BitVector.h"

namespace lldb_private {
namespace wavelane {

/// A bit for each of the \a size bits of an object of \a type from its bit \a
/// begin: whether a member has it. Compilers give padding no location.
llvm::BitVector FindUsedBits(const CompilerType &type, uint64_t begin,
                             uint64_t size);

} // namespace wavelane
} // namespace lldb_private

#endif
