//===-- FoldedWaves.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FoldedWaves.h"
#include "Format/SourcePlace.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ThreadAMDGPU.h"
#include "Support/LockedThreads.h"

#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/ThreadPlan.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <tuple>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
class FoldedWaves {
  static constexpr bool WithColumn = false;

public:
  FoldedWaves(ProcessAMDGPU &process, DispatchFolding folding)
      : m_process(process), m_folding(folding) {}

  std::vector<WaveFold> Make() {
    using Key = std::tuple<std::string, uint64_t, std::string, std::string>;
    std::map<Key, size_t> known;
    std::vector<WaveFold> folds;
    ThreadSP selected_sp = m_process.GetThreadList().GetSelectedThread();
    // Most waves are as the one before.
    size_t last = 0;
    addr_t last_address = LLDB_INVALID_ADDRESS;
    uint64_t last_dispatch = 0;
    for (const ThreadSP &thread_sp : LockedThreads(m_process.GetThreadList())) {
      auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get());
      if (!wave)
        continue;
      const WaveOrigin origin = wave->GetOrigin();
      const uint64_t dispatch =
          m_folding == DispatchFolding::Apart ? origin.dispatch : 0;
      const std::string state = FindState(*wave);
      const bool has_plan = bool(wave->GetCompletedPlan());
      const addr_t address =
          has_plan ? LLDB_INVALID_ADDRESS : wave->GetAddress();
      if (address == LLDB_INVALID_ADDRESS || address != last_address ||
          dispatch != last_dispatch || folds[last].kernel != origin.kernel ||
          folds[last].state != state) {
        const std::string place = FindPlace(*wave);
        auto [at, is_new] = known.try_emplace(
            {origin.kernel, dispatch, place, state}, folds.size());
        if (is_new)
          folds.push_back({origin.kernel, place, state, {}, false});
        last = at->second;
        last_address = address;
        last_dispatch = dispatch;
      }
      WaveFold &fold = folds[last];
      fold.waves.push_back(wave);
      fold.selected |= thread_sp == selected_sp;
    }
    return folds;
  }

private:
  /// The line, or the address if there is no line. Cached because thousands of
  /// waves are at few addresses.
  std::string FindPlace(ThreadAMDGPU &wave) {
    // After a step, the wave may be shown at the call of an inlined function.
    if (wave.GetCompletedPlan())
      if (StackFrameSP frame_sp = wave.GetStackFrameAtIndex(0)) {
        const LineEntry &line =
            frame_sp->GetSymbolContext(eSymbolContextLineEntry).line_entry;
        if (line.IsValid() && line.line)
          return FormatLine(line, WithColumn);
      }
    const addr_t address = wave.GetAddress();
    auto [found, is_new] = m_places.try_emplace(address);
    if (!is_new)
      return found->second;
    Target &target = m_process.GetTarget();
    found->second =
        SourcePlace::Find(target, address).Format(target, address, WithColumn);
    return found->second;
  }

  static std::string FindState(ThreadAMDGPU &wave) {
    StopInfoSP info_sp = wave.GetStopInfo();
    const char *reason = info_sp ? info_sp->GetDescription() : nullptr;
    std::string state = reason && *reason
                            ? std::string("stop reason = ") + reason
                            : "stopped with the others";
    if (wave.GetResumeState() == eStateSuspended)
      state += ", suspended";
    return state;
  }

  ProcessAMDGPU &m_process;
  const DispatchFolding m_folding;
  llvm::DenseMap<addr_t, std::string> m_places;
};
} // namespace

std::vector<WaveFold>
lldb_private::wavelane::FoldWaves(ProcessAMDGPU &process,
                                  DispatchFolding folding) {
  return FoldedWaves(process, folding).Make();
}
