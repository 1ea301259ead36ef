//===-- LaneFocusCommands.cpp - thread lane select, next, info, name ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Lane/ProcessLanes.h"
#include "LaneCommands.h"
#include "LaneSearch.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Args.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

std::string lldb_private::wavelane::DescribeLane(const LaneView &view,
                                                 uint32_t lane) {
  const LaneList list = view.Describe();
  const LaneRecord &record = list.lanes[lane];
  std::string text = llvm::formatv("{0}, lane {1}", list.FormatThread(), lane);
  if (!record.name.empty())
    text += " '" + record.name + "'";
  text += llvm::formatv(" of {0}, {1}", list.lanes.size(),
                        record.is_active ? "active" : "inactive");
  if (record.work_item && record.grid)
    text += llvm::formatv(", work-item {0} in its workgroup, {1} in the grid",
                          FormatTriple(*record.work_item),
                          FormatTriple(*record.grid));
  const std::string progress = record.FormatProgress();
  return progress.empty() ? text : text + "," + progress;
}

void lldb_private::wavelane::SelectLane(LaneView &view, uint32_t lane,
                                        CommandReturnObject &result) {
  view.SetFocus(lane);
  result.AppendMessage(DescribeLane(view, lane));
  if (!view.IsActive(lane))
    NoteInactive(result, lane);
  result.SetStatus(eReturnStatusSuccessFinishResult);
}

void lldb_private::wavelane::WarnOfMovedFocus(const LaneView &view,
                                              CommandReturnObject &result) {
  if (view.HasFocusMoved())
    result.AppendMessageWithFormat(
        "the thread's focus lane %u does not exist at this frame: lane %u, the "
        "last one, is shown instead\n",
        GetFocusLane(view.GetThread()), view.GetFocus());
}

namespace {

//===-- select ------------------------------------------------------------===//

constexpr OptionDefinition g_select_options[] = {
    Switch("where", 'e',
           "Select the first active lane for which an expression holds."),
    Switch("all-waves", 'a',
           "With --where: search all waves that are in the same function."),
    Switch(
        "name", 'n',
        "Select the lane with that name, in any wave: see `thread lane name`."),
};

class LaneSelectCommand : public StoppedCommand<CommandObjectParsed> {
public:
  explicit LaneSelectCommand(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "thread lane select",
                       "Select the lane whose values are shown.",
                       "thread lane select <lane> | --where [--all-waves] "
                       "<expression> | --name <name>",
                       FrameCommandFlags),
        m_options(g_select_options) {
    AddSimpleArgumentList(eArgTypeExpression);
    SetHelpLong(R"(
The focus lane belongs to the selected thread and stays until another one is
selected or the thread ends. An inactive lane can be selected as well.

Example:

(lldb) thread lane select 17
(lldb) frame variable i
(lldb) thread lane select --where 'i == 777'
(lldb) thread lane select --where --all-waves 'i == 777'
(lldb) thread lane select --name producer
)");
  }
  Options *GetOptions() override { return &m_options; }

  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &options) override {
    for (const OptionArgElement &option : options) {
      if (option.opt_defs_index < 0)
        continue;
      const int letter = g_select_options[option.opt_defs_index].short_option;
      if (letter == 'e')
        return CompleteVariables(m_interpreter, request);
      if (letter == 'n')
        return CompleteLaneNames(m_exe_ctx, request);
    }
    if (request.GetCursorIndex() == 0)
      CompleteLanes(m_exe_ctx, request, false);
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    if (m_options.Has('e'))
      return SelectWhere(command, result);
    if (m_options.Has('n'))
      return SelectByName(command, result);
    if (command.GetArgumentCount() != 1) {
      result.AppendError(
          "the number of one lane is required: `thread lane list` shows "
          "the lanes");
      return;
    }
    std::optional<LaneView> view = GetLaneView(m_exe_ctx, result);
    if (!view)
      return;
    llvm::Expected<uint32_t> lane = ParseLane(command[0].ref(), *view);
    if (!lane)
      result.AppendError(llvm::toString(lane.takeError()));
    else if (view->IsIdle(*lane) && view->GetWorkItem(0))
      result.AppendErrorWithFormat(
          "lane %u has no work-item: the workgroup is smaller than its waves\n",
          *lane);
    else
      SelectLane(*view, *lane, result);
  }

private:
  void SelectByName(Args &command, CommandReturnObject &result) {
    if (command.GetArgumentCount() != 1) {
      result.AppendError(
          "the name of one lane is required: `thread lane select --name "
          "producer`");
      return;
    }
    Process &process = m_exe_ctx.GetProcessRef();
    std::vector<NamedLane> names;
    if (std::shared_ptr<ProcessLanes> lanes = ProcessLanes::Get(process))
      names = lanes->GetLaneNames(process);
    auto found = llvm::find_if(names, [&](const NamedLane &named) {
      return named.name == command[0].ref();
    });
    if (found == names.end()) {
      result.AppendErrorWithFormat(
          "no lane is named '%s': `thread lane name` gives "
          "the focus lane a name\n",
          command[0].c_str());
      return;
    }
    SelectInThread(found->tid, std::nullopt, found->lane, result);
  }

