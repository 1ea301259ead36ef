//===-- CheckCommand.cpp - gpu check --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckCommands.h"
#include "Commands/Base/CommandUtil.h"
#include "Commands/Base/FindGPU.h"
#include "Commands/Base/PrintJSON.h"
#include "Commands/GPU/GPUObjects.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/Support/LibraryCode.h"
#include "FindingObjects.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using Dictionary = StructuredData::Dictionary;

namespace {

constexpr OptionDefinition g_json_options[] = {
    Switch("json", 'j', "Print JSON, with all fields."),
};

constexpr OptionDefinition g_select_options[] = {
    Switch("other", 'o', "Select the other access, if the finding has two."),
};

/// gpu check list
class CheckListCommand : public CommandObjectParsed {
public:
  explicit CheckListCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "gpu check list",
                            "List what the checks have found so far.",
                            "gpu check list [--json]",
                            eCommandTryTargetAPILock),
        m_options(g_json_options) {
    SetHelpLong(R"(
Shows each finding's number, its check, what was found, and where. Findings at
the same instruction are merged; `continue` runs to the next one. A core file
has the findings that the program had when it was saved.

Example:

(lldb) gpu check list
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    ProcessAMDGPU *process = FindCheckedProcess(m_interpreter, result);
    StructuredData::ArraySP findings =
        process ? GetFindings(*process, result) : nullptr;
    if (!findings)
      return;
    if (m_options.Has('j'))
      return AppendJSON(result, *findings);
    StreamString text;
    if (findings->GetSize() == 0)
      text << "no findings ('settings show plugin.process.amdgpu.check' shows "
              "what is checked)";
    else
      ForEachObject(*findings, [&](Dictionary &finding) {
        const std::string place = GetPlace(finding);
        text.Format("{0,3}  {1,-6}  {2}{3}\n",
                    GetNumber(finding, "id").value_or(0),
                    GetText(finding, "check"), GetSummary(finding),
                    place.empty() ? "" : ", at " + place);
      });
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

/// A command about one finding.
class FindingCommand : public CommandObjectParsed {
public:
  FindingCommand(CommandInterpreter &interpreter, const char *name,
                 const char *help, const char *syntax,
                 llvm::ArrayRef<OptionDefinition> options)
      : CommandObjectParsed(interpreter, name, help, syntax,
                            eCommandTryTargetAPILock),
        m_options(options) {
    AddSimpleArgumentList(eArgTypeUnsignedInteger);
  }
  Options *GetOptions() override { return &m_options; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    CompleteFindings(m_interpreter, request);
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    ProcessAMDGPU *process = FindCheckedProcess(m_interpreter, result);
    StructuredData::ArraySP findings =
        process ? GetFindings(*process, result) : nullptr;
    Dictionary *finding =
        findings ? FindFinding(*findings, command, result) : nullptr;
    if (finding)
      Do(*process, *finding, result);
  }
  virtual void Do(ProcessAMDGPU &process, Dictionary &finding,
                  CommandReturnObject &result) = 0;

  SimpleOptions m_options;
};

/// gpu check info
class CheckInfoCommand : public FindingCommand {
public:
  explicit CheckInfoCommand(CommandInterpreter &interpreter)
      : FindingCommand(interpreter, "gpu check info",
                       "Describe a finding: both sides, with the commands that "
                       "select them.",
                       "gpu check info [--json] <number>", g_json_options) {
    SetHelpLong(R"(
Shows the report of a finding: its line, lanes, variable and values, the other
access of a race, and where the memory was made and freed. For each side, a
last line says how to select its wave and lane.

Example:

(lldb) gpu check info 1
)");
  }

protected:
  void Do(ProcessAMDGPU &process, Dictionary &finding,
          CommandReturnObject &result) override {
    if (m_options.Has('j'))
      return AppendJSON(result, finding);
    StreamString text;
    text << GetText(finding, "report");
    for (bool is_other : {false, true})
      DescribeWave(process, finding, is_other, text);
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  /// Says how to select the wave and the lane of a side.
  static void DescribeWave(ProcessAMDGPU &process, Dictionary &finding,
                           bool is_other, Stream &text) {
    const Dictionary *side = GetSide(finding, is_other);
    if (!side || !GetNumber(*side, "wave"))
      return;
    text.Format("{0}: 'gpu check select {1}{2}'",
                is_other ? "the other's wave" : "its wave",
                GetNumber(finding, "id").value_or(0),
                is_other ? " --other" : "");
    if (std::optional<FindingWave> wave = FindWave(process, *side))
      text.Format(" (thread #{0}{1}{2})\n", wave->thread_sp->GetIndexID(),
                  wave->lane ? ", lane " + std::to_string(*wave->lane) : "",
                  wave->has_moved ? ", which has since moved on" : "");
    else
      text << " (it has ended)\n";
  }
};

/// gpu check select
class CheckSelectCommand : public FindingCommand {
public:
  explicit CheckSelectCommand(CommandInterpreter &interpreter)
      : FindingCommand(interpreter, "gpu check select",
                       "Select the wave and the lane of a finding, or of its "
                       "other side.",
                       "gpu check select [--other] <number>",
                       g_select_options) {
    SetHelpLong(R"(
Selects the wave that did what was found, with its first lane, and shows where
it is. --other selects the other side: of a race, the wave that accessed the
same memory before. If that wave has gone on or has ended, the place where it
was is shown, too.

Examples:

(lldb) gpu check select 1
(lldb) gpu check select 1 --other
)");
  }

protected:
  void Do(ProcessAMDGPU &process, Dictionary &finding,
          CommandReturnObject &result) override {
    const bool is_other = m_options.Has('o');
    const Dictionary *side = GetSide(finding, is_other);
    if (!side || !GetNumber(*side, "wave")) {
      result.AppendError(is_other ? "the finding has no other side"
                                  : "the finding is about a host call: 'gpu "
                                    "check info' shows its stack");
      return;
    }
    const std::optional<FindingWave> wave = FindWave(process, *side);
    if (!wave || wave->has_moved) {
      const std::string what = GetText(*side, "text");
      result.AppendMessageWithFormatv("{0}: {1}",
                                      what.empty() ? GetSummary(finding) : what,
                                      DescribePlace(*side));
    }
    result.SetStatus(eReturnStatusSuccessFinishResult);
    if (!wave) {
      result.AppendWarning("its wave has ended");
      return;
    }
    if (wave->has_moved)
      result.AppendMessage("its wave has since moved on:");
    m_interpreter.GetDebugger().GetTargetList().SetSelectedTarget(
        process.GetTarget().shared_from_this());
    if (wave->lane)
      SetFocusLane(*wave->thread_sp, *wave->lane);
    Thread &thread = *wave->thread_sp;
    process.GetThreadList().SetSelectedThreadByIndexID(thread.GetIndexID(),
                                                       /*notify=*/false);
    StackFrameSP own_sp = GetOwnFrame(thread);
    const uint32_t frame = own_sp ? own_sp->GetFrameIndex() : 0;
    thread.SetSelectedFrameByIndex(frame, /*broadcast=*/false);
    thread.GetStatus(result.GetOutputStream(), frame, /*num_frames=*/1,
                     /*num_frames_with_source=*/1, /*stop_format=*/true,
                     /*show_hidden=*/true);
  }
};

class CheckCommand : public CommandGroup {
public:
  explicit CheckCommand(CommandInterpreter &interpreter)
      : CommandGroup(interpreter, "gpu check",
                     "Commands for the findings of the checks of kernels.",
                     R"(
`settings set plugin.process.amdgpu.check memory,race` before `run` makes the
simulated GPU check each access: a wave stops just before an invalid one.

Examples:

(lldb) settings set plugin.process.amdgpu.check all
(lldb) run
(lldb) gpu check list
(lldb) gpu check info 1
(lldb) gpu check select 1 --other
(lldb) gpu check ignore 1
)") {
    LoadSubCommand("ignore", MakeCheckIgnoreCommand(interpreter));
    LoadSubCommand("info", std::make_shared<CheckInfoCommand>(interpreter));
    LoadSubCommand("list", std::make_shared<CheckListCommand>(interpreter));
    LoadSubCommand("select", std::make_shared<CheckSelectCommand>(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeCheckCommand(CommandInterpreter &interpreter) {
  return std::make_shared<CheckCommand>(interpreter);
}
