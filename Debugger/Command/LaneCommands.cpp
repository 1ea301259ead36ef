//===-- LaneCommands.cpp - thread lane ... --------------------*- C++ -*-===//

#include "CommandUtil.h"
#include "Commands.h"
#include "Lane/LaneFocus.h"
#include "Format/LaneGrid.h"
#include "Format/LaneValue.h"
#include "Lane/LaneSource.h"
#include "Lane/ProcessLanes.h"
#include "Progress/SlowProgress.h"
#include "lldb/Core/Debugger.h"
#include "lldb/ValueObject/ValueObject.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObjectMultiword.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/State.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <tuple>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

const uint32_t g_flags = eCommandRequiresFrame | eCommandTryTargetAPILock |
                         eCommandProcessMustBeLaunched |
                         eCommandProcessMustBePaused;

/// What each lane command looks at: the selected thread, frame and lanes.
struct View {
  Thread &thread;
  StackFrame &frame;
  LaneSet lanes;
  LaneSource *source;
  uint32_t focus;
  /// The thread's focus lane does not exist at this frame.
  bool focus_moved;

  bool IsActive(uint32_t lane) const { return lanes.active.test(lane); }

  /// Where each lane is or goes on, as " at saxpy.hip:9:5"; empty where it isn't
  /// known.
  std::vector<std::string> GetPlaces() const;

  std::string Existing() const {
    if (lanes.count == 1)
      return lanes.from_machine ? "the wave has one lane, 0"
                                : "the code at this frame has one lane, 0";
    return llvm::formatv(lanes.from_machine
                             ? "the wave has lanes 0-{0}"
                             : "the code at this frame has lanes 0-{0}",
                         lanes.count - 1)
        .str();
  }

  std::string ThreadName() const {
    if (source)
      return llvm::formatv("thread #{0} '{1}'", thread.GetIndexID(),
                           source->GetWaveName())
          .str();
    return llvm::formatv("thread #{0}", thread.GetIndexID()).str();
  }

  std::optional<WorkItem> GetWorkItem(uint32_t lane) const {
    return source ? source->GetWorkItem(lane) : std::nullopt;
  }
};

std::vector<std::string> View::GetPlaces() const {
  std::vector<std::string> texts(lanes.count);
  const std::vector<std::optional<LanePlace>> waiting =
      GetLanePlaces(frame, lanes);
  const std::string line = FormatLine(frame);
  TargetSP target_sp = thread.CalculateTarget();
  std::map<addr_t, std::string> lines;
  for (uint32_t lane = 0; lane < lanes.count; ++lane) {
    if (IsActive(lane)) {
      if (!line.empty())
        texts[lane] = " at " + line;
    } else if (!waiting[lane] || (source && !GetWorkItem(lane))) {
      continue;
    } else if (waiting[lane]->ends) {
      texts[lane] = " has done its work";
    } else {
      auto [it, is_new] = lines.try_emplace(waiting[lane]->pc);
      if (is_new)
        it->second = FormatPlace(*target_sp, waiting[lane]->pc);
      texts[lane] = " goes on at " + it->second;
    }
  }
  return texts;
}

std::optional<View> GetView(ExecutionContext &exe_ctx,
                            CommandReturnObject &result) {
  Thread *thread = exe_ctx.GetThreadPtr();
  StackFrame *frame = exe_ctx.GetFramePtr();
  if (!thread || !frame) {
    result.AppendError("no thread is selected, or it has no frame");
    return std::nullopt;
  }
  llvm::Expected<LaneSet> lanes = GetLanes(*frame);
  if (!lanes) {
    result.AppendErrorWithFormat("the lanes at this frame can't be told: %s\n",
                                 llvm::toString(lanes.takeError()).c_str());
    return std::nullopt;
  }
  bool moved = false;
  const uint32_t focus = GetFocusLane(*frame, &moved);
  return View{*thread, *frame, std::move(*lanes),
              dynamic_cast<LaneSource *>(thread), focus, moved};
}

std::string FormatTriple(const std::array<uint32_t, 3> &v) {
  return llvm::formatv("({0},{1},{2})", v[0], v[1], v[2]).str();
}

llvm::json::Value TripleToJSON(const std::array<uint32_t, 3> &v) {
  return llvm::json::Array{v[0], v[1], v[2]};
}

llvm::json::Object LaneToJSON(const View &view, uint32_t lane,
                              llvm::StringRef place) {
  llvm::json::Object entry{{"lane", lane},
                           {"active", view.IsActive(lane)},
                           {"focus", lane == view.focus}};
  if (std::optional<WorkItem> item = view.GetWorkItem(lane)) {
    entry["work_item"] = TripleToJSON(item->in_workgroup);
    entry["grid"] = TripleToJSON(item->in_grid);
  }
  if (std::string name = GetGivenName(view.thread, lane); !name.empty())
    entry["name"] = std::move(name);
  if (place.consume_front(" at "))
    entry["line"] = place.str();
  else if (place.consume_front(" goes on at "))
    entry["goes_on_at"] = place.str();
  else if (!place.empty())
    entry["done"] = true;
  return entry;
}

void SayMoved(const View &view, CommandReturnObject &result) {
  if (view.focus_moved)
    result.AppendMessageWithFormat(
        "the thread's focus lane %u does not exist here: lane %u, the last, "
        "stands for it\n",
        GetFocusLane(view.thread), view.focus);
}