  void SelectWhere(Args &command, CommandReturnObject &result) {
    std::vector<llvm::StringRef> words;
    for (const Args::ArgEntry &word : command)
      words.push_back(word.ref());
    if (words.empty()) {
      result.AppendError("an expression is required, as in `thread "
                         "lane select --where 'i == 17'`");
      return;
    }
    const LaneSearch search =
        LaneSearch::Run(m_exe_ctx, llvm::join(words, " "), m_options.Has('a'));
    if (!search.Check(result))
      return;
    const LanesFound *first = search.GetFirst();
    if (!first) {
      result.AppendError(LaneSearch::DescribeNone(m_options.Has('a')));
      return;
    }
    search.Note(result);
    search.Warn(result);
    SelectInThread(first->tid, m_exe_ctx.GetFrameRef().GetFrameIndex(),
                   first->lanes.front(), result);
  }

  /// \param frame_index The frame to select; nullopt keeps the selected
  ///     one.
  void SelectInThread(tid_t tid, std::optional<uint32_t> frame_index,
                      uint32_t lane, CommandReturnObject &result) {
    ThreadList &threads = m_exe_ctx.GetProcessRef().GetThreadList();
    threads.SetSelectedThreadByID(tid);
    ThreadSP thread_sp = threads.GetSelectedThread();
    if (frame_index)
      thread_sp->SetSelectedFrameByIndex(*frame_index);
    m_exe_ctx.SetContext(
        thread_sp->GetSelectedFrame(DoNoSelectMostRelevantFrame));
    if (std::optional<LaneView> view = GetLaneView(m_exe_ctx, result))
      SelectLane(*view, lane, result);
  }

  SimpleOptions m_options;
};

//===-- next, previous ----------------------------------------------------===//

class LaneStepCommand : public StoppedCommand<CommandObjectParsed> {
public:
  LaneStepCommand(CommandInterpreter &interpreter, bool forward)
      : StoppedCommand(interpreter,
                       forward ? "thread lane next" : "thread lane previous",
                       forward ? "Select the next active lane."
                               : "Select the previous active lane.",
                       forward ? "thread lane next" : "thread lane previous",
                       FrameCommandFlags),
        m_forward(forward) {
    SetHelpLong(R"(
Inactive lanes are skipped; after the last lane, it continues with the first.

Example:

(lldb) thread lane next
)");
  }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    std::optional<LaneView> view = GetLaneView(m_exe_ctx, result);
    if (!view)
      return;
    const uint32_t count = view->GetCount(), focus = view->GetFocus();
    for (uint32_t distance = 1; distance <= count; ++distance) {
      const uint32_t lane =
          (focus + (m_forward ? distance : count - distance)) % count;
      if (!view->IsActive(lane))
        continue;
      if (lane != focus || view->HasFocusMoved())
        return SelectLane(*view, lane, result);
      result.AppendMessageWithFormat("lane %u is the only active one\n", lane);
      result.SetStatus(eReturnStatusSuccessFinishResult);
      return;
    }
    result.AppendError("no lane is active: `thread lane select` selects any");
  }

