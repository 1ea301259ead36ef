//===-- ReverseCommands.cpp - steps back ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `thread step-over --reverse` and the like: LLDB's commands have no such
// option. `reverse-next` and so on are short for them.
//===----------------------------------------------------------------------===//

#include "Commands/Base/CommandOverrides.h"
#include "Commands/Base/CommandUtil.h"
#include "Commands/Base/FindGPU.h"
#include "Commands/Overrides/Overrides.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/StepBack.h"
#include "TimeCommands.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/ThreadList.h"

#include <optional>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
struct Reverse {
  const char *name; ///< the short command
  const char *step; ///< LLDB's subcommand of `thread`
  BackStep kind;
  const char *help;
};
} // namespace

static constexpr Reverse g_steps[] = {
    {"reverse-stepi", "step-inst", BackStep::Instruction,
     "Go back by one instruction of the selected wave."},
    {"reverse-nexti", "step-inst-over", BackStep::InstructionOver,
     "Go back by one instruction of the selected wave, over calls."},
    {"reverse-step", "step-in", BackStep::Into,
     "Go back to the beginning of the line, or of the previous line."},
    {"reverse-next", "step-over", BackStep::Over,
     "Go back to the beginning of the line, or of the previous line, over "
     "calls."},
    {"reverse-finish", "step-out", BackStep::Out,
     "Go back to the call of the function, or to the kernel's beginning."},
};

void lldb_private::wavelane::ResumeFromCommand(CommandInterpreter &interpreter,
                                               Process &process,
                                               CommandReturnObject &result) {
  const bool synchronous = interpreter.GetSynchronous();
  const uint32_t handler = process.GetIOHandlerID();
  StreamString stream;
  Status error =
      synchronous ? process.ResumeSynchronous(&stream) : process.Resume();
  if (error.Fail()) {
    result.AppendError(error.AsCString("the waves can't be resumed"));
    return;
  }
  process.SyncIOHandler(handler, std::chrono::seconds(2));
  if (!synchronous) {
    result.SetStatus(eReturnStatusSuccessContinuingNoResult);
    return;
  }
  if (stream.GetData())
    result.AppendMessage(stream.GetString());
  result.SetDidChangeProcessState(true);
  result.SetStatus(eReturnStatusSuccessFinishNoResult);
}

static void StepBack(CommandInterpreter &interpreter, BackStep kind,
                     CommandReturnObject &result) {
  const ExecutionContext exe_ctx = interpreter.GetExecutionContext();
  auto *process = dynamic_cast<ProcessAMDGPU *>(exe_ctx.GetProcessPtr());
  auto *wave = dynamic_cast<ThreadAMDGPU *>(exe_ctx.GetThreadPtr());
  if (!process || !wave) {
    result.AppendError("only waves can run backwards, and no wave is selected");
    return;
  }
  if (!process->SupportsReverseDirection()) {
    result.AppendError(process->GetCoreFile()
                           ? "nothing has been recorded: the process is a core "
                             "file"
                           : "waves can't run backwards: only the simulated "
                             "GPU records, with Wavelane's debug library");
    return;
  }
  process->GetThreadList().SetSelectedThreadByID(wave->GetID());
  if (llvm::Error error = PrepareStepBack(*process, *wave, kind)) {
    result.AppendError(llvm::toString(std::move(error)));
    return;
  }
  ResumeFromCommand(interpreter, *process, result);
}

namespace {
class ReverseStepCommand : public StoppedCommand<CommandObjectParsed> {
public:
  ReverseStepCommand(CommandInterpreter &interpreter, const Reverse &reverse)
      : StoppedCommand(interpreter, reverse.name, reverse.help, reverse.name,
                       eCommandRequiresThread | eCommandTryTargetAPILock |
                           eCommandProcessMustBeLaunched |
                           eCommandProcessMustBePaused),
        m_kind(reverse.kind) {
    SetHelpLong(llvm::formatv(R"(
The same as `thread {0} --reverse`. The simulated GPU records what waves do
while a debugger is attached; the host stays stopped meanwhile. The step
follows the focus lane.

Example:

(lldb) {1}
)",
                              reverse.step, reverse.name)
                    .str());
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    if (command.GetArgumentCount()) {
      result.AppendErrorWithFormat("'%s' takes no arguments\n",
                                   GetCommandName().str().c_str());
      return;
    }
    StepBack(m_interpreter, m_kind, result);
  }

private:
  const BackStep m_kind;
};

/// reverse-continue.
class ReverseContinueCommand : public StoppedCommand<CommandObjectParsed> {
public:
  explicit ReverseContinueCommand(CommandInterpreter &interpreter)
      : StoppedCommand(
            interpreter, "reverse-continue",
            "Run the waves backwards to the previous stop.", "reverse-continue",
            eCommandRequiresProcess | eCommandTryTargetAPILock |
                eCommandProcessMustBeLaunched | eCommandProcessMustBePaused) {
    SetHelpLong(R"(
The same as `process continue --reverse`: stops at a breakpoint, a watchpoint
or an exception that the waves had before, else where the recording begins.

Example:

(lldb) reverse-continue
)");
  }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    CommandObject *process = m_interpreter.GetCommandObject("process");
    process->GetSubcommandObject("continue")->Execute("--reverse", result);
  }
};
} // namespace

/// Runs `thread step-... --reverse`.
static bool StepWithOption(CommandInterpreter &interpreter, BackStep kind,
                           const char **argv, CommandReturnObject &result) {
  bool is_reverse = false;
  size_t words = 0;
  for (const char **word = argv; word && *word; ++word, ++words)
    is_reverse |= llvm::StringRef(*word) == "--reverse";
  if (!is_reverse)
    return MissesWave(interpreter, result) ||
           RunProgram(interpreter.GetDebugger(), argv, result);
  if (words > 3) { // "thread", "step-...", "--reverse"
    result.AppendError("--reverse takes no other options");
    return true;
  }
  StepBack(interpreter, kind, result);
  return true;
}

template <size_t Index>
static bool OverrideStep(void *baton, const char **argv,
                         CommandReturnObject &result) {
  return StepWithOption(*static_cast<CommandInterpreter *>(baton),
                        g_steps[Index].kind, argv, result);
}

void lldb_private::wavelane::AddReverseCommands(
    CommandInterpreter &interpreter) {
  static constexpr CommandOverrideCallbackWithResult callbacks[] = {
      OverrideStep<0>, OverrideStep<1>, OverrideStep<2>, OverrideStep<3>,
      OverrideStep<4>};
  static_assert(std::size(callbacks) == std::size(g_steps));
  CommandObject *thread = interpreter.GetCommandObject("thread");
  for (size_t i = 0; i < std::size(g_steps); ++i) {
    interpreter.AddCommand(
        g_steps[i].name,
        std::make_shared<ReverseStepCommand>(interpreter, g_steps[i]),
        /*can_replace=*/false);
    llvm::StringRef name = g_steps[i].step;
    if (CommandObject *command =
            thread ? thread->GetSubcommandObject(name) : nullptr) {
      OverrideCommand(*command, callbacks[i], &interpreter);
      // LLDB's list of options can't have it.
      command->SetHelpLong(command->GetHelpLong().str() +
                           "\nWith --reverse, the same as `" + g_steps[i].name +
                           "`: back, on the simulated GPU.\n");
    }
  }
  interpreter.AddCommand("reverse-continue",
                         std::make_shared<ReverseContinueCommand>(interpreter),
                         /*can_replace=*/false);
}
