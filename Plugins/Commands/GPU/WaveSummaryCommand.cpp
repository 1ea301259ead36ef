//===-- WaveSummaryCommand.cpp - gpu wave summary -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Base/CommandUtil.h"
#include "Commands/Base/FindGPU.h"
#include "Core/Lane/ProcessLanes.h"
#include "Core/Progress/SlowProgress.h"
#include "GPUCommands.h"
#include "ObjectTable.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ThreadAMDGPU.h"
#include "Session/Job/FoldedWaves.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/Support/JSON.h"

#include <limits>
#include <map>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("json", 'j', "Print JSON, with the numbers and names of the waves."),
    WordOption("most", 'm', eArgTypeCount,
               "With --json: leave out the numbers and names of waves in "
               "dispatches with more waves than this."),
};

class WaveSummaryCommand : public CommandObjectParsed {
public:
  explicit WaveSummaryCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(
            interpreter, "gpu wave summary",
            "Show how many waves of each dispatch are at each line.",
            "gpu wave summary [--json [--most <count>]]",
            eCommandTryTargetAPILock),
        m_options(g_options) {
    SetHelpLong(R"(
There is one row for the waves of a dispatch that are at the same line for the
same reason. `thread list` shows the same with the numbers of threads, for all
dispatches of a kernel together; `gpu wave list` shows each wave.

Examples:

(lldb) gpu wave summary
(lldb) gpu wave summary --json
(lldb) gpu wave summary --json --most 32
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return;
    if (process->GetState() != eStateStopped) {
      result.AppendError("the GPU is running: `process interrupt` stops it");
      return;
    }
    size_t most = std::numeric_limits<size_t>::max();
    if (m_options.Has('m') &&
        (m_options.Get('m').getAsInteger(10, most) || !m_options.Has('j'))) {
      result.AppendError("--most needs a number of waves, and --json");
      return;
    }
    SlowCall call(m_interpreter.GetDebugger(), "Counting waves");
    const std::vector<WaveFold> folds =
        FoldWaves(*process, DispatchFolding::Apart);
    std::map<uint64_t, size_t> waves_of;
    for (const WaveFold &fold : folds)
      waves_of[GetDispatch(fold)] += fold.waves.size();
    llvm::json::Array rows;
    for (const WaveFold &fold : folds) {
      rows.push_back(MakeRow(fold));
      if (m_options.Has('j') && waves_of[GetDispatch(fold)] <= most)
        AddWaves(*process, fold, *rows.back().getAsObject());
    }
    if (m_options.Has('j'))
      return AppendJSON(result, std::move(rows));
    StreamString text;
    if (rows.empty())
      text.PutCString("no waves");
    else
      PrintObjects(
          *ToArray(std::move(rows)),
          {"agent", "queue", "dispatch", "kernel", "line", "state", "waves"},
          /*short_names=*/true, text);
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  static StructuredData::ArraySP ToArray(llvm::json::Array rows) {
    StreamString text;
    text.Format("{0}", llvm::json::Value(std::move(rows)));
    return std::static_pointer_cast<StructuredData::Array>(
        StructuredData::ParseJSON(text.GetString()));
  }

  /// Its id, or 0 for all that aren't known.
  static uint64_t GetDispatch(const WaveFold &fold) {
    return fold.waves.front()->GetOrigin()->dispatch;
  }

  static llvm::json::Object MakeRow(const WaveFold &fold) {
    const WaveOrigin origin = *fold.waves.front()->GetOrigin();
    llvm::json::Object row{{"kernel", fold.kernel},
                           {"line", fold.place},
                           {"state", fold.state},
                           {"waves", int64_t(fold.waves.size())}};
    if (origin.agent)
      row["agent"] = origin.agent;
    if (origin.queue)
      row["queue"] = origin.queue;
    if (origin.dispatch)
      row["dispatch"] = origin.dispatch;
    return row;
  }

  /// Adds the waves: short, since there may be many thousands.
  static void AddWaves(ProcessAMDGPU &process, const WaveFold &fold,
                       llvm::json::Object &row) {
    std::shared_ptr<ProcessLanes> lanes = ProcessLanes::Get(process);
    llvm::json::Array threads, names, labels;
    for (ThreadAMDGPU *wave : fold.waves) {
      const tid_t thread = wave->GetProtocolID();
      threads.push_back(thread);
      const std::string name = wave->GetWaveName();
      llvm::StringRef position = name;
      if (position.consume_front(fold.kernel))
        position = position.ltrim();
      names.push_back(position.str());
      if (!lanes)
        continue;
      if (std::string label = lanes->GetName(wave->GetID(), std::nullopt);
          !label.empty())
        labels.push_back(
            llvm::json::Object{{"thread", thread}, {"label", label}});
    }
    row["threads"] = std::move(threads);
    row["names"] = std::move(names);
    if (!labels.empty())
      row["labels"] = std::move(labels);
  }

  SimpleOptions m_options;
};

} // namespace

CommandObjectSP lldb_private::wavelane::MakeWaveSummaryCommand(
    CommandInterpreter &interpreter) {
  return std::make_shared<WaveSummaryCommand>(interpreter);
}
