//===-- TimeCommand.cpp - gpu time ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Base/FindGPU.h"
#include "Commands/GPU/GPUCommands.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/StepBack.h"
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
                            "Show where the waves are in what is recorded, or "
                            "go back to the present.",
                            "gpu time [now]",
                            eCommandRequiresProcess | eCommandTryTargetAPILock |
                                eCommandProcessMustBeLaunched |
                                eCommandProcessMustBePaused),
        m_options(g_options) {
    SetHelpLong(R"(
The simulated GPU records what waves do while a debugger is attached
(`settings set plugin.process.amdgpu.record`). Positions count the
instructions of all waves. `reverse-continue`, `reverse-next` and so on go
back; `continue`, `next` and so on then go forward in what is recorded, up to
the present.

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
    llvm::Expected<StructuredData::ObjectSP> answer =
        AskTime(*process,
                llvm::json::Object{
                    {"do", command.GetArgumentCount() ? "present" : "where"}});
    if (!answer) {
      result.AppendError(llvm::toString(answer.takeError()));
      return;
    }
    if (!command.GetArgumentCount())
      return Show(*(*answer)->GetAsDictionary(), result);
    if (process->IsInThePast())
      return ResumeFromCommand(m_interpreter, *process, result);
    result.AppendMessage("The waves are in the present.");
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  void Show(StructuredData::Dictionary &where, CommandReturnObject &result) {
    bool recording = false, past = false, dropped = false;
    uint64_t begin = 0, now = 0, position = 0, bytes = 0;
    where.GetValueForKeyAsBoolean("recording", recording);
    where.GetValueForKeyAsBoolean("past", past);
    where.GetValueForKeyAsBoolean("dropped", dropped);
    where.GetValueForKeyAsInteger("begin", begin);
    where.GetValueForKeyAsInteger("now", now);
    where.GetValueForKeyAsInteger("position", position);
    where.GetValueForKeyAsInteger("bytes", bytes);
    result.SetStatus(eReturnStatusSuccessFinishResult);
    if (m_options.Has('j')) {
      llvm::json::Object json{{"recording", recording}};
      if (recording) {
        json["begin"] = begin;
        json["now"] = now;
        json["position"] = position;
        json["past"] = past;
        json["dropped"] = dropped;
        json["bytes"] = bytes;
      }
      return AppendJSON(result, std::move(json));
    }
    if (!recording)
      return result.AppendMessage("Nothing is recorded: 'settings set "
                                  "plugin.process.amdgpu.record on' does.");
    result.AppendMessage(
        llvm::formatv(
            "{0}, after {1} of {2} instructions; {3} MiB of memory.{4}",
            past ? "In the past" : "In the present", position - begin,
            now - begin, (bytes + (1 << 20) - 1) >> 20,
            dropped ? " The oldest part has been dropped." : "")
            .str());
  }

  SimpleOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeTimeCommand(CommandInterpreter &interpreter) {
  return std::make_shared<TimeCommand>(interpreter);
}
