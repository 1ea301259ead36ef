//===-- PausedWaves.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PausedWaves.h"
#include "Core/Format/SourcePlace.h"
#include "Core/Record/LaneText.h"
#include "Core/Support/LibraryCode.h"
#include "Core/Support/WavelaneLog.h"
#include "JSONPackets.h"
#include "ThreadAMDGPU.h"
#include "WaveProcess.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "lldb/Core/Address.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <tuple>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace packets = ::wavelane::server::packets;

namespace {
/// The source lines of waves, cached: thousands of waves are at few addresses.
class Places {
public:
  explicit Places(Target &target) : m_target(target) {}

  /// "saxpy.hip:13"; empty if unknown.
  const std::string &Find(Thread &wave, addr_t pc) {
    auto [found, is_new] = m_places.try_emplace(pc);
    std::string &place = found->second;
    if (!is_new || pc == LLDB_INVALID_ADDRESS)
      return place;
    place = SourcePlace::Find(m_target, pc)
                .Format(m_target, pc, /*with_column=*/false);
    // The barrier may be in a called function, and the compiler's library has
    // no lines.
    Address address;
    LineEntry line;
    if (m_unwound < kMaxUnwound && m_target.ResolveLoadAddress(pc, address) &&
        (!address.CalculateSymbolContextLineEntry(line) ||
         IsLibraryFile(line.GetFile()))) {
      ++m_unwound;
      if (StackFrameSP own_sp = GetOwnFrame(wave))
        place = FormatLine(
            own_sp->GetSymbolContext(eSymbolContextLineEntry).line_entry,
            /*with_column=*/false);
    }
    return place;
  }

private:
  /// Unwinding a wave's stack is slow.
  static constexpr size_t kMaxUnwound = 64;

  Target &m_target;
  llvm::DenseMap<addr_t, std::string> m_places;
  size_t m_unwound = 0;
};
} // namespace

/// The threads of waves that wait at a barrier.
static llvm::DenseSet<uint64_t> FindWaiting(WaveProcess &process) {
  llvm::DenseSet<uint64_t> waves;
  llvm::Expected<StructuredData::ObjectSP> answer = process.SendJSONPacket(
      packets::Make(packets::Objects,
                    llvm::json::Object{{"kind", packets::objects::Waiting}}));
  if (!answer) {
    LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), answer.takeError(),
                   "can't read what the waves do: {0}");
    return waves;
  }
  StructuredData::Array *list = (*answer)->GetAsArray();
  for (size_t i = 0; list && i < list->GetSize(); ++i) {
    StructuredData::ObjectSP item_sp = list->GetItemAtIndex(i);
    if (StructuredData::Dictionary *object = item_sp->GetAsDictionary())
      for (tid_t tid :
           ExpandThreads(*object, process.GetThreadList().GetSize()))
        waves.insert(tid);
  }
  return waves;
}

PausedWaves PausedWaves::Read(WaveProcess &process) {
  PausedWaves result;
  ThreadList &threads = process.GetThreadList();
  std::shared_ptr<const FoldedStop> stop_sp = process.GetFoldedStop();
  const size_t count = stop_sp ? stop_sp->GetWaves().size() : threads.GetSize();
  Places places(process.GetTarget());
  // The server takes too long for more waves; their source lines show barriers
  // anyway.
  constexpr size_t kMaxAsked = 1024;
  const bool asks = count <= kMaxAsked;
  const llvm::DenseSet<uint64_t> waiting =
      asks ? FindWaiting(process) : llvm::DenseSet<uint64_t>();
  for (const ThreadSP &thread_sp : threads.Threads()) {
    const uint64_t tid = thread_sp->GetProtocolID();
    What what = {bool(waiting.count(tid)),
                 places.Find(*thread_sp, process.GetStopAddress(tid).value_or(
                                             LLDB_INVALID_ADDRESS))};
    if (asks || !stop_sp)
      ++result.m_counts[what];
    result.m_waves.push_back({thread_sp, std::move(what)});
  }
  // The list of threads may lack waves, and the reply has few addresses.
  if (!asks && stop_sp)
    for (const FoldedStop::Place &place : stop_sp->GetPlaces())
      if (ThreadSP thread_sp = process.FindWave(place.wave))
        result.m_counts[{false,
                         places.Find(*thread_sp, place.address.value_or(
                                                     LLDB_INVALID_ADDRESS))}] +=
            place.count;
  return result;
}

