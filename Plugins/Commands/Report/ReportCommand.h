//===-- ReportCommand.h - `wavelane report` ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_REPORT_REPORTCOMMAND_H
#define WAVELANE_COMMANDS_REPORT_REPORTCOMMAND_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
class CommandInterpreter;

namespace wavelane {

lldb::CommandObjectSP MakeReportCommand(CommandInterpreter &interpreter);

} // namespace wavelane
} // namespace lldb_private

#endif