void DescribeLane(const View &view, uint32_t lane, Stream &stream) {
  stream.Printf("%s, lane %u", view.ThreadName().c_str(), lane);
  if (const std::string name = GetGivenName(view.thread, lane); !name.empty())
    stream.Printf(" '%s'", name.c_str());
  stream.Printf(" of %u, %s", view.lanes.count,
                view.IsActive(lane) ? "active" : "inactive");
  if (std::optional<WorkItem> item = view.GetWorkItem(lane))
    stream.Printf(", work-item %s in its workgroup, %s in the grid",
                  FormatTriple(item->in_workgroup).c_str(),
                  FormatTriple(item->in_grid).c_str());
  const std::string place = view.GetPlaces()[lane];
  if (!place.empty())
    stream.Printf(",%s", place.c_str());
  stream.EOL();
}

void SelectLane(View &view, uint32_t lane, CommandReturnObject &result) {
  SetFocusLane(view.thread, lane);
  view.focus = lane;
  StreamString text;
  DescribeLane(view, lane, text);
  if (!view.IsActive(lane))
    text.Printf("lane %u is inactive: it does not execute here, its values may "
                "be stale\n",
                lane);
  result.AppendMessage(text.GetString().rtrim());
  result.SetStatus(eReturnStatusSuccessFinishResult);
}

//===----------------------------------------------------------------------===//

constexpr OptionDefinition GridSwitch =
    Switch("grid", 'g',
           "Draw the lanes as a grid. A terminal with colours shows it anyway.");
constexpr OptionDefinition NoGridSwitch =
    Switch("no-grid", 'n', "Draw no grid.");

bool WantsGrid(const SimpleOptions &options, CommandInterpreter &interpreter) {
  return !options.Has('n') &&
         (options.Has('g') || interpreter.GetDebugger().GetUseColor());
}

/// How many lanes stand in a row: those of a row of the workgroup, where that fits
/// a line.
size_t GetGridWidth(const View &view) {
  const size_t usual = std::min<size_t>(view.lanes.count, 16);
  std::optional<WorkItem> first = view.GetWorkItem(0);
  for (uint32_t lane = 1; first && lane < view.lanes.count && lane <= 32; ++lane) {
    std::optional<WorkItem> item = view.GetWorkItem(lane);
    if (!item)
      break;
    if (item->in_workgroup[1] != first->in_workgroup[1] ||
        item->in_workgroup[2] != first->in_workgroup[2])
      return lane > 1 ? lane : usual;
  }
  return usual;
}

constexpr OptionDefinition g_list_options[] = {
    Switch("all", 'a', "A line for every lane, also where several are alike."),
    Switch("json", 'j', "Print JSON."),
    GridSwitch,
    NoGridSwitch,
};

