//===-- RankReport.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RankReport.h"
#include "Commands/Job/RankObjects.h"
#include "Core/Progress/SlowProgress.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "WaveReport.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/Process.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

static void AddRank(const Job &job, const Rank &rank, JobReport &report) {
  const llvm::json::Object described = DescribeRank(job, rank);
  auto text = [&](llvm::StringRef key) {
    return described.getString(key).value_or("").str();
  };
  JobReport::Rank row;
  row.number = rank.GetNumber();
  row.pid = rank.registration.Pid;
  row.waves = uint64_t(described.getInteger("waves").value_or(0));
  row.host = text("host");
  row.state = rank.IsAlive() ? text("state") : text("end");
  row.reason = text("reason");
  row.where = text("where");
  report.ranks.push_back(std::move(row));
}

static void AddStacks(const llvm::json::Array &nodes, unsigned depth,
                      JobReport &report) {
  for (const llvm::json::Value &value : nodes) {
    const llvm::json::Object &node = *value.getAsObject();
    report.stacks.push_back(std::string(size_t(depth) * 2, ' ') +
                            FormatBranch(node));
    AddStacks(*node.getArray("children"), depth + 1, report);
  }
}

JobReport lldb_private::wavelane::MakeJobReport(
    const Job &job, llvm::ArrayRef<RankSP> ranks,
    const std::vector<std::string> &variables, uint32_t most_waves,
    bool &was_interrupted) {
  JobReport report;
  report.time = FormatNow();
  report.title = job.GetCommand();
  if (report.title.empty() && !ranks.empty())
    report.title = "ranks of " + ranks.front()->registration.Program;
  SlowProgress progress(job.GetDebugger(), "Looking at each rank",
                        ranks.size());
  for (const RankSP &rank : ranks) {
    AddRank(job, *rank, report);
    lldb::ProcessSP gpu_sp = rank->GetGPU();
    if (gpu_sp && rank->state == Rank::State::Stopped) {
      WaveReport maker(static_cast<ProcessAMDGPU &>(*gpu_sp),
                       job.GetDebugger());
      JobReport::Part part;
      part.rank = rank->GetNumber();
      llvm::Expected<Report> waves = maker.Make(variables, most_waves);
      if (!waves)
        part.error = llvm::toString(waves.takeError());
      else if (waves->waves || !waves->findings.empty())
        part.report = std::move(*waves);
      if (part.report || !part.error.empty())
        report.parts.push_back(std::move(part));
      was_interrupted |= maker.WasInterrupted();
    }
    if (!progress.Step() || was_interrupted) {
      was_interrupted = true;
      break;
    }
  }
  const llvm::ArrayRef<RankSP> seen = ranks.take_front(report.ranks.size());
  for (const llvm::json::Value &fold : FoldRanks(seen))
    report.activities.push_back(FormatFold(*fold.getAsObject()));
  AddStacks(MakeStackTree(seen), 0, report);
  return report;
}
