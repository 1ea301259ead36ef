//===-- RankObjects.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RankObjects.h"
#include "Core/Record/LaneText.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Session/Job/FoldedWaves.h"
#include "Session/Job/HostPlace.h"
#include "Session/Job/ParallelForEach.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Target/Thread.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static const char *GetStateName(const Rank &rank) {
  switch (rank.state) {
  case Rank::State::Connecting:
    return "connecting";
  case Rank::State::Stopped:
    return "stopped";
  case Rank::State::Running:
    return "running";
  case Rank::State::Ended:
    return "ended";
  }
  return "unknown";
}

/// What a rank is instead of stopped: "running", "exited with status 1".
static std::string DescribeState(const Rank &rank) {
  return rank.state == Rank::State::Ended ? rank.end : GetStateName(rank);
}

static ProcessAMDGPU *GetGPU(const ProcessSP &process_sp) {
  return static_cast<ProcessAMDGPU *>(process_sp.get());
}

static std::string GetReason(Process &process) {
  ThreadSP thread_sp = GetShownThread(process);
  StopInfoSP info_sp = thread_sp ? thread_sp->GetStopInfo() : nullptr;
  const char *reason = info_sp ? info_sp->GetDescription() : nullptr;
  return reason ? reason : "";
}

void lldb_private::wavelane::LookAtRanks(llvm::ArrayRef<RankSP> ranks,
                                         bool all_threads) {
  std::vector<RankSP> stopped;
  for (const RankSP &rank : ranks) {
    ProcessSP host_sp = rank->GetProcess();
    if (rank->state != Rank::State::Stopped || !host_sp)
      continue;
    const uint32_t stop = host_sp->GetLastNaturalStopID();
    if (std::exchange(rank->looked_stop, stop) != stop || all_threads)
      stopped.push_back(rank);
  }
  ForEachInParallel(stopped, [&](const RankSP &rank) {
    ProcessSP host_sp = rank->GetProcess(), gpu_sp = rank->GetGPU();
    if (!host_sp)
      return;
    if (all_threads)
      for (const ThreadSP &thread_sp : host_sp->GetThreadList().Threads())
        (void)HostPlace::Find(*thread_sp);
    else if (ThreadSP thread_sp = GetShownThread(*host_sp))
      (void)HostPlace::Find(*thread_sp);
    if (gpu_sp)
      (void)FoldWaves(*GetGPU(gpu_sp));
  });
}

llvm::json::Object lldb_private::wavelane::DescribeRank(const Job &job,
                                                        const Rank &rank) {
  llvm::json::Object object{{"rank", rank.GetNumber()},
                            {"host", rank.registration.Host},
                            {"pid", int64_t(rank.registration.Pid)},
                            {"program", rank.registration.Program},
                            {"state", GetStateName(rank)},
                            {"waves", 0}};
  if (rank.state == Rank::State::Ended)
    object["end"] = rank.end;
  TargetList &targets = job.GetDebugger().GetTargetList();
  if (TargetSP target_sp = rank.GetTarget())
    object["target"] = targets.GetIndexOfTarget(target_sp);
  ProcessSP gpu_sp = rank.GetGPU(), host_sp = rank.GetProcess();
  if (gpu_sp)
    object["gpu_target"] = targets.GetIndexOfTarget(gpu_sp->CalculateTarget());
  if (rank.state != Rank::State::Stopped || !host_sp)
    return object;
  llvm::json::Array kernels;
  using Place = std::pair<std::string, std::string>;
  llvm::MapVector<Place, size_t, std::map<Place, unsigned>> places;
  int64_t count = 0;
  if (gpu_sp)
    for (const WaveFold &fold : FoldWaves(*GetGPU(gpu_sp))) {
      count += int64_t(fold.waves.size());
      places[{fold.kernel, fold.place}] += fold.waves.size();
      if (!llvm::is_contained(kernels, llvm::json::Value(fold.kernel)))
        kernels.push_back(fold.kernel);
    }
  std::string waves;
  for (const auto &[place, number] : places)
    waves += llvm::formatv("{0}{1} of {2} at {3}", waves.empty() ? "" : "; ",
                           FormatCount(number, "wave"),
                           ShortenName(place.first), place.second);
  object["waves"] = count;
  object["kernels"] = std::move(kernels);
  std::string where;
  if (ThreadSP thread_sp = GetShownThread(*host_sp))
    where = HostPlace::Find(*thread_sp).Format();
  object["host_at"] = where;
  object["where"] = waves.empty() ? where : waves;
  for (const ProcessSP &process_sp : {gpu_sp, host_sp})
    if (rank.has_reason && process_sp && !object.get("reason") &&
        rank.coupling_sp->HasReason(*process_sp))
      object["reason"] = GetReason(*process_sp);
  return object;
}

//===-- Folds -------------------------------------------------------------===//

