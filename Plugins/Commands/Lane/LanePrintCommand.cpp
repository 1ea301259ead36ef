//===-- LanePrintCommand.cpp - thread lane print --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Format/LaneExpression.h"
#include "Core/Format/LaneGrid.h"
#include "Core/Progress/SlowProgress.h"
#include "LaneCommands.h"
#include "LaneExpressionCommand.h"
#include "LaneValueReader.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/STLExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("json", 'j', "Print JSON: an array of threads with --all-waves."),
    Switch("all", 'a', "Show inactive lanes as well."),
    Switch("all-waves", 'w',
           "Print all waves (threads) that are in the same function."),
    Switch("columns", 'c',
           "Show the values as a table, with as many in a row as fit the "
           "terminal."),
    WordOption("lanes", 'l', eArgTypeUnsignedInteger,
               "Only these lanes: numbers and ranges as 0-7,12."),
    GridSwitch,
    NoGridSwitch,
};

class LanePrintCommand : public LaneExpressionCommand {
public:
  explicit LanePrintCommand(CommandInterpreter &interpreter)
      : LaneExpressionCommand(
            interpreter, "thread lane print",
            "Print the value of an expression in every lane.",
            "thread lane print [--all] [--lanes <lanes>] [--all-waves] "
            "[--columns] [--grid | --no-grid] [--json] [--] "
            "<expression>",
            g_options) {
    SetHelpLong(R"(
Consecutive lanes with the same value share a line. Inactive lanes are left
out unless --all is given. In a terminal with colors, numbers are also drawn
as a map, from dark (lowest) to bright (highest); without colors, --grid
draws it with digits from 0 to 9. Options may also follow the expression:
`i --lanes 0-3`.

Examples:

(lldb) thread lane print i
0      0
1      1
2-63   2
(lldb) thread lane print a * x[i]
(lldb) thread lane print --lanes 0-3,17 t
(lldb) thread lane print --columns t
(lldb) thread lane print --all-waves t
(lldb) thread lane print --grid t
(lldb) thread lane print --json i
)");
  }

protected:
  void Run(const std::string &text, CommandReturnObject &result) override {
    std::vector<LaneView> views;
    const bool all_waves = m_options.Has('w');
    if (all_waves) {
      views = GetViewsInFunction(m_exe_ctx);
    } else {
      std::optional<LaneView> view = GetLaneView(m_exe_ctx, result);
      if (!view)
        return;
      views.push_back(std::move(*view));
    }
    LaneExpression expression(text);
    std::vector<std::pair<LaneView *, LaneValues>> all;
    SlowProgress progress(m_interpreter.GetDebugger(),
                          all_waves ? "Reading waves" : "Reading lanes",
                          all_waves ? std::max<size_t>(views.size(), 1)
                                    : views.front().GetCount());
    m_was_interrupted = false;
    for (LaneView &view : views) {
      llvm::Expected<LaneValues> values =
          Read(view, expression, all_waves ? nullptr : &progress, result);
      if (!values) {
        result.AppendError(llvm::toString(values.takeError()));
        return;
      }
      if (!values->values.empty())
        all.emplace_back(&view, std::move(*values));
      if (all_waves && !progress.Step() && views.size() > all.size())
        m_was_interrupted = true;
      if (m_was_interrupted)
        break;
    }
    if (all.empty()) {
      result.AppendError("no lane is active: --all shows inactive ones");
      return;
    }
    if (m_options.Has('j')) {
      // The records say what is stale.
      PrintJSON(all, result);
    } else {
      PrintText(all, result);
      if (!expression.GetFixed().empty())
        result.AppendNoteWithFormat("evaluated after applying fix-its: %s\n",
                                    expression.GetFixed().c_str());
      if (!expression.GetStale().empty() && !expression.IsPath())
        NoteStale(result, expression.GetStale());
    }
    if (m_was_interrupted)
      result.AppendWarning("interrupted: the remaining lanes are left out");
  }

private:
  using Wave = std::pair<LaneView *, LaneValues>;

  llvm::Expected<llvm::BitVector> GetWanted(const LaneView &view) {
    if (m_options.Has('l'))
      return ParseLanes(m_options.Get('l'), view);
    if (m_options.Has('a'))
      return llvm::BitVector(view.GetCount(), true);
    return view.GetActive();
  }

  /// Stops early if the user interrupts it.
  /// \param progress Counts lanes; may be null.
  llvm::Expected<LaneValues> Read(LaneView &view, LaneExpression &expression,
                                  SlowProgress *progress,
                                  CommandReturnObject &result) {
    llvm::Expected<llvm::BitVector> wanted = GetWanted(view);
    if (!wanted)
      return wanted.takeError();
    Thread &thread = view.GetThread();
    LaneValues values;
    values.expression = expression.GetText();
    values.thread = thread.GetIndexID();
    values.tid = thread.GetID();
    values.wave = view.GetWaveName();
    const uint32_t frame_index = view.GetFrame().GetFrameIndex();
    LaneValueReader reader(thread, frame_index, expression, *wanted,
                           /*with_bytes=*/m_options.Has('j'));
    for (uint32_t lane : wanted->set_bits()) {
      std::optional<LaneValue> read = reader.Read(lane);
      if (!read)
        return llvm::createStringError("the frame is gone");
      LaneValue &value = *read;
      if (expression.IsHopeless())
        return llvm::createStringError(value.text);
      value.is_active = view.IsActive(lane);
      values.values.push_back(std::move(value));
      m_was_interrupted = progress && !progress->Step();
      if (m_was_interrupted)
        break;
    }
    values.type = expression.GetType();
    return values;
  }

