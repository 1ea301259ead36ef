//===-- FunctionRange.h - the code of a function ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_SUPPORT_FUNCTIONRANGE_H
#define WAVELANE_CORE_SUPPORT_FUNCTIONRANGE_H

#include "lldb/Core/AddressRange.h"
#include "lldb/Symbol/Function.h"

namespace lldb_private {
namespace wavelane {

/// The range of \a function that begins at its entry, which is the only one in
/// code for GPUs.
inline AddressRange GetEntryRange(Function &function) {
  for (const AddressRange &range : function.GetAddressRanges())
    if (range.GetBaseAddress() == function.GetAddress())
      return range;
  return AddressRange(function.GetAddress(), 0);
}

} // namespace wavelane
} // namespace lldb_private

#endif
