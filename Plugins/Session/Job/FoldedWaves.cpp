//===-- FoldedWaves.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FoldedWaves.h"
#include "Core/Format/SourcePlace.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ThreadAMDGPU.h"

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
    ThreadSP selected_sp = m_process.GetThreadList().GetSelectedThread();
    std::shared_ptr<const FoldedStop> stop_sp = m_process.GetFoldedStop();
    // The server has folded the waves; only those that have changed since are
    // looked at.
    llvm::DenseMap<std::pair<const void *, const void *>, size_t> folded;
    for (const ThreadSP &thread_sp : m_process.GetThreadList().Threads()) {
      auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get());
      if (!wave)
        continue;
      std::shared_ptr<const WaveOrigin> origin_sp = wave->GetOrigin();
      const auto *stop =
          stop_sp ? stop_sp->Find(wave->GetProtocolID()) : nullptr;
      size_t number;
      if (stop && stop->address && wave->IsAsStopped()) {
        auto [at, is_new] =
            folded.try_emplace({stop, origin_sp.get()}, SIZE_MAX);
        if (is_new)
          at->second = FindFold(*wave, *origin_sp);
        number = at->second;
      } else {
        number = FindFold(*wave, *origin_sp);
      }
      WaveFold &fold = m_folds[number];
      fold.waves.push_back(wave);
      fold.selected |= thread_sp == selected_sp;
    }
    return std::move(m_folds);
  }

private:
  size_t FindFold(ThreadAMDGPU &wave, const WaveOrigin &origin) {
    const uint64_t dispatch =
        m_folding == DispatchFolding::Apart ? origin.dispatch : 0;
    const std::string place = FindPlace(wave), state = FindState(wave);
    auto [at, is_new] = m_known.try_emplace(
        {origin.kernel, dispatch, place, state}, m_folds.size());
    if (is_new)
      m_folds.push_back({origin.kernel, place, state, {}, false});
    return at->second;
  }

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
  using Key = std::tuple<std::string, uint64_t, std::string, std::string>;
  std::map<Key, size_t> m_known;
  std::vector<WaveFold> m_folds;
  llvm::DenseMap<addr_t, std::string> m_places;
};
} // namespace

std::vector<WaveFold>
lldb_private::wavelane::FoldWaves(ProcessAMDGPU &process,
                                  DispatchFolding folding) {
  return FoldedWaves(process, folding).Make();
}