ThreadSP PausedWaves::Choose(const ThreadSP &selected_sp) const {
  const bool any_waits =
      llvm::any_of(m_waves, [](const Wave &wave) { return wave.what.first; });
  ThreadSP chosen_sp;
  for (const Wave &wave : m_waves)
    if (wave.what.first == any_waits &&
        (!chosen_sp || wave.thread_sp == selected_sp))
      chosen_sp = wave.thread_sp;
  return chosen_sp;
}

const PausedWaves::Wave *PausedWaves::Find(const Thread &thread) const {
  for (const Wave &wave : m_waves)
    if (wave.thread_sp.get() == &thread)
      return &wave;
  return nullptr;
}

bool PausedWaves::IsWaiting(const Thread &thread) const {
  const Wave *wave = Find(thread);
  return wave && wave->what.first;
}

std::string PausedWaves::DescribeOthers(const Thread &shown) const {
  // Only the most frequent places are named.
  constexpr size_t MaxPlaces = 4;
  std::map<What, size_t> counts = m_counts;
  if (const Wave *wave = Find(shown))
    if (auto found = counts.find(wave->what);
        found != counts.end() && --found->second == 0)
      counts.erase(found);
  std::vector<std::pair<size_t, What>> sorted;
  for (const auto &[what, count] : counts)
    sorted.emplace_back(count, what);
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::tie(b.first, a.second) < std::tie(a.first, b.second);
  });
  std::string text;
  size_t rest = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const auto &[count, what] = sorted[i];
    if (i >= MaxPlaces) {
      rest += count;
      continue;
    }
    const bool one = count == 1;
    text += llvm::formatv(
        "{0}{1} {2} at {3}", text.empty() ? "" : ", ", count,
        what.first ? (one ? "waits at a barrier" : "wait at a barrier")
                   : (one ? "is" : "are"),
        what.second.empty() ? "an unknown place" : what.second);
  }
  if (rest)
    text += llvm::formatv(", {0} elsewhere", rest);
  return text;
}

std::string lldb_private::wavelane::DescribeHost(Process &host) {
  constexpr uint32_t kMaxFrames = 64;
  ThreadSP thread_sp = host.GetThreadList().GetSelectedThread();
  StackFrameSP callee_sp;
  for (uint32_t i = 0; thread_sp && i < kMaxFrames; ++i) {
    StackFrameSP frame_sp = thread_sp->GetStackFrameAtIndex(i);
    if (!frame_sp)
      break;
    // Only the program's own code: libraries may have lines, too.
    const SymbolContext context =
        frame_sp->GetSymbolContext(eSymbolContextModule);
    const std::string line = FormatLine(*frame_sp);
    if (line.empty() ||
        context.module_sp != host.GetTarget().GetExecutableModule()) {
      callee_sp = frame_sp;
      continue;
    }
    StackFrame &function = callee_sp ? *callee_sp : *frame_sp;
    llvm::StringRef name = function.GetFunctionName();
    return llvm::formatv("thread #{0} is in {1}{2}{3}", thread_sp->GetIndexID(),
                         name.split('@').first,
                         callee_sp ? ", called at " : " at ", line);
  }
  return "";
}

void lldb_private::wavelane::ReportBackgroundStop(Process &process) {
  Debugger &debugger = process.GetTarget().GetDebugger();
  const uint32_t index = debugger.GetTargetList().GetIndexOfTarget(
      process.GetTarget().shared_from_this());
  ThreadSP thread_sp = process.GetThreadList().GetSelectedThread();
  StopInfoSP stop_sp = thread_sp ? thread_sp->GetStopInfo() : nullptr;
  const char *reason = stop_sp ? stop_sp->GetDescription() : nullptr;
  std::string who = dynamic_cast<WaveProcess *>(&process)
                        ? "the GPU has stopped as well"
                        : "the host's code has stopped as well";
  if (reason && *reason)
    who += llvm::formatv(": thread #{0}, {1}", thread_sp->GetIndexID(), reason);
  debugger.GetAsyncOutputStream()->Format(
      "{0} ('target select {1}' shows it)\n", who, index);
}
