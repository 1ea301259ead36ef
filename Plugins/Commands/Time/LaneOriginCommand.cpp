//===-- LaneOriginCommand.cpp - thread lane origin ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Lane/LaneCommands.h"
#include "Commands/Lane/LaneExpressionCommand.h"
#include "Core/Progress/SlowProgress.h"
#include "OriginPlace.h"
#include "OriginTree.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/StepBack.h"
#include "Process/AMDGPU/ThreadAMDGPU.h"
#include "TimeCommands.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Utility/StreamString.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace protocol = ::wavelane::protocol;

namespace {

constexpr OptionDefinition g_options[] = {
    WordOption("follow", 'f', eArgTypeUnsignedInteger,
               "Go back to a step, by its number in the tree."),
    WordOption("until", 'u', eArgTypeExpression,
               "Only the first step whose value is isnan, isinf, or compares "
               "with a number: '> 100'."),
    Switch("history", 'h',
           "Show earlier values of the same place and what wrote them, instead "
           "of the inputs."),
    Switch("json", 'j', "Print JSON."),
};

/// \return An error if \a text isn't a condition.
llvm::Expected<protocol::OriginCondition> ParseCondition(llvm::StringRef text) {
  text = text.trim();
  for (llvm::StringRef word :
       {"isnan", "isinf", "<=", ">=", "==", "!=", "<", ">"}) {
    llvm::StringRef rest = text;
    if (!rest.consume_front(word))
      continue;
    protocol::OriginCondition condition;
    condition.Is = *protocol::findWord<protocol::Comparison>(word);
    const bool has_number = condition.Is != protocol::Comparison::IsNaN &&
                            condition.Is != protocol::Comparison::IsInf;
    if (has_number ? !rest.trim().getAsDouble(condition.Number) : rest.empty())
      return condition;
  }
  return llvm::createStringError(
      "invalid condition '" + text +
      "': use isnan, isinf, or a comparison with a number, as '> 100'");
}

class LaneOriginCommand : public LaneExpressionCommand {
public:
  explicit LaneOriginCommand(CommandInterpreter &interpreter)
      : LaneExpressionCommand(
            interpreter, "thread lane origin",
            "Show where a value of the focus lane comes from.",
            "thread lane origin [--follow <step>] [--until "
            "<condition>] [--history] [--json] [--] <expression>",
            g_options) {
    SetHelpLong(R"(
Goes back through what the simulated GPU has recorded, from a variable, a
register or memory to the instructions that wrote it, over copies, loads,
stores and arithmetic to constants, the kernel's arguments, copies by the host
and stores by other waves. Each line of the tree is a line of the source, with
the value that it gave; under it are those of its inputs. Addresses and
conditions aren't followed.

Examples:

(lldb) thread lane origin t
(lldb) thread lane origin y[i]
(lldb) thread lane origin v3
(lldb) thread lane origin local#0x40
(lldb) thread lane origin --until isnan t
(lldb) thread lane origin --until '> 100' t
(lldb) thread lane origin --history t
(lldb) thread lane origin --follow 3 t
(lldb) thread lane origin --json t
)");
  }

protected:
  void Run(const std::string &text, CommandReturnObject &result) override {
    if (llvm::Error error = Find(text, result))
      result.AppendError(llvm::toString(std::move(error)));
  }

private:
  llvm::Error Find(const std::string &text, CommandReturnObject &result) {
    auto *process = dynamic_cast<ProcessAMDGPU *>(m_exe_ctx.GetProcessPtr());
    auto *wave = dynamic_cast<ThreadAMDGPU *>(m_exe_ctx.GetThreadPtr());
    if (!process || !wave)
      return llvm::createStringError(
          "only what waves do is recorded, and no wave is selected");
    if (llvm::Error error = CheckRecording(*process))
      return error;
    protocol::OriginRequest request;
    request.Wave = wave->GetID();
    if (m_options.Has('u')) {
      auto until = ParseCondition(m_options.Get('u'));
      if (!until)
        return until.takeError();
      request.Until = *until;
    }
    const bool is_history = m_options.Has('h');
    if (is_history && m_options.Has('u'))
      return llvm::createStringError("--history takes no --until");
    request.History = is_history;
    StackFrame &frame = m_exe_ctx.GetFrameRef();
    llvm::Expected<OriginPlace> place =
        OriginPlace::Find(*process, frame, text);
    if (!place)
      return place.takeError();
    request.Cells = place->cells;
    request.Type = place->type;
    auto answer = Ask(*process, std::move(request));
    if (!answer)
      return answer.takeError();
    llvm::Expected<OriginTree> tree =
        OriginTree::Build(*process, *answer, is_history);
    if (!tree)
      return tree.takeError();
    if (m_options.Has('u') && !tree->FindFirst())
      return llvm::createStringError(llvm::formatv(
          "'{0}' is {1} here: the condition doesn't hold", text, place->text));
    if (m_options.Has('f'))
      return Follow(*process, *wave, *tree, result);
    Show(text, *place, frame, *wave, *tree, result);
    return llvm::Error::success();
  }

