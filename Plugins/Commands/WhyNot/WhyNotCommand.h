//===-- WhyNotCommand.h - wavelane why-not ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_WHYNOT_WHYNOTCOMMAND_H
#define WAVELANE_COMMANDS_WHYNOT_WHYNOTCOMMAND_H

#include "lldb/lldb-forward.h"

namespace lldb_private::wavelane {

lldb::CommandObjectSP MakeWhyNotCommand(CommandInterpreter &interpreter);

} // namespace lldb_private::wavelane

#endif // WAVELANE_COMMANDS_WHYNOT_WHYNOTCOMMAND_H
