//===-- LaneListCommand.cpp - thread lane list ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Format/LaneGrid.h"
#include "LaneCommands.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Utility/StreamString.h"
#include <tuple>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

bool lldb_private::wavelane::WantsGrid(const SimpleOptions &options,
                                       CommandInterpreter &interpreter) {
  return !options.Has('n') &&
         (options.Has('g') || interpreter.GetDebugger().GetUseColor());
}

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("all", 'a',
           "Show a line for every lane, even if several are alike."),
    Switch("json", 'j', "Print JSON."),
    GridSwitch,
    NoGridSwitch,
};

/// The numbers of lanes that are alike and in the same place.
using Group = std::vector<uint32_t>;

class LaneListCommand : public StoppedCommand<CommandObjectParsed> {
public:
  explicit LaneListCommand(CommandInterpreter &interpreter)
      : StoppedCommand(
            interpreter, "thread lane list",
            "List the lanes of the selected thread at the selected frame.",
            "thread lane list [--all] [--grid | --no-grid] [--json]",
            FrameCommandFlags),
        m_options(g_options) {
    SetHelpLong(R"(
Each line shows lanes that are alike and in the same place: their numbers,
whether they are active, the work-items that they execute (position in the
workgroup and in the grid), and the source line. For inactive lanes it is the
line where they continue, according to debug information, or else to the masks
that the code keeps. Lanes that the thread has stopped for (of a finding, a
watchpoint or an exception) "caused the stop". '*' marks the line with the
focus lane. In a terminal with colors, the lanes are also drawn as a grid,
with a row for each row of the workgroup.

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
    std::optional<LaneView> view = GetLaneView(m_exe_ctx, result);
    if (!view)
      return;
    const LaneList list = view->Describe();
    if (m_options.Has('j'))
      return AppendJSON(result, list);
    StreamString text;
    text.Format("{0}: {1}, {2} active, focus lane {3}\n", list.FormatThread(),
                FormatCount(view->GetCount(), "lane"),
                view->GetActive().count(), list.focus);
    if (WantsGrid(m_options, m_interpreter) && view->GetCount() > 1)
      DrawLanes(*view, text);
    for (const Group &group : MakeGroups(list, m_options.Has('a')))
      PrintGroup(*view, list, group, text);
    result.AppendMessage(text.GetString().rtrim());
    WarnOfMovedFocus(*view, result);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  void DrawLanes(const LaneView &view, Stream &text) {
    std::vector<GridCell> cells(view.GetCount());
    for (uint32_t lane = 0; lane < view.GetCount(); ++lane)
      cells[lane] = {view.IsActive(lane) ? GridCell::eActive
                                         : GridCell::eInactive,
                     0, lane == view.GetFocus()};
    DrawGrid(cells, view.GetGridWidth(),
             m_interpreter.GetDebugger().GetUseColor(), text);
  }

  static std::vector<Group> MakeGroups(const LaneList &list, bool one_by_one) {
    std::vector<Group> groups;
    std::map<std::tuple<bool, bool, bool, std::string>, size_t> known;
    for (const LaneRecord &lane : list.lanes) {
      // A lane with a name gets its own line.
      if (one_by_one || !lane.name.empty()) {
        groups.push_back({lane.lane});
        continue;
      }
      auto [it, is_new] =
          known.try_emplace({lane.is_active, lane.caused_stop,
                             lane.work_item.has_value(), lane.FormatProgress()},
                            groups.size());
      if (is_new)
        groups.emplace_back();
      groups[it->second].push_back(lane.lane);
    }
    return groups;
  }

  static void PrintGroup(const LaneView &view, const LaneList &list,
                         const Group &group, Stream &text) {
    const LaneRecord &first = list.lanes[group.front()];
    const LaneRecord &last = list.lanes[group.back()];
    text.Format("{0} {1,-6} {2,-8}",
                llvm::is_contained(group, list.focus) ? '*' : ' ',
                FormatRuns(group), first.is_active ? "active" : "inactive");
    const bool is_run = last.lane - first.lane == group.size() - 1;
    if (first.work_item && last.work_item && is_run)
      text.Format(" work-item {0} grid {1}",
                  FormatRange(*first.work_item, *last.work_item),
                  FormatRange(*first.grid, *last.grid));
    else if (view.IsIdle(first.lane))
      text.PutCString(" no work-item");
    text.PutCString(first.FormatProgress());
    if (first.caused_stop)
      text.PutCString(", caused the stop");
    if (!first.name.empty())
      text.Format(" '{0}'", first.name);
    text.EOL();
  }

  static std::string FormatRange(const Triple &first, const Triple &last) {
    return first == last ? FormatTriple(first)
                         : FormatTriple(first) + "-" + FormatTriple(last);
  }

  SimpleOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeLaneListCommand(CommandInterpreter &interpreter) {
  return std::make_shared<LaneListCommand>(interpreter);
}