  /// The error says why nothing is recorded.
  static llvm::Error CheckRecording(ProcessAMDGPU &process) {
    if (process.GetCoreFile()) {
      auto state = AskTime(process, protocol::WhereRequest());
      if (!state)
        return state.takeError();
      if (!state->Recording)
        return llvm::createStringError(
            "nothing has been recorded: the process is a core file");
      return llvm::Error::success();
    }
    if (!process.SupportsReverseDirection())
      return llvm::createStringError(
          "nothing has been recorded: only the simulated GPU records, with "
          "Wavelane's debug library");
    return llvm::Error::success();
  }

  /// Searches, part by part.
  llvm::Expected<protocol::OriginAnswer> Ask(ProcessAMDGPU &process,
                                             protocol::OriginRequest request) {
    constexpr uint64_t kSteps = 1000; // of the recording
    SlowProgress progress(GetDebugger(), "Going back", kSteps);
    uint64_t shown = 0;
    for (;;) {
      auto answer = AskTime(process, request);
      if (!answer || answer->Done)
        return answer;
      const uint64_t position = answer->Position;
      const double whole =
          double(std::max<uint64_t>(position - answer->Begin, 1));
      const auto wanted = uint64_t(
          double(position - std::min(answer->At, position)) / whole * kSteps);
      // At least the request for an interruption is looked at.
      do
        if (!progress.Step())
          return llvm::createStringError("interrupted: the search is given up");
      while (++shown < std::min(wanted, kSteps - 1));
      request = protocol::OriginRequest();
    }
  }

  llvm::Error Follow(ProcessAMDGPU &process, ThreadAMDGPU &wave,
                     const OriginTree &tree, CommandReturnObject &result) {
    size_t number = 0;
    const std::vector<OriginStep> &steps = tree.GetSteps();
    if (m_options.Get('f').getAsInteger(10, number) || !number ||
        number > steps.size())
      return llvm::createStringError(
          steps.empty() ? "there are no steps"
                        : llvm::formatv("--follow takes the number of a step, "
                                        "1 to {0}",
                                        steps.size())
                              .str());
    const OriginStep &step = steps[number - 1];
    // What the host has done is seen by the wave that runs next.
    if (!step.pc && !step.is_host_action)
      return llvm::createStringError(
          "step " + llvm::Twine(number) +
          " isn't an instruction of a wave: " + step.text);
    const std::string name = step.is_host_action
                                 ? "back to the origin, just done: " + step.text
                                 : "back to the origin";
    // Another wave of the kernel goes there itself. One of an earlier kernel
    // isn't listed before.
    std::optional<uint32_t> lane;
    if (step.lane)
      lane = uint32_t(*step.lane);
    ThreadSP own_sp =
        step.wave_id
            ? process.GetThreadList().FindThreadByID(tid_t(*step.wave_id))
            : nullptr;
    auto *own = dynamic_cast<ThreadAMDGPU *>(own_sp.get());
    if (own && lane)
      SetFocusLane(*own, *lane);
    else if (!own)
      process.GetRecordingPosition().SetDestination({lane, name});
    ThreadAMDGPU &goes = own ? *own : wave;
    process.GetThreadList().SetSelectedThreadByID(goes.GetID());
    if (llvm::Error error = PrepareTravel(process, goes, step.position,
                                          name.c_str(), step.number))
      return error;
    ResumeFromCommand(m_interpreter, process, result);
    return llvm::Error::success();
  }

  void Show(const std::string &text, const OriginPlace &place,
            StackFrame &frame, ThreadAMDGPU &wave, const OriginTree &tree,
            CommandReturnObject &result) {
    const uint32_t lane = GetFocusLane(frame);
    result.SetStatus(eReturnStatusSuccessFinishResult);
    if (m_options.Has('j')) {
      llvm::json::Object object{{"expression", text},
                                {"lane", int64_t(lane)},
                                {"thread", int64_t(wave.GetID())}};
      if (!place.type_name.empty())
        object["type"] = place.type_name;
      if (!place.text.empty())
        object["value"] = place.text;
      if (const char *name = wave.GetName())
        object["wave"] = name;
      llvm::json::Array top;
      for (size_t step : tree.GetTop())
        top.push_back(int64_t(step + 1));
      object["top"] = std::move(top);
      object["steps"] = tree.ToJSON();
      if (m_options.Has('u'))
        if (std::optional<size_t> first = tree.FindFirst())
          object["first"] = int64_t(*first + 1);
      return AppendJSON(result, std::move(object));
    }
    StreamString stream;
    if (!place.text.empty())
      stream.Format("{0} = {1}\n", text, place.text);
    tree.Print(stream, wave.GetID(), lane, m_options.Has('u'));
    result.AppendMessage(stream.GetString().rtrim());
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeLaneOriginCommand(CommandInterpreter &interpreter) {
  return std::make_shared<LaneOriginCommand>(interpreter);
}