  void PrintJSON(const std::vector<Wave> &all, CommandReturnObject &result) {
    AppendJSON(result, [&](llvm::json::OStream &stream) {
      if (!m_options.Has('w'))
        return WriteJSON(all.front().second, stream);
      stream.array([&] {
        for (const Wave &wave : all)
          WriteJSON(wave.second, stream);
      });
    });
  }

  void PrintText(const std::vector<Wave> &all, CommandReturnObject &result) {
    // If all lanes have the same error, report it as the command's.
    const LaneValue &first = all.front().second.values.front();
    if (first.is_error && llvm::all_of(all, [&](const Wave &wave) {
          return IsSameInAll(wave.second, first);
        })) {
      result.AppendError(first.text);
      return;
    }
    StreamString text;
    for (const auto &[view, values] : all) {
      if (m_options.Has('w'))
        text.Format("{0}\n", FormatThread(values.thread, values.wave));
      if (WantsGrid(m_options, m_interpreter))
        DrawMap(*view, values, text);
      if (m_options.Has('c'))
        PrintColumns(values, text);
      else
        PrintRuns(values, text);
    }
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

  static bool IsSameInAll(const LaneValues &values, const LaneValue &wanted) {
    return llvm::all_of(values.values, [&](const LaneValue &value) {
      return value.IsSame(wanted);
    });
  }

  static std::string GetMark(const LaneValue &value) {
    return std::string(value.is_active ? "" : "(inactive) ") +
           (value.is_error ? "error: " : "");
  }

  /// A line for each run of lanes with the same value.
  static void PrintRuns(const LaneValues &values, Stream &text) {
    llvm::ArrayRef<LaneValue> left(values.values);
    while (!left.empty()) {
      std::vector<uint32_t> lanes;
      const LaneValue &first = left.front();
      while (!left.empty() && left.front().IsSame(first) &&
             left.front().is_active == first.is_active &&
             left.front().lane == first.lane + lanes.size()) {
        lanes.push_back(left.front().lane);
        left = left.drop_front();
      }
      // Align further lines of the value with its first line.
      std::string head = FormatRuns(lanes);
      head.resize(std::max<size_t>(head.size(), 6), ' ');
      head += " " + GetMark(first);
      std::string shown = first.text;
      for (size_t at = shown.find('\n'); at != std::string::npos;
           at = shown.find('\n', at + 1))
        shown.insert(at + 1, head.size(), ' ');
      text << head << shown << "\n";
    }
  }

  /// A table: each row begins with the number of its first lane.
  void PrintColumns(const LaneValues &values, Stream &text) {
    size_t width = 1;
    std::map<uint32_t, std::string> cells;
    for (const LaneValue &value : values.values) {
      std::string shown = value.is_error ? "!" : value.text;
      if (!value.is_active)
        shown = "(" + shown + ")";
      std::replace(shown.begin(), shown.end(), '\n', ' ');
      width = std::max(width, shown.size());
      cells[value.lane] = std::move(shown);
    }
    constexpr size_t Head = 6;
    const size_t room = std::max<size_t>(
        m_interpreter.GetDebugger().GetTerminalWidth(), Head + 1);
    size_t in_row = 1;
    while (in_row < 32 && Head + 2 * in_row * (width + 2) <= room)
      in_row *= 2;
    const uint32_t last = cells.rbegin()->first;
    for (uint32_t row = cells.begin()->first / in_row * in_row; row <= last;
         row += in_row) {
      std::string line = llvm::formatv("{0,5}", row);
      for (uint32_t lane = row; lane < row + in_row; ++lane) {
        auto cell = cells.find(lane);
        const std::string shown = cell == cells.end() ? "." : cell->second;
        line += "  " + std::string(width - shown.size(), ' ') + shown;
      }
      text.Format("{0}\n", line);
    }
  }

  void DrawMap(const LaneView &view, const LaneValues &values, Stream &stream) {
    std::vector<GridCell> cells(view.GetCount());
    bool any = false;
    for (const LaneValue &value : values.values) {
      GridCell &cell = cells[value.lane];
      cell.kind = value.number ? GridCell::eNumber : GridCell::eNoNumber;
      cell.number = value.number.value_or(0);
      any |= value.number.has_value();
    }
    cells[view.GetFocus()].focus = true;
    // A map of one color says nothing.
    if (any && cells.size() > 1 &&
        (m_options.Has('g') || !IsSameInAll(values, values.values.front())))
      DrawGrid(cells, view.GetGridWidth(),
               m_interpreter.GetDebugger().GetUseColor(), stream);
  }

  bool m_was_interrupted = false;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeLanePrintCommand(CommandInterpreter &interpreter) {
  return std::make_shared<LanePrintCommand>(interpreter);
}
