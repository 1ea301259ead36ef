//===-- LaneBacktraceCommand.cpp - thread lane backtrace ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneCommands.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/StreamString.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    WordOption(
        "lanes", 'l', eArgTypeUnsignedInteger,
        "The lanes: numbers and ranges as 0-7,12, or all, active, inactive "
        "(default: the focus lane)."),
    Switch("verbose", 'v', "Show full function names."),
    Switch("json", 'j', "Print JSON: an array of lanes."),
};

class LaneBacktraceCommand : public StoppedCommand<CommandObjectParsed> {
public:
  explicit LaneBacktraceCommand(CommandInterpreter &interpreter)
      : StoppedCommand(
            interpreter, "thread lane backtrace",
            "Show the call stacks of lanes.",
            "thread lane backtrace [--lanes <lanes>] [--verbose] [--json]",
            FrameCommandFlags),
        m_options(g_options) {
    SetHelpLong(R"(
An inactive lane isn't where its wave is: it continues at another line, or in
a caller when the wave has returned to it. `bt` shows the wave's stack, this
command the lane's. Lanes with the same stack are shown together.

Examples:

(lldb) thread lane backtrace
(lldb) thread lane backtrace --lanes inactive
(lldb) thread lane backtrace --lanes 0,17 --json
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    StackFrameSP frame_sp = m_exe_ctx.GetThreadRef().GetStackFrameAtIndex(0);
    std::optional<LaneView> view =
        GetLaneView(ExecutionContext(frame_sp), result);
    if (!view)
      return;
    llvm::BitVector lanes(view->GetCount());
    lanes.set(view->GetFocus());
    if (m_options.Has('l')) {
      llvm::Expected<llvm::BitVector> given =
          ParseLanes(m_options.Get('l'), *view);
      if (!given) {
        result.AppendError(llvm::toString(given.takeError()));
        return;
      }
      lanes = std::move(*given);
    }
    const std::vector<LaneStack> stacks = view->DescribeStacks(lanes);
    if (m_options.Has('j'))
      return AppendJSON(result, stacks);
    Print(stacks, result);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  std::string FormatFrames(const LaneStack &stack) const {
    if (stack.frames.empty())
      return "  has finished\n";
    StreamString text;
    for (const LaneFrame &frame : stack.frames) {
      text.Format("  frame #{0}: {1:x}", frame.frame, frame.pc);
      if (!frame.function.empty())
        text.Format(" {0}", m_options.Has('v') ? frame.function
                                               : ShortenName(frame.function));
      if (!frame.line.empty())
        text.Format(" at {0}", frame.line);
      text.PutCString(frame.is_guess ? " [guess]\n" : "\n");
    }
    return text.GetString().str();
  }

  void Print(const std::vector<LaneStack> &stacks,
             CommandReturnObject &result) const {
    // In the order of their first lanes.
    std::vector<std::pair<std::string, std::vector<uint32_t>>> groups;
    for (const LaneStack &stack : stacks) {
      const std::string frames = FormatFrames(stack);
      auto known = llvm::find_if(
          groups, [&](const auto &group) { return group.first == frames; });
      if (known == groups.end())
        known = groups.insert(groups.end(), {frames, {}});
      known->second.push_back(stack.lane.lane);
    }
    for (const auto &[frames, lanes] : groups)
      result.AppendMessage(
          FormatThread(stacks.front().thread, stacks.front().wave) + ", " +
          NameLanes(lanes) + "\n" + llvm::StringRef(frames).rtrim().str());
  }

  SimpleOptions m_options;
};

} // namespace

CommandObjectSP lldb_private::wavelane::MakeLaneBacktraceCommand(
    CommandInterpreter &interpreter) {
  return std::make_shared<LaneBacktraceCommand>(interpreter);
}
