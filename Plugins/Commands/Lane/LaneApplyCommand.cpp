//===-- LaneApplyCommand.cpp - thread lane apply --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Progress/SlowProgress.h"
#include "Core/Record/LaneText.h"
#include "LaneCommands.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/State.h"

#include <utility>
#include <vector>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("quiet", 'q',
           "Print the command's output only, without a heading for each lane."),
};

class LaneApplyCommand : public StoppedCommand<CommandObjectRaw> {
public:
  explicit LaneApplyCommand(CommandInterpreter &interpreter)
      : StoppedCommand(
            interpreter, "thread lane apply", "Run a command in several lanes.",
            "thread lane apply [--quiet] <lanes> <command>", FrameCommandFlags),
        m_options(g_options) {
    SetHelpLong(R"(
<lanes> is a list of numbers and ranges without spaces (0-7,12), or one of the
words all, active, inactive. Afterwards, the focus lane is the same as before.

Examples:

(lldb) thread lane apply 0-3 frame variable i
(lldb) thread lane apply active p dst[i]
)");
  }

  Options *GetOptions() override { return &m_options; }
  bool WantsCompletion() override { return true; }

  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    if (request.GetCursorIndex() == 0)
      return CompleteLanes(m_exe_ctx, request, true);
    // The rest is a command of its own.
    request.ShiftArguments();
    m_interpreter.HandleCompletionMatches(request);
  }

protected:
  void DoExecute(llvm::StringRef command,
                 CommandReturnObject &result) override {
    constexpr llvm::StringLiteral Needed("lanes and a command");
    std::optional<std::string> words =
        TakeOptions(*this, m_options, command, Needed, m_exe_ctx, result);
    if (!words)
      return;
    auto [spec, line] = llvm::StringRef(*words).split(' ');
    line = line.trim();
    // As before the expressions of other commands.
    if (line.consume_front("-- "))
      line = line.ltrim();
    if (line.empty()) {
      result.AppendErrorWithFormatv("give {0}: {1}", Needed, GetSyntax());
      return;
    }
    std::optional<LaneView> view = GetLaneView(m_exe_ctx, result);
    if (!view)
      return;
    llvm::Expected<llvm::BitVector> lanes = ParseLanes(spec, *view);
    if (!lanes) {
      result.AppendError(llvm::toString(lanes.takeError()));
      return;
    }
    if (lanes->none()) {
      result.AppendErrorWithFormat("'%s' selects no lane: `thread lane list` "
                                   "shows which lanes are active\n",
                                   spec.str().c_str());
      return;
    }
    Thread &thread = view->GetThread();
    const uint32_t selected_frame =
        thread.GetSelectedFrameIndex(DoNoSelectMostRelevantFrame);
    RunInLanes(*view, *lanes, line.str(), result);
    if (IsStopped())
      thread.SetSelectedFrameByIndex(selected_frame);
  }

private:
  bool IsStopped() const {
    return m_exe_ctx.GetProcessPtr() &&
           StateIsStoppedState(m_exe_ctx.GetProcessRef().GetState(),
                               /*must_exist=*/true);
  }

  /// Lanes in which the command fails in the same way.
  struct Failure {
    std::vector<uint32_t> lanes;
    std::string error;
  };

  void Report(const Failure &of, const LaneView &view,
              CommandReturnObject &result, llvm::StringRef output = {}) {
    if (of.lanes.empty())
      return;
    const bool is_quiet = m_options.Has('q');
    if (!is_quiet) {
      const bool is_inactive = llvm::none_of(
          of.lanes, [&](uint32_t lane) { return view.IsActive(lane); });
      result.AppendMessage(NameLanes(of.lanes) +
                           (is_inactive ? " (inactive):" : ":"));
    }
    result.GetOutputStream() << output;
    if (of.error.empty())
      return;
    if (is_quiet)
      result.GetErrorStream() << of.error;
    else
      result.AppendMessage(llvm::StringRef(of.error).rtrim());
  }

  void RunInLanes(const LaneView &view, const llvm::BitVector &lanes,
                  const std::string &line, CommandReturnObject &result) {
    Thread &thread = view.GetThread();
    const uint32_t frame_index = view.GetFrame().GetFrameIndex();
    FocusLaneScope scope(thread);
    bool failed = false;
    Failure alike;
    SlowProgress progress(m_interpreter.GetDebugger(),
                          "Running a command in each lane", lanes.count());
    for (uint32_t lane : lanes.set_bits()) {
      scope.Select(lane);
      thread.SetSelectedFrameByIndex(frame_index);
      CommandReturnObject lane_result(
          m_interpreter.GetDebugger().GetUseColor());
      ExecutionContext exe_ctx(thread.GetStackFrameAtIndex(frame_index));
      m_interpreter.HandleCommand(line.c_str(), eLazyBoolNo, exe_ctx,
                                  lane_result);
      const std::string output(lane_result.GetOutputString());
      const std::string error =
          lane_result.Succeeded() ? "" : lane_result.GetErrorString();
      failed |= !lane_result.Succeeded();
      // What neighbors have in common is reported once.
      if (!alike.lanes.empty() && (error != alike.error || !output.empty()))
        Report(std::exchange(alike, {}), view, result);
      alike.lanes.push_back(lane);
      alike.error = error;
      if (error.empty() || !output.empty())
        Report(std::exchange(alike, {}), view, result, output);
      if (!IsStopped()) {
        Report(alike, view, result);
        result.AppendError("the process is running: the command was not run in "
                           "the remaining lanes");
        return;
      }
      if (!progress.Step()) {
        Report(alike, view, result);
        result.AppendError(
            "interrupted: the command was not run in the remaining lanes");
        return;
      }
    }
    Report(alike, view, result);
    result.SetStatus(failed ? eReturnStatusFailed
                            : eReturnStatusSuccessFinishResult);
  }

  SimpleOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeLaneApplyCommand(CommandInterpreter &interpreter) {
  return std::make_shared<LaneApplyCommand>(interpreter);
}
