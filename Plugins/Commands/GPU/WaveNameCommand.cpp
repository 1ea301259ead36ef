//===-- WaveNameCommand.cpp - gpu wave name -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Lane/ProcessLanes.h"
#include "GPUCommands.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Args.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

class WaveNameCommand : public StoppedCommand<CommandObjectParsed> {
public:
  explicit WaveNameCommand(CommandInterpreter &interpreter)
      : StoppedCommand(
            interpreter, "gpu wave name", "Give the selected wave a name.",
            "gpu wave name [<name>]",
            eCommandRequiresThread | eCommandTryTargetAPILock |
                eCommandProcessMustBeLaunched | eCommandProcessMustBePaused) {
    AddSimpleArgumentList(eArgTypeName, eArgRepeatOptional);
    SetHelpLong(R"(
The name is shown before the wave's own name in `thread list`, at stops and
wherever else threads are shown, and as the label in `gpu wave list`. It is
kept while the wave lives. Without a name, the command removes the wave's
label. `thread lane name` names lanes.

Examples:

(lldb) gpu wave name producer
(lldb) gpu wave list label=producer
(lldb) gpu wave name
)");
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    Thread &thread = m_exe_ctx.GetThreadRef();
    if (!dynamic_cast<LaneSource *>(&thread)) {
      result.AppendErrorWithFormat(
          "thread #%u isn't a wave of a GPU: `gpu wave list` "
          "shows the waves, `target select` selects the "
          "GPU's target\n",
          thread.GetIndexID());
      return;
    }
    if (!CheckName(command, result))
      return;
    Process &process = m_exe_ctx.GetProcessRef();
    ProcessLanes::GetOrCreate(process)->SetName(
        process, thread.GetID(), std::nullopt,
        command.empty() ? "" : command[0].ref().str());
    result.AppendMessageWithFormat("thread #%u: %s\n", thread.GetIndexID(),
                                   thread.GetName());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeWaveNameCommand(CommandInterpreter &interpreter) {
  return std::make_shared<WaveNameCommand>(interpreter);
}
