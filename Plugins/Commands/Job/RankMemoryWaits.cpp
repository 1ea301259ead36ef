//===-- RankMemoryWaits.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RankMemoryWaits.h"
#include "Core/Record/LaneText.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ThreadAMDGPU.h"
#include "RankObjects.h"
#include "Session/Job/FoldedWaves.h"
#include "lldb/Target/Process.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <tuple>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// All registers of a wave are read: of many at one place, these are enough.
static constexpr size_t kMostLookedAt = 8;

llvm::json::Object RankMemoryWait::Describe() const {
  std::string what = llvm::formatv("{0} of {1} {2}", FormatCount(waves, "wave"),
                                   place, waves == 1 ? "waits" : "wait");
  if (has_more)
    what = "at least " + what;
  what += llvm::formatv(" for memory at {0:x}, which is {1}", wait.address,
                        wait.value);
  llvm::json::Object object{{"kind", "memory"},
                            {"address", wait.address},
                            {"value", wait.value},
                            {"waves", int64_t(waves)},
                            {"ranks", llvm::json::Array{rank}}};
  if (shared) {
    what += llvm::formatv(", in {0}+{1:x}", shared->file, shared->offset);
    object["file"] = shared->file;
    object["offset"] = shared->offset;
    object["shared_with"] = llvm::json::Array(shared->others);
    what += llvm::formatv("; {0} {1} it, too", NameRanks(shared->others),
                          shared->others.size() == 1 ? "has" : "have");
  }
  object["what"] = std::move(what);
  return object;
}

static std::vector<RankMemoryWait> FindMemoryWaits(uint32_t rank,
                                                   ProcessAMDGPU &process) {
  // One for each place, whatever state its waves are in.
  std::map<std::tuple<std::string, addr_t, uint64_t>, RankMemoryWait> found;
  for (const WaveFold &fold : FoldWaves(process)) {
    const std::string place = ShortenName(fold.kernel) + " at " + fold.place;
    for (size_t i = 0; i < fold.waves.size() && i < kMostLookedAt; ++i) {
      std::optional<MemoryWait> wait =
          MemoryWait::Find(process, *fold.waves[i]);
      if (!wait)
        continue;
      RankMemoryWait &one = found[{place, wait->address, wait->value}];
      one.rank = rank;
      one.place = place;
      one.wait = *wait;
      ++one.waves;
      one.has_more |= fold.waves.size() > kMostLookedAt;
    }
  }
  std::vector<RankMemoryWait> waits;
  for (auto &[key, one] : found)
    waits.push_back(std::move(one));
  return waits;
}

std::vector<RankMemoryWait>
lldb_private::wavelane::FindMemoryWaits(llvm::ArrayRef<RankSP> ranks) {
  std::vector<RankMemoryWait> waits;
  for (const RankSP &rank : ranks)
    if (ProcessSP gpu_sp = rank->GetGPU();
        gpu_sp && rank->state == Rank::State::Stopped)
      for (RankMemoryWait &one : ::FindMemoryWaits(
               rank->GetNumber(), static_cast<ProcessAMDGPU &>(*gpu_sp)))
        waits.push_back(std::move(one));
  if (waits.empty())
    return waits;
  const SharedFiles files(ranks);
  for (RankMemoryWait &one : waits)
    if (auto place = files.Find(one.rank, one.wait.address);
        place && !place->others.empty())
      one.shared = std::move(place);
  return waits;
}