static std::vector<uint32_t> Unique(std::vector<uint32_t> numbers) {
  llvm::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

llvm::json::Array
lldb_private::wavelane::FoldRanks(llvm::ArrayRef<RankSP> ranks) {
  struct Fold {
    std::string kind, text, state;
    std::vector<uint32_t> ranks;
    uint64_t count = 0;
  };
  std::vector<Fold> folds;
  std::map<std::array<std::string, 3>, size_t> known;
  auto add = [&](const Rank &rank, const std::string &kind,
                 const std::string &text, const std::string &state,
                 uint64_t count) {
    auto [at, is_new] = known.try_emplace({kind, text, state}, folds.size());
    if (is_new)
      folds.push_back({kind, text, state, {}, 0});
    Fold &fold = folds[at->second];
    fold.ranks.push_back(rank.GetNumber());
    fold.count += count;
  };
  LookAtRanks(ranks);
  for (const RankSP &rank : ranks) {
    ProcessSP host_sp = rank->GetProcess(), gpu_sp = rank->GetGPU();
    if (rank->state != Rank::State::Stopped || !host_sp) {
      add(*rank, "rank", DescribeState(*rank), "", 1);
      continue;
    }
    if (gpu_sp)
      for (const WaveFold &fold : FoldWaves(*GetGPU(gpu_sp)))
        add(*rank, "waves", ShortenName(fold.kernel) + " at " + fold.place,
            fold.state, fold.waves.size());
    if (ThreadSP thread_sp = GetShownThread(*host_sp)) {
      const bool is_reason =
          rank->has_reason && rank->coupling_sp->HasReason(*host_sp);
      add(*rank, "host", HostPlace::Find(*thread_sp).Format(),
          is_reason ? "stop reason = " + GetReason(*host_sp) : "", 1);
    }
  }
  llvm::json::Array array;
  for (const Fold &fold : folds) {
    llvm::json::Object object{{"kind", fold.kind},
                              {"what", fold.text},
                              {"count", int64_t(fold.count)},
                              {"ranks", llvm::json::Array(Unique(fold.ranks))}};
    if (!fold.state.empty())
      object["state"] = fold.state;
    array.push_back(std::move(object));
  }
  return array;
}

std::vector<uint32_t>
lldb_private::wavelane::ReadRanks(const llvm::json::Object &object,
                                  llvm::StringRef key) {
  std::vector<uint32_t> ranks;
  if (const llvm::json::Array *array = object.getArray(key))
    for (const llvm::json::Value &rank : *array)
      ranks.push_back(uint32_t(*rank.getAsInteger()));
  return ranks;
}

std::string lldb_private::wavelane::FormatFold(const llvm::json::Object &fold) {
  std::string text = NameRanks(ReadRanks(fold, "ranks")) + ": ";
  const llvm::StringRef kind = fold.getString("kind").value_or("");
  if (kind == "waves")
    text += FormatCount(size_t(fold.getInteger("count").value_or(0)), "wave") +
            " of ";
  else if (kind == "host")
    text += "host in ";
  text += fold.getString("what").value_or("");
  if (auto state = fold.getString("state"))
    text += ", " + state->str();
  return text;
}

//===-- Trees -------------------------------------------------------------===//

namespace {
struct Node {
  std::string name;
  std::vector<uint32_t> ranks;
  uint64_t threads = 0;
  std::vector<Node> children;

  Node &GetChild(const std::string &child) {
    for (Node &node : children)
      if (node.name == child)
        return node;
    return children.emplace_back(Node{child, {}, 0, {}});
  }

  void Add(llvm::ArrayRef<std::string> stack, uint32_t rank, uint64_t count) {
    ranks.push_back(rank);
    threads += count;
    if (!stack.empty())
      GetChild(stack.front()).Add(stack.drop_front(), rank, count);
  }

  llvm::json::Array GetChildren() const {
    llvm::json::Array array;
    for (const Node &node : children)
      array.push_back(
          llvm::json::Object{{"name", node.name},
                             {"ranks", llvm::json::Array(Unique(node.ranks))},
                             {"threads", int64_t(node.threads)},
                             {"children", node.GetChildren()}});
    return array;
  }
};
} // namespace

llvm::json::Array
lldb_private::wavelane::MakeStackTree(llvm::ArrayRef<RankSP> ranks) {
  Node root;
  LookAtRanks(ranks, /*all_threads=*/true);
  for (const RankSP &rank : ranks) {
    ProcessSP host_sp = rank->GetProcess(), gpu_sp = rank->GetGPU();
    const uint32_t number = rank->GetNumber();
    if (rank->state != Rank::State::Stopped || !host_sp) {
      root.Add({"[" + DescribeState(*rank) + "]"}, number, 0);
      continue;
    }
    const uint64_t threads_before = root.threads;
    for (const ThreadSP &thread_sp : host_sp->GetThreadList().Threads()) {
      HostPlace place = HostPlace::Find(*thread_sp);
      if (place.stack.empty())
        continue; // a library's own thread
      if (!place.line.empty())
        for (std::string &name : place.stack)
          if (name == place.function)
            name += " at " + place.line;
      root.Add(place.stack, number, 1);
    }
    // A rank that hasn't come to the program's code, or has left it.
    ThreadSP shown_sp = GetShownThread(*host_sp);
    if (root.threads == threads_before && shown_sp)
      root.Add({HostPlace::Find(*shown_sp).Format()}, number, 1);
    if (gpu_sp)
      for (const WaveFold &fold : FoldWaves(*GetGPU(gpu_sp)))
        root.Add({"GPU", ShortenName(fold.kernel) + " at " + fold.place},
                 number, fold.waves.size());
  }
  return root.GetChildren();
}

std::string
lldb_private::wavelane::FormatBranch(const llvm::json::Object &node) {
  const std::vector<uint32_t> ranks = ReadRanks(node, "ranks");
  const auto threads = uint64_t(node.getInteger("threads").value_or(0));
  std::string text = node.getString("name").value_or("unknown").str() + "  [" +
                     NameRanks(ranks);
  if (threads && threads != ranks.size())
    text += ": " + FormatCount(threads, "thread");
  return text + "]";
}