class LaneList : public StoppedCommand<CommandObjectParsed> {
public:
  explicit LaneList(CommandInterpreter &interpreter)
      : StoppedCommand(
            interpreter, "thread lane list",
            "List the lanes of the selected thread at the selected frame.",
            "thread lane list [--all] [--grid | --no-grid] [--json]", g_flags),
        m_options(g_list_options) {
    SetHelpLong(R"(
Each line shows lanes that are alike and in the same place: their numbers, whether
they are active, the work-items that they execute (position in the workgroup and in
the grid), and the source line, of inactive lanes the one where they go on: as debug
information says, or else the masks that the code keeps. '*' marks those with the
focus lane. In a terminal with colours, the lanes are also drawn as a grid, a row for
each row of the workgroup.

Examples:

(lldb) thread lane list
(lldb) thread lane list --all
(lldb) thread lane list --grid
(lldb) thread lane list --json
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    std::optional<View> view = GetView(m_exe_ctx, result);
    if (!view)
      return;
    if (m_options.Has('j'))
      return PrintJSON(*view, result);

    StreamString text;
    text.Printf("%s: %u %s, %u active, focus lane %u\n",
                view->ThreadName().c_str(), view->lanes.count,
                view->lanes.count == 1 ? "lane" : "lanes",
                unsigned(view->lanes.active.count()), view->focus);
    if (WantsGrid(m_options, m_interpreter) && view->lanes.count > 1) {
      std::vector<GridCell> cells(view->lanes.count);
      for (uint32_t lane = 0; lane < view->lanes.count; ++lane)
        cells[lane] = {view->IsActive(lane) ? GridCell::eActive
                                            : GridCell::eInactive,
                       0, lane == view->focus};
      DrawGrid(cells, GetGridWidth(*view),
               m_interpreter.GetDebugger().GetUseColor(), text);
    }
    for (const Group &group : GetGroups(*view, m_options.Has('a')))
      PrintGroup(*view, group, text);
    result.AppendMessage(text.GetString().rtrim());
    SayMoved(*view, result);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  /// Lanes that are alike and in the same place.
  struct Group {
    std::vector<std::pair<uint32_t, uint32_t>> runs; ///< First and last.
    std::string place;
    std::string name; ///< That the user has given; such a lane stands alone.
  };

  static std::vector<Group> GetGroups(const View &view, bool one_by_one) {
    std::vector<Group> groups;
    const std::vector<std::string> places = view.GetPlaces();
    std::map<std::tuple<bool, bool, std::string>, size_t> known;
    for (uint32_t lane = 0; lane < view.lanes.count; ++lane) {
      if (std::string name = GetGivenName(view.thread, lane); !name.empty()) {
        groups.push_back({{{lane, lane}}, places[lane], std::move(name)});
        continue;
      }
      auto [it, is_new] = known.try_emplace(
          {view.IsActive(lane), view.GetWorkItem(lane).has_value(), places[lane]},
          groups.size());
      if (is_new || one_by_one) {
        it->second = groups.size();
        groups.push_back({{{lane, lane}}, places[lane], ""});
        continue;
      }
      auto &runs = groups[it->second].runs;
      if (runs.back().second + 1 == lane)
        runs.back().second = lane;
      else
        runs.emplace_back(lane, lane);
    }
    return groups;
  }

  static void PrintGroup(const View &view, const Group &group, Stream &text) {
    bool has_focus = false;
    std::string lanes;
    for (auto [first, last] : group.runs) {
      has_focus |= first <= view.focus && view.focus <= last;
      lanes += (lanes.empty() ? "" : ",") + std::to_string(first);
      if (last != first)
        lanes += '-' + std::to_string(last);
    }
    const uint32_t first = group.runs.front().first;
    const uint32_t last = group.runs.back().second;
    text.Printf("%c %-6s %-8s", has_focus ? '*' : ' ', lanes.c_str(),
                view.IsActive(first) ? "active" : "inactive");
    std::optional<WorkItem> from = view.GetWorkItem(first);
    std::optional<WorkItem> to = view.GetWorkItem(last);
    if (from && to && group.runs.size() == 1) {
      auto range = [&](const std::array<uint32_t, 3> &a,
                       const std::array<uint32_t, 3> &b) {
        return a == b ? FormatTriple(a) : FormatTriple(a) + "-" + FormatTriple(b);
      };
      text.Printf(" work-item %s grid %s",
                  range(from->in_workgroup, to->in_workgroup).c_str(),
                  range(from->in_grid, to->in_grid).c_str());
    } else if (view.source && !from) {
      text.PutCString(" no work-item");
    }
    text.PutCString(group.place);
    if (!group.name.empty())
      text.Printf(" '%s'", group.name.c_str());
    text.EOL();
  }

  static void PrintJSON(const View &view, CommandReturnObject &result) {
    llvm::json::Array lanes;
    const std::vector<std::string> places = view.GetPlaces();
    for (uint32_t lane = 0; lane < view.lanes.count; ++lane)
      lanes.push_back(LaneToJSON(view, lane, places[lane]));
    llvm::json::Object object{
        {"thread", view.thread.GetIndexID()},
        {"tid", int64_t(view.thread.GetID())},
        {"frame", view.frame.GetFrameIndex()},
        {"lane_count", view.lanes.count},
        {"focus", view.focus},
        {"lanes", std::move(lanes)}};
    if (view.source)
      object["wave"] = view.source->GetWaveName();
    AppendJSON(result, std::move(object));
  }

  SimpleOptions m_options;
};

//===----------------------------------------------------------------------===//

/// The lanes for which an expression holds.
struct LaneSearch {
  std::vector<std::pair<ThreadSP, llvm::BitVector>> found;
  size_t looked_at = 0, errors = 0;
  std::string last_error;
  /// It can't be evaluated anywhere.
  bool hopeless = false;
  /// The user has interrupted it.
  bool left_off = false;

  bool Check(CommandReturnObject &result) const {
    if (!hopeless && (!looked_at || errors < looked_at))
      return true;
    result.AppendError(last_error);
    return false;
  }
  void Warn(CommandReturnObject &result) const {
    if (left_off)
      result.AppendWarningWithFormat("interrupted after %zu lanes\n", looked_at);
    if (errors)
      result.AppendWarningWithFormat(
          "it can't be evaluated in %zu of %zu lanes: %s\n", errors, looked_at,
          last_error.c_str());
  }
  void SelectFirst(ExecutionContext &exe_ctx) const {
    if (found.empty())
      return;
    exe_ctx.GetProcessRef().GetThreadList().SetSelectedThreadByID(
        found.front().first->GetID());
    SetFocusLane(*found.front().first,
                 uint32_t(found.front().second.find_first()));
  }
};

/// \param all_threads  Also of other threads that are in the same function.
LaneSearch FindLanes(ExecutionContext &exe_ctx, const std::string &expression,
                     bool all_threads);

constexpr OptionDefinition g_select_options[] = {
    Switch("where", 'e',
           "Select the first active lane for which an expression holds."),
    Switch("all-waves", 'a',
           "With --where: look at every wave that is in the same function."),
    Switch("name", 'n',
           "Select the lane of that name, of any wave: see `thread lane name`."),
};

/// Completes the word with the names of the process's lanes.
void CompleteLaneNames(const ExecutionContext &exe_ctx,
                       CompletionRequest &request) {
  Process *process = exe_ctx.GetProcessPtr();
  std::shared_ptr<ProcessLanes> lanes =
      process ? ProcessLanes::Get(*process) : nullptr;
  if (!lanes)
    return;
  for (const ProcessLanes::LaneName &named : lanes->GetLaneNames(*process))
    request.TryCompleteCurrentArg(named.name,
                                  llvm::formatv("lane {0}", named.lane).str());
}

class LaneSelect : public StoppedCommand<CommandObjectParsed> {
public:
  explicit LaneSelect(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "thread lane select",
                            "Select the lane whose values are shown.",
                            "thread lane select <lane> | --where [--all-waves] "
                            "<expression> | --name <name>",
                            g_flags),
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
    uint32_t lane;
    if (m_options.Has('e'))
      return SelectWhere(command, result);
    if (m_options.Has('n'))
      return SelectByName(command, result);
    if (command.GetArgumentCount() != 1) {
      result.AppendError("give the number of one lane: `thread lane list` shows "
                         "those that there are");
      return;
    }
    if (command[0].ref().getAsInteger(0, lane)) {
      result.AppendErrorWithFormat(
          "'%s' is no lane number: `thread lane list` shows the lanes, `thread "
          "lane select --where %s` selects the first for which that holds\n",
          command[0].c_str(), command[0].c_str());
      return;
    }
    std::optional<View> view = GetView(m_exe_ctx, result);
    if (!view)
      return;
    if (lane >= view->lanes.count) {
      result.AppendErrorWithFormat("lane %u does not exist: %s\n", lane,
                                   view->Existing().c_str());
      return;
    }
    SelectLane(*view, lane, result);
  }

private:
  void SelectByName(Args &command, CommandReturnObject &result) {
    if (command.GetArgumentCount() != 1) {
      result.AppendError("give the name of one lane: `thread lane select --name "
                         "producer`");
      return;
    }
    Process &process = m_exe_ctx.GetProcessRef();
    std::vector<ProcessLanes::LaneName> names;
    if (std::shared_ptr<ProcessLanes> lanes = ProcessLanes::Get(process))
      names = lanes->GetLaneNames(process);
    llvm::erase_if(names, [&](const ProcessLanes::LaneName &named) {
      return named.name != command[0].ref();
    });
    if (names.empty()) {
      result.AppendErrorWithFormat("no lane is named '%s': `thread lane name` gives "
                                   "the focus lane a name\n",
                                   command[0].c_str());
      return;
    }
    process.GetThreadList().SetSelectedThreadByID(names.front().tid);
    ThreadSP thread_sp =
        process.GetThreadList().FindThreadByID(names.front().tid);
    m_exe_ctx.SetContext(thread_sp->GetStackFrameAtIndex(0));
    if (std::optional<View> view = GetView(m_exe_ctx, result))
      SelectLane(*view, names.front().lane, result);
  }

  void SelectWhere(Args &command, CommandReturnObject &result) {
    std::string expression;
    for (const Args::ArgEntry &word : command)
      expression += (expression.empty() ? "" : " ") + word.ref().str();
    if (expression.empty()) {
      result.AppendError("give the expression that is to hold, as in `thread "
                         "lane select --where 'i == 17'`");
      return;
    }
    LaneSearch search = FindLanes(m_exe_ctx, expression, m_options.Has('a'));
    if (!search.Check(result))
      return;
    if (search.found.empty()) {
      result.AppendError(
          m_options.Has('a')
              ? "it holds for no active lane of any wave in this function"
              : "it holds for no active lane: --all-waves looks at the other "
                "waves in this function, too");
      return;
    }
    search.Warn(result);
    search.SelectFirst(m_exe_ctx);
    ThreadSP thread_sp = search.found.front().first;
    m_exe_ctx.SetContext(thread_sp->GetStackFrameAtIndex(0));
    if (std::optional<View> view = GetView(m_exe_ctx, result))
      SelectLane(*view, uint32_t(search.found.front().second.find_first()),
                 result);
  }

  SimpleOptions m_options;
};

//===----------------------------------------------------------------------===//

constexpr OptionDefinition g_info_options[] = {
    Switch("json", 'j', "Print JSON."),
};

class LaneInfo : public StoppedCommand<CommandObjectParsed> {
public:
  explicit LaneInfo(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "thread lane info",
                            "Describe the focus lane of the selected thread.",
                            "thread lane info [--json]", g_flags),
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
    std::optional<View> view = GetView(m_exe_ctx, result);
    if (!view)
      return;
    if (m_options.Has('j')) {
      llvm::json::Object object =
          LaneToJSON(*view, view->focus, view->GetPlaces()[view->focus]);
      object["thread"] = view->thread.GetIndexID();
      object["tid"] = int64_t(view->thread.GetID());
      object["frame"] = view->frame.GetFrameIndex();
      object["lane_count"] = view->lanes.count;
      return AppendJSON(result, std::move(object));
    }
    StreamString text;
    DescribeLane(*view, view->focus, text);
    result.AppendMessage(text.GetString().rtrim());
    SayMoved(*view, result);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

//===----------------------------------------------------------------------===//

constexpr OptionDefinition g_name_options[] = {
    WordOption("lane", 'l', eArgTypeUnsignedInteger,
               "The lane to name, instead of the focus lane."),
};

class LaneName : public StoppedCommand<CommandObjectParsed> {
public:
  explicit LaneName(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "thread lane name",
                       "Give a lane of the selected thread a name.",
                       "thread lane name [--lane <lane>] [<name>]", g_flags),
        m_options(g_name_options) {
    AddSimpleArgumentList(eArgTypeName, eArgRepeatOptional);
    SetHelpLong(R"(
The name stands beside the lane's number wherever lanes are shown, and `thread lane
select --name` finds it in any wave. It is kept while the wave lives. Without a name,
the lane loses its own. `gpu wave name` names waves.

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
    std::optional<View> view = GetView(m_exe_ctx, result);
    if (!view)
      return;
    uint32_t lane = view->focus;
    if (m_options.Has('l') && m_options.Get('l').getAsInteger(0, lane)) {
      result.AppendErrorWithFormat("'%s' is no lane number\n",
                                   m_options.Get('l').str().c_str());
      return;
    }
    if (lane >= view->lanes.count) {
      result.AppendErrorWithFormat("lane %u does not exist: %s\n", lane,
                                   view->Existing().c_str());
      return;
    }
    if (!CheckName(command, result))
      return;
    Process &process = m_exe_ctx.GetProcessRef();
    ProcessLanes::GetOrCreate(process)->SetName(
        process, view->thread.GetID(), lane,
        command.empty() ? "" : command[0].ref().str());
    StreamString text;
    DescribeLane(*view, lane, text);
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

//===----------------------------------------------------------------------===//

class LaneStep : public StoppedCommand<CommandObjectParsed> {
public:
  LaneStep(CommandInterpreter &interpreter, bool forward)
      : StoppedCommand(
            interpreter,
            forward ? "thread lane next" : "thread lane previous",
            forward ? "Select the next active lane."
                    : "Select the previous active lane.",
            forward ? "thread lane next" : "thread lane previous", g_flags),
        m_forward(forward) {
    SetHelpLong(R"(
Inactive lanes are passed over; at the end it goes on at the other end.

Example:

(lldb) thread lane next
)");
  }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    std::optional<View> view = GetView(m_exe_ctx, result);
    if (!view)
      return;
    const uint32_t count = view->lanes.count;
    for (uint32_t distance = 1; distance <= count; ++distance) {
      const uint32_t lane =
          (view->focus + (m_forward ? distance : count - distance)) % count;
      if (!view->IsActive(lane))
        continue;
      if (lane == view->focus && !view->focus_moved) {
        result.AppendMessageWithFormat("lane %u is the only active one\n", lane);
        result.SetStatus(eReturnStatusSuccessFinishResult);
        return;
      }
      return SelectLane(*view, lane, result);
    }
    result.AppendError("no lane is active: `thread lane select` selects any");
  }

private:
  const bool m_forward;
};

//===----------------------------------------------------------------------===//

class LaneApply : public StoppedCommand<CommandObjectRaw> {
public:
  explicit LaneApply(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "thread lane apply",
                         "Run a command in each of some lanes.",
                         "thread lane apply <lanes> <command>", g_flags) {
    SetHelpLong(R"(
<lanes> is a list of numbers and ranges without spaces (0-7,12), or one of the
words all, active, inactive. The focus lane is what it was before afterwards.

Examples:

(lldb) thread lane apply 0-3 frame variable i
(lldb) thread lane apply active p dst[i]
)");
  }

  bool WantsCompletion() override { return true; }

  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    if (request.GetCursorIndex() == 0)
      return CompleteLanes(m_exe_ctx, request, true);
    // What follows is a command of its own.
    request.ShiftArguments();
    m_interpreter.HandleCompletionMatches(request);
  }

protected:
  void DoExecute(llvm::StringRef command,
                 CommandReturnObject &result) override {
    auto [spec, rest] = command.trim().split(' ');
    rest = rest.trim();
    if (spec.empty() || rest.empty()) {
      result.AppendErrorWithFormat("give lanes and a command: %s\n",
                                   GetSyntax().str().c_str());
      return;
    }
    std::optional<View> view = GetView(m_exe_ctx, result);
    if (!view)
      return;
    llvm::Expected<llvm::BitVector> lanes =
        ParseLanes(spec, view->lanes.count, view->lanes.active);
    if (!lanes) {
      result.AppendError(llvm::toString(lanes.takeError()));
      return;
    }
    if (lanes->none()) {
      result.AppendErrorWithFormat(
          "no lane is meant by '%s': `thread lane list` shows which lanes are "
          "active\n",
          spec.str().c_str());
      return;
    }
    const std::string line = rest.str();
    const uint32_t frame_index = view->frame.GetFrameIndex();
    FocusLaneScope scope(view->thread);
    bool failed = false;
    SlowProgress progress(m_interpreter.GetDebugger(),
                          "Running a command in each lane", lanes->count());
    for (uint32_t lane : lanes->set_bits()) {
      scope.Select(lane);
      view->thread.SetSelectedFrameByIndex(frame_index);
      CommandReturnObject lane_result(m_interpreter.GetDebugger().GetUseColor());
      ExecutionContext exe_ctx(m_exe_ctx);
      m_interpreter.HandleCommand(line.c_str(), eLazyBoolNo, exe_ctx,
                                  lane_result);
      result.AppendMessageWithFormat("lane %u%s:\n%s", lane,
                                     view->IsActive(lane) ? "" : " (inactive)",
                                     lane_result.GetOutputString().str().c_str());
      if (!lane_result.Succeeded()) {
        failed = true;
        result.AppendMessage(
            llvm::StringRef(lane_result.GetErrorString()).rtrim());
      }
      if (!m_exe_ctx.GetProcessPtr() ||
          !StateIsStoppedState(m_exe_ctx.GetProcessRef().GetState(), true)) {
        result.AppendError("the process runs: the command was not given to the "
                           "lanes that remain");
        return;
      }
      if (!progress.Step()) {
        result.AppendError("interrupted: the command was not given to the lanes "
                           "that remain");
        return;
      }
    }
    result.SetStatus(failed ? eReturnStatusFailed
                            : eReturnStatusSuccessFinishResult);
  }
};

//===----------------------------------------------------------------------===//

/// Takes options from the front of a raw command. An expression that begins with
/// no dash needs no "--" before it.
bool SplitOptions(CommandObject &command_object, SimpleOptions &options,
                  llvm::StringRef command, ExecutionContext &exe_ctx,
                  std::string &rest, CommandReturnObject &result) {
  options.NotifyOptionParsingStarting(&exe_ctx);
  llvm::StringRef left = command.trim();
  while (left.starts_with("-")) {
    auto [word, after] = left.split(' ');
    if (word == "--") {
      left = after.trim();
      break;
    }
    llvm::ArrayRef<OptionDefinition> definitions = options.GetDefinitions();
    bool found = false;
    for (size_t i = 0; i < definitions.size() && !found; ++i)
      if (word == (llvm::Twine("--") + definitions[i].long_option).str() ||
          (word.size() == 2 && word[1] == definitions[i].short_option)) {
        llvm::StringRef argument;
        if (definitions[i].option_has_arg != OptionParser::eNoArgument)
          std::tie(argument, after) = after.ltrim().split(' ');
        options.SetOptionValue(uint32_t(i), argument, &exe_ctx);
        found = true;
      }
    if (!found) {
      // A negative number or a decrement is an expression.
      if (word.size() > 2 && word.starts_with("--") && llvm::isAlpha(word[2]) &&
          after.empty()) {
        result.AppendErrorWithFormat(
            "%s has no option '%s' (write -- before an expression)\n",
            command_object.GetCommandName().str().c_str(), word.str().c_str());
        return false;
      }
      break;
    }
    left = after.trim();
  }
  rest = left.str();
  return true;
}

constexpr OptionDefinition g_print_options[] = {
    Switch("json", 'j', "Print JSON."),
    Switch("all", 'a', "Show inactive lanes as well."),
    WordOption("lanes", 'l', eArgTypeUnsignedInteger,
               "Only these lanes: numbers and ranges as 0-7,12."),
    GridSwitch,
    NoGridSwitch,
};

class LanePrint : public StoppedCommand<CommandObjectRaw> {
public:
  explicit LanePrint(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "thread lane print",
                         "Print the value of an expression in every lane.",
                         "thread lane print [--all] [--lanes <lanes>] [--grid | "
                         "--no-grid] [--json] [--] <expression>",
                         g_flags),
        m_options(g_print_options) {
    SetHelpLong(R"(
Lanes that follow each other and have the same value share a line. Inactive
lanes are left out unless --all is given. In a terminal with colours, numbers
are also drawn as a map, from dark (lowest) to bright (highest); without
colours, --grid draws it with digits from 0 to 9.

Examples:

(lldb) thread lane print i
0  0
1  1
2-63  2
(lldb) thread lane print a * x[i]
(lldb) thread lane print --lanes 0-3,17 t
(lldb) thread lane print --grid t
(lldb) thread lane print --json i
)");
  }
  Options *GetOptions() override { return &m_options; }
  bool WantsCompletion() override { return true; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    CompleteVariables(m_interpreter, request);
  }

protected:
  void DoExecute(llvm::StringRef command,
                 CommandReturnObject &result) override {
    std::string text_of_expression;
    if (!SplitOptions(*this, m_options, command, m_exe_ctx, text_of_expression,
                      result))
      return;
    llvm::StringRef expression = text_of_expression;
    if (expression.empty()) {
      result.AppendErrorWithFormat("give an expression: %s\n",
                                   GetSyntax().str().c_str());
      return;
    }
    std::optional<View> view = GetView(m_exe_ctx, result);
    if (!view)
      return;

    llvm::BitVector wanted = view->lanes.active;
    if (m_options.Has('l')) {
      llvm::Expected<llvm::BitVector> lanes =
          ParseLanes(m_options.Get('l'), view->lanes.count, view->lanes.active);
      if (!lanes) {
        result.AppendError(llvm::toString(lanes.takeError()));
        return;
      }
      wanted = std::move(*lanes);
    } else if (m_options.Has('a')) {
      wanted.set();
    }
    std::vector<std::pair<uint32_t, LaneValue>> values;
    {
      FocusLaneScope scope(view->thread);
      const uint32_t frame_index = view->frame.GetFrameIndex();
      SlowProgress progress(m_interpreter.GetDebugger(), "Reading lanes",
                            wanted.count());
      for (uint32_t lane : wanted.set_bits()) {
        scope.Select(lane);
        StackFrameSP frame_sp =
            m_exe_ctx.GetThreadRef().GetStackFrameAtIndex(frame_index);
        if (!frame_sp) {
          result.AppendError("the frame is gone");
          return;
        }
        bool hopeless = false;
        LaneValue value = ReadLaneValue(*frame_sp, expression,
                                        m_options.Has('j'), hopeless);
        if (hopeless) {
          result.AppendError(value.text);
          return;
        }
        values.emplace_back(lane, std::move(value));
        if (!progress.Step()) {
          result.AppendWarningWithFormat(
              "interrupted: lanes after %u are left out\n", lane);
          break;
        }
      }
    }
    if (values.empty()) {
      result.AppendError("no lane is active: --all shows inactive ones");
      return;
    }
    if (m_options.Has('j'))
      return PrintJSON(*view, expression, values, result);

    // One error for all lanes is the command's.
    bool all_same = true;
    for (const auto &value : values)
      all_same &= value.second == values.front().second;
    if (all_same && values.front().second.is_error) {
      result.AppendError(values.front().second.text);
      return;
    }
    StreamString text;
    if (WantsGrid(m_options, m_interpreter))
      DrawMap(*view, values, text);
    for (size_t i = 0; i < values.size();) {
      size_t j = i;
      while (j + 1 < values.size() &&
             values[j + 1].first == values[j].first + 1 &&
             values[j + 1].second == values[i].second &&
             view->IsActive(values[j + 1].first) ==
                 view->IsActive(values[i].first))
        ++j;
      std::string lanes = std::to_string(values[i].first);
      if (j != i)
        lanes += '-' + std::to_string(values[j].first);
      text.Printf("%-6s %s%s%s\n", lanes.c_str(),
                  view->IsActive(values[i].first) ? "" : "(inactive) ",
                  values[i].second.is_error ? "error: " : "",
                  values[i].second.text.c_str());
      i = j + 1;
    }
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  void DrawMap(const View &view,
               const std::vector<std::pair<uint32_t, LaneValue>> &values,
               Stream &stream) {
    std::vector<GridCell> cells(view.lanes.count);
    bool any = false;
    for (const auto &[lane, value] : values) {
      cells[lane].kind = value.number ? GridCell::eNumber : GridCell::eNoNumber;
      cells[lane].number = value.number.value_or(0);
      any |= value.number.has_value();
    }
    cells[view.focus].focus = true;
    // A map of one colour tells nothing.
    const bool differ = llvm::any_of(values, [&](const auto &value) {
      return !(value.second == values.front().second);
    });
    if (any && cells.size() > 1 && (differ || m_options.Has('g')))
      DrawGrid(cells, GetGridWidth(view),
               m_interpreter.GetDebugger().GetUseColor(), stream);
  }

  static void
  PrintJSON(const View &view, llvm::StringRef expression,
            const std::vector<std::pair<uint32_t, LaneValue>> &values,
            CommandReturnObject &result) {
    llvm::json::Array entries;
    std::string type;
    for (const auto &[lane, value] : values) {
      llvm::json::Object entry{
          {"lane", lane},
          {"active", view.IsActive(lane)},
          {value.is_error ? "error" : "value", value.text}};
      if (!value.bytes.empty())
        entry["bytes"] = value.bytes;
      if (type.empty())
        type = value.type;
      entries.push_back(std::move(entry));
    }
    AppendJSON(result, llvm::json::Object{{"expression", expression.str()},
                                          {"type", type},
                                          {"thread", view.thread.GetIndexID()},
                                          {"values", std::move(entries)}});
  }

  SimpleOptions m_options;
};

//===----------------------------------------------------------------------===//

LaneSearch FindLanes(ExecutionContext &exe_ctx, const std::string &expression,
                     bool all_threads) {
  LaneSearch search;
  auto get_function = [](StackFrame &frame) {
    return frame.GetSymbolContext(eSymbolContextFunction).function;
  };
  const uint32_t frame_index = exe_ctx.GetFrameRef().GetFrameIndex();
  Function *function = get_function(exe_ctx.GetFrameRef());
  std::vector<ThreadSP> threads;
  if (all_threads)
    for (ThreadSP thread_sp : exe_ctx.GetProcessRef().Threads())
      threads.push_back(thread_sp);
  else
    threads.push_back(exe_ctx.GetThreadSP());
  SlowProgress progress(exe_ctx.GetTargetRef().GetDebugger(), "Looking at waves",
                        threads.size());
  for (const ThreadSP &thread_sp : threads) {
    if (search.left_off)
      break;
    search.left_off = !progress.Step();
    StackFrameSP frame_sp = thread_sp->GetStackFrameAtIndex(frame_index);
    if (!frame_sp || (all_threads && (!function ||
                                      get_function(*frame_sp) != function)))
      continue;
    llvm::Expected<LaneSet> lanes = GetLanes(*frame_sp);
    if (!lanes) {
      search.last_error = llvm::toString(lanes.takeError());
      ++search.errors;
      continue;
    }
    llvm::BitVector found(lanes->count);
    FocusLaneScope scope(*thread_sp);
    for (uint32_t lane : lanes->active.set_bits()) {
      scope.Select(lane);
      frame_sp = thread_sp->GetStackFrameAtIndex(frame_index);
      if (!frame_sp)
        break;
      ++search.looked_at;
      llvm::Expected<ValueObjectSP> value =
          EvaluateInFrame(*frame_sp, expression, search.hopeless);
      Status error;
      const bool holds = value && (*value)->IsLogicalTrue(error);
      if (!value || error.Fail()) {
        search.last_error = value ? error.AsCString("it is neither true nor false")
                                  : llvm::toString(value.takeError());
        ++search.errors;
        if (search.hopeless)
          return search;
      } else if (holds) {
        found.set(lane);
      }
    }
    if (found.any())
      search.found.emplace_back(thread_sp, std::move(found));
  }
  return search;
}

constexpr OptionDefinition g_find_options[] = {
    Switch("select", 's', "Select the first lane found, and its thread."),
    Switch("all-threads", 'w',
           "Look at every thread (wave) that is in the same function."),
    Switch("all-waves", 'a', "The same as --all-threads."),
    Switch("json", 'j', "Print JSON."),
};

class LaneFind : public StoppedCommand<CommandObjectRaw> {
public:
  explicit LaneFind(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "thread lane find",
                         "Find the active lanes for which an expression holds.",
                         "thread lane find [--select] [--all-threads] [--json] "
                         "[--] <expression>",
                         g_flags),
        m_options(g_find_options) {
    SetHelpLong(R"(
The expression is evaluated once for every active lane, with that lane's
values. `thread lane select --where` also selects the first lane found.

Examples:

(lldb) thread lane find i == 777
(lldb) thread lane find --select t < 0
(lldb) thread lane find --all-waves x[i] != x[i]
)");
  }
  Options *GetOptions() override { return &m_options; }
  bool WantsCompletion() override { return true; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    CompleteVariables(m_interpreter, request);
  }

protected:
  void DoExecute(llvm::StringRef command,
                 CommandReturnObject &result) override {
    std::string expression;
    if (!SplitOptions(*this, m_options, command, m_exe_ctx, expression, result))
      return;
    if (expression.empty()) {
      result.AppendErrorWithFormat("give an expression: %s\n",
                                   GetSyntax().str().c_str());
      return;
    }
    LaneSearch search =
        FindLanes(m_exe_ctx, expression, m_options.Has('w') || m_options.Has('a'));
    if (!search.Check(result))
      return;
    llvm::json::Array entries;
    StreamString text;
    for (const auto &[thread_sp, found] : search.found) {
      auto *source = dynamic_cast<LaneSource *>(thread_sp.get());
      text.Printf("thread #%u%s%s%s: lanes %s\n", thread_sp->GetIndexID(),
                  source ? " '" : "",
                  source ? source->GetWaveName().c_str() : "",
                  source ? "'" : "", FormatLanes(found).c_str());
      llvm::json::Array numbers;
      for (uint32_t lane : found.set_bits())
        numbers.push_back(lane);
      entries.push_back(
          llvm::json::Object{{"thread", thread_sp->GetIndexID()},
                             {"tid", int64_t(thread_sp->GetID())},
                             {"lanes", std::move(numbers)}});
    }
    if (m_options.Has('j'))
      AppendJSON(result, std::move(entries));
    else if (text.Empty())
      result.AppendMessage(
          m_options.Has('w') || m_options.Has('a')
              ? "it holds for no active lane of any wave in this function"
              : "it holds for no active lane: --all-waves looks at the other "
                "waves in this function, too");
    else
      result.AppendMessage(text.GetString().rtrim());
    search.Warn(result);
    result.SetStatus(eReturnStatusSuccessFinishResult);
    if (m_options.Has('s'))
      search.SelectFirst(m_exe_ctx);
  }

private:
  SimpleOptions m_options;
};

//===----------------------------------------------------------------------===//

class ThreadLane : public CommandGroup {
public:
  explicit ThreadLane(CommandInterpreter &interpreter)
      : CommandGroup(
            interpreter, "thread lane",
            "Commands for the lanes of a thread: those of a GPU wave, or the "
            "iterations that a widened loop runs at once.",
            R"(
Each wave of a GPU is a thread; each of its lanes runs one work-item. A thread
of the CPU has lanes where debug information says that a vectorised loop runs
several iterations at once. One lane of each thread is its focus lane: `p`,
`frame variable` and all other commands show that lane's values. Setting the
register `lane` changes it as `thread lane select` does.

Examples:

(lldb) thread lane list                       which lanes run here
(lldb) thread lane select 17                  look at lane 17
(lldb) frame variable i
(lldb) thread lane print i                    i in every lane
(lldb) thread lane find x[i] < 0              the lanes for which it holds
(lldb) thread lane select --where 'i == 777'  look at the first of them
(lldb) thread lane apply 0-3 frame variable   a command in lanes 0 to 3
(lldb) thread lane name producer              a name for the focus lane
)") {
    LoadSubCommand("list", std::make_shared<LaneList>(interpreter));
    LoadSubCommand("select", std::make_shared<LaneSelect>(interpreter));
    LoadSubCommand("info", std::make_shared<LaneInfo>(interpreter));
    LoadSubCommand("name", std::make_shared<LaneName>(interpreter));
    LoadSubCommand("next", std::make_shared<LaneStep>(interpreter, true));
    LoadSubCommand("previous", std::make_shared<LaneStep>(interpreter, false));
    LoadSubCommand("apply", std::make_shared<LaneApply>(interpreter));
    LoadSubCommand("print", std::make_shared<LanePrint>(interpreter));
    LoadSubCommand("find", std::make_shared<LaneFind>(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeThreadLaneCommand(CommandInterpreter &interpreter) {
  return std::make_shared<ThreadLane>(interpreter);
}
