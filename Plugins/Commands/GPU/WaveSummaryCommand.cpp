//===-- WaveSummaryCommand.cpp - gpu wave summary -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Base/CommandUtil.h"
#include "Commands/Base/FindGPU.h"
#include "Core/Format/SourcePlace.h"
#include "Core/Lane/ProcessLanes.h"
#include "Core/Progress/SlowProgress.h"
#include "GPUCommands.h"
#include "GPUObjects.h"
#include "ObjectTable.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ThreadAMDGPU.h"
#include "Session/Job/FoldedWaves.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Utility/State.h"
#include "lldb/Utility/StreamString.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "llvm/Support/JSON.h"

#include <limits>
#include <map>
#include <tuple>

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
    size_t most = std::numeric_limits<size_t>::max();
    if (m_options.Has('m') &&
        (m_options.Get('m').getAsInteger(10, most) || !m_options.Has('j'))) {
      result.AppendError("--most needs a number of waves, and --json");
      return;
    }
    SlowCall call(m_interpreter.GetDebugger(), "Counting waves");
    const bool is_sample = StateIsRunningState(process->GetState());
    llvm::Expected<llvm::json::Array> counted =
        is_sample || process->IsNonStop() ? CountSample(*process, most)
                                          : Count(*process, most);
    if (!counted) {
      result.AppendErrorWithFormatv("the waves can't be counted: {0}",
                                    llvm::toString(counted.takeError()));
      return;
    }
    llvm::json::Array &rows = *counted;
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
    if (is_sample)
      result.AppendMessage(SampleNote);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  llvm::json::Array Count(ProcessAMDGPU &process, size_t most) const {
    const std::vector<WaveFold> folds =
        FoldWaves(process, DispatchFolding::Apart);
    std::map<uint64_t, size_t> waves_of;
    for (const WaveFold &fold : folds)
      waves_of[GetDispatch(fold)] += fold.waves.size();
    llvm::json::Array rows;
    for (const WaveFold &fold : folds) {
      rows.push_back(MakeRow(fold));
      if (m_options.Has('j') && waves_of[GetDispatch(fold)] <= most)
        AddWaves(process, fold, *rows.back().getAsObject());
    }
    return rows;
  }

  /// While waves run: LLDB doesn't know where they are.
  llvm::Expected<llvm::json::Array> CountSample(ProcessAMDGPU &process,
                                                size_t most) const {
    namespace key = ::wavelane::server::packets::wave;
    bool is_sample = false;
    llvm::Expected<StructuredData::ArraySP> waves = ListObjects(
        process, ::wavelane::server::packets::objects::Wave, {}, &is_sample);
    if (!waves)
      return waves.takeError();
    using Row = std::tuple<uint64_t, uint64_t, uint64_t, std::string,
                           std::string, std::string>;
    std::map<Row, llvm::json::Array> threads, names;
    std::map<uint64_t, size_t> waves_of;
    std::map<uint64_t, std::string> lines;
    ForEachObject(**waves, [&](StructuredData::Dictionary &wave) {
      const uint64_t pc = GetNumber(wave, key::Pc).value_or(0);
      auto [line, is_new] = lines.try_emplace(pc);
      if (is_new)
        line->second = SourcePlace::Find(process.GetTarget(), pc)
                           .Format(process.GetTarget(), pc,
                                   /*with_column=*/false);
      const std::string kernel = GetText(wave, key::Kernel);
      const std::string reason = GetText(wave, key::StopReason);
      const Row row(GetNumber(wave, key::Agent).value_or(0),
                    GetNumber(wave, key::Queue).value_or(0),
                    GetNumber(wave, key::Dispatch).value_or(0), kernel,
                    line->second,
                    reason.empty() ? GetText(wave, key::State) : reason);
      ++waves_of[std::get<2>(row)];
      threads[row].push_back(GetNumber(wave, key::Thread).value_or(0));
      const std::string name = GetText(wave, key::Name);
      llvm::StringRef position = name;
      if (position.consume_front(kernel))
        position = position.ltrim();
      names[row].push_back(position.str());
    });
    llvm::json::Array rows;
    for (auto &[row, ids] : threads) {
      const auto &[agent, queue, dispatch, kernel, line, state] = row;
      llvm::json::Object object{{"kernel", kernel},
                                {"line", line},
                                {"state", state},
                                {"waves", int64_t(ids.size())}};
      for (auto [name, id] :
           {std::pair("agent", agent), std::pair("queue", queue),
            std::pair("dispatch", dispatch)})
        if (id)
          object[name] = id;
      if (m_options.Has('j') && waves_of[dispatch] <= most) {
        object["names"] = std::move(names[row]);
        object["threads"] = std::move(ids);
      }
      rows.push_back(std::move(object));
    }
    return rows;
  }

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
