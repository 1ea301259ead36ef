//===-- CodeFlow.h - where a function's instructions go ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_CODEFLOW_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_CODEFLOW_H

#include "LineCopies.h"

namespace lldb_private {
class Function;

namespace wavelane {

/// The instructions of \a function, in the order of their file addresses, read
/// from its file.
/// \return Empty if they can't be read or decoded.
std::vector<FlowInstruction> ReadFlow(Function &function);

} // namespace wavelane
} // namespace lldb_private

#endif
