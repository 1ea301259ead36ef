//===-- CheckCommands.h - the commands `gpu check ...` ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_CHECK_CHECKCOMMANDS_H
#define WAVELANE_COMMANDS_CHECK_CHECKCOMMANDS_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
namespace wavelane {

lldb::CommandObjectSP MakeCheckIgnoreCommand(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
