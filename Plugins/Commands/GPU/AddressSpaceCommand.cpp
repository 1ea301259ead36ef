//===-- AddressSpaceCommand.cpp - gpu address-space -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AddressSpaces.h"
#include "Commands/Base/FindGPU.h"
#include "GPUCommands.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("json", 'j', "Print JSON."),
};

class AddressSpaceListCommand : public CommandObjectParsed {
public:
  explicit AddressSpaceListCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "gpu address-space list",
                            "List the address spaces of the GPU.",
                            "gpu address-space list [--json]",
                            eCommandTryTargetAPILock),
        m_options(g_options) {
    SetHelpLong(R"(
Numbers are those that debug information uses. An address in a space that
depends on the wave or lane is a different place for each of them.

Example:

(lldb) gpu address-space list
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return;
    llvm::Expected<std::vector<AddressSpaceInfo>> spaces =
        AddressSpaceInfo::GetAll(*process);
    if (!spaces) {
      result.AppendErrorWithFormat("the address spaces can't be listed: %s\n",
                                   llvm::toString(spaces.takeError()).c_str());
      return;
    }
    if (m_options.Has('j'))
      return AppendJSON(result, *spaces);
    StreamString text;
    text.Printf("%-6s  %-12s  %-10s  %-4s  %s\n", "number", "name",
                "depends on", "bits", "null");
    for (const AddressSpaceInfo &space : *spaces)
      text.Format("{0,-6}  {1,-12}  {2,-10}  {3,-4}  {4}\n", space.number,
                  space.name, space.depends_on,
                  space.address_bits ? std::to_string(*space.address_bits)
                                     : "-",
                  space.null ? llvm::formatv("{0:x}", *space.null).str() : "-");
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

class AddressSpaceCommand : public CommandGroup {
public:
  explicit AddressSpaceCommand(CommandInterpreter &interpreter)
      : CommandGroup(interpreter, "gpu address-space",
                     "Commands for the address spaces of GPUs.", R"(
A GPU's memory has several address spaces: global, shared by all; local, one
for each workgroup; private, one for each lane or wave; and generic, whose
addresses lead to one of the others.

Example:

(lldb) gpu address-space list
)") {
    LoadSubCommand("list",
                   std::make_shared<AddressSpaceListCommand>(interpreter));
  }
};

} // namespace

CommandObjectSP lldb_private::wavelane::MakeAddressSpaceCommand(
    CommandInterpreter &interpreter) {
  return std::make_shared<AddressSpaceCommand>(interpreter);
}
