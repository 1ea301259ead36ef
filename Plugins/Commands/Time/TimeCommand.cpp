//===-- TimeCommand.cpp - gpu time ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Base/CommandUtil.h"
#include "Commands/Base/FindGPU.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/StepBack.h"
#include "TimeCommands.h"
#include "lldb/Interpreter/CommandInterpreter.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("json", 'j', "Print JSON."),
};

class TimeCommand : public CommandObjectParsed {
public:
  explicit TimeCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "gpu time",
                            "Show where the waves are in the recording, or "
                            "return to the present.",
                            "gpu time [now]",
                            eCommandRequiresProcess | eCommandTryTargetAPILock |
                                eCommandProcessMustBeLaunched |
                                eCommandProcessMustBePaused),
        m_options(g_options) {
    SetHelpLong(R"(
The simulated GPU records what waves do while a debugger is attached
(`settings set plugin.process.amdgpu.record`). Positions count the
instructions of all waves. `reverse-continue`, `reverse-next` and so on go
back; `continue`, `next` and so on then go forward in the recording, up to the
present.

Examples:

(lldb) gpu time
(lldb) gpu time now
)");
    AddSimpleArgumentList(eArgTypeNone, eArgRepeatOptional);
  }

  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return; // The result has the error.
    if (command.GetArgumentCount() > 1 ||
        (command.GetArgumentCount() == 1 && command[0].ref() != "now")) {
      result.AppendError("the only argument is 'now'");
      return;
    }
    if (!command.GetArgumentCount()) {
      auto state = AskTime(*process, ::wavelane::protocol::WhereRequest());
      return state ? Show(*state, result)
                   : result.AppendError(llvm::toString(state.takeError()));
    }
    auto answer = AskTime(*process, ::wavelane::protocol::PresentRequest());
    if (!answer)
      return result.AppendError(llvm::toString(answer.takeError()));
    if (process->GetRecordingPosition().IsInThePast())
      return ResumeFromCommand(m_interpreter, *process, result);
    result.AppendMessage("The waves are in the present.");
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  void Show(const ::wavelane::protocol::HistoryState &state,
            CommandReturnObject &result) {
    result.SetStatus(eReturnStatusSuccessFinishResult);
    if (m_options.Has('j')) {
      llvm::json::Object json{{"recording", state.Recording}};
      if (state.Recording) {
        json["begin"] = state.Begin;
        json["now"] = state.Now;
        json["position"] = state.Position;
        json["past"] = state.InPast;
        json["dropped"] = state.Dropped;
        json["bytes"] = state.Bytes;
      }
      return AppendJSON(result, std::move(json));
    }
    if (!state.Recording)
      return result.AppendMessage("Recording is off; turn it on with 'settings "
                                  "set plugin.process.amdgpu.record on'.");
    result.AppendMessage(
        llvm::formatv(
            "{0}, after {1} of {2} instructions; {3} MiB of memory.{4}",
            state.InPast ? "In the past" : "In the present",
            state.Position - state.Begin, state.Now - state.Begin,
            (state.Bytes + (1 << 20) - 1) >> 20,
            state.Dropped ? " The oldest part has been dropped." : "")
            .str());
  }

  SimpleOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeTimeCommand(CommandInterpreter &interpreter) {
  return std::make_shared<TimeCommand>(interpreter);
}
