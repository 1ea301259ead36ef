//===-- DwarfCommand.cpp - dwarf ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DwarfCommands.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

class DwarfCommand : public CommandGroup {
public:
  explicit DwarfCommand(CommandInterpreter &interpreter)
      : CommandGroup(interpreter, "dwarf",
                     "Commands for DWARF expressions and locations of "
                     "variables in the selected lane.",
                     R"(
Debug information describes the location of a variable by an expression, a
small program whose result is memory in an address space, a register, a lane's
part of a vector register, or pieces of these. If a variable has a surprising
value, or none, these commands show how its location was found.

Examples:

(lldb) dwarf variable i
(lldb) dwarf expression explain 92 08 00 e9 03 22 9f
(lldb) dwarf expression evaluate bregx 8 0; push_lane; plus; stack_value
)") {
    LoadSubCommand("expression", MakeDwarfExpressionCommand(interpreter));
    LoadSubCommand("variable", MakeDwarfVariableCommand(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeDwarfCommand(CommandInterpreter &interpreter) {
  return std::make_shared<DwarfCommand>(interpreter);
}
