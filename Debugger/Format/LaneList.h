//===-- LaneList.h - lanes as a list of numbers -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_FORMAT_LANELIST_H
#define WAVELANE_DEBUGGER_FORMAT_LANELIST_H

#include "llvm/ADT/BitVector.h"

#include <string>

namespace lldb_private {
namespace wavelane {

/// "0-7,12": runs of the set bits.
std::string FormatLanes(const llvm::BitVector &lanes);

} // namespace wavelane
} // namespace lldb_private

#endif
