//===-- DwarfCommand.cpp - dwarf ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "DwarfCommands.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

class DwarfCommand : public CommandGroup {
public:
  explicit DwarfCommand(CommandInterpreter &interpreter)
      : CommandGroup(
            interpreter, "dwarf",
            "Commands for DWARF expressions and where variables are in "
            "the selected lane.",
            R"(
Debug information says where a variable is with an expression, a small program
whose result is a location: memory of an address space, a register, a lane's
part of a vector register, or pieces of these. When a variable shows a value
that you don't believe, or none, these commands show how it was found.

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