private:
  const bool m_forward;
};

//===-- info --------------------------------------------------------------===//

constexpr OptionDefinition g_info_options[] = {
    Switch("json", 'j', "Print JSON."),
};

class LaneInfoCommand : public StoppedCommand<CommandObjectParsed> {
public:
  explicit LaneInfoCommand(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "thread lane info",
                       "Describe the focus lane of the selected thread.",
                       "thread lane info [--json]", FrameCommandFlags),
        m_options(g_info_options) {
    SetHelpLong(R"(
Example:

(lldb) thread lane info
thread #3 'saxpy (1,0,0)/2', lane 17 of 64, active, work-item (145,0,0) in its
workgroup, (401,0,0) in the grid, at saxpy.hip:9:5
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    std::optional<LaneView> view = GetLaneView(m_exe_ctx, result);
    if (!view)
      return;
    if (m_options.Has('j'))
      return AppendJSON(result, FocusToJSON(view->Describe()));
    result.AppendMessage(DescribeLane(*view, view->GetFocus()));
    WarnOfMovedFocus(*view, result);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

//===-- name --------------------------------------------------------------===//

constexpr OptionDefinition g_name_options[] = {
    WordOption("lane", 'l', eArgTypeUnsignedInteger,
               "The lane to name, instead of the focus lane."),
};

class LaneNameCommand : public StoppedCommand<CommandObjectParsed> {
public:
  explicit LaneNameCommand(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "thread lane name",
                       "Give a lane of the selected thread a name.",
                       "thread lane name [--lane <lane>] [<name>]",
                       FrameCommandFlags),
        m_options(g_name_options) {
    AddSimpleArgumentList(eArgTypeName, eArgRepeatOptional);
    SetHelpLong(R"(
The name is shown beside the lane's number, and `thread lane select --name`
finds it in any wave. It is kept while the wave lives. Without a name, the
command removes the lane's name. `gpu wave name` names waves.

Examples:

(lldb) thread lane name producer
(lldb) thread lane name --lane 17 consumer
(lldb) thread lane select --name producer
(lldb) thread lane name
)");
  }
  Options *GetOptions() override { return &m_options; }

  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    if (request.GetCursorIndex() == 0)
      CompleteLaneNames(m_exe_ctx, request);
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    std::optional<LaneView> view = GetLaneView(m_exe_ctx, result);
    if (!view)
      return;
    uint32_t lane = view->GetFocus();
    if (m_options.Has('l')) {
      llvm::Expected<uint32_t> given = ParseLane(m_options.Get('l'), *view);
      if (!given) {
        result.AppendError(llvm::toString(given.takeError()));
        return;
      }
      lane = *given;
    }
    if (!CheckName(command, result))
      return;
    Process &process = m_exe_ctx.GetProcessRef();
    ProcessLanes::GetOrCreate(process)->SetName(
        process, view->GetThread().GetID(), lane,
        command.empty() ? "" : command[0].ref().str());
    result.AppendMessage(DescribeLane(*view, lane));
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeLaneSelectCommand(CommandInterpreter &interpreter) {
  return std::make_shared<LaneSelectCommand>(interpreter);
}
CommandObjectSP
lldb_private::wavelane::MakeLaneStepCommand(CommandInterpreter &interpreter,
                                            bool forward) {
  return std::make_shared<LaneStepCommand>(interpreter, forward);
}
CommandObjectSP
lldb_private::wavelane::MakeLaneInfoCommand(CommandInterpreter &interpreter) {
  return std::make_shared<LaneInfoCommand>(interpreter);
}
CommandObjectSP
lldb_private::wavelane::MakeLaneNameCommand(CommandInterpreter &interpreter) {
  return std::make_shared<LaneNameCommand>(interpreter);
}
