//===-- PausedWaves.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PausedWaves.h"
#include "Format/SourcePlace.h"
#include "ProcessAMDGPU.h"
#include "Record/LaneText.h"
#include "Support/LibraryCode.h"
#include "Support/WavelaneLog.h"
#include "ThreadAMDGPU.h"
#include "wavelane/Server/Packets.h"

#include "lldb/Core/Address.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>
#include <tuple>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace packets = ::wavelane::server::packets;

static StructuredData::ObjectSP List(ProcessAMDGPU &process, const char *kind) {
  llvm::Expected<StructuredData::ObjectSP> answer = process.SendJSONPacket(
      packets::Make(packets::Objects, llvm::json::Object{{"kind", kind}}));
  if (answer)
    return *answer;
  LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), answer.takeError(),
                 "what the waves do isn't known: {0}");
  return nullptr;
}

static void
ForEach(const StructuredData::ObjectSP &list_sp,
        llvm::function_ref<void(StructuredData::Dictionary &)> look) {
  StructuredData::Array *list = list_sp ? list_sp->GetAsArray() : nullptr;
  if (list)
    list->ForEach([&](StructuredData::Object *item) {
      if (StructuredData::Dictionary *dictionary =
              item ? item->GetAsDictionary() : nullptr)
        look(*dictionary);
      return true;
    });
}

PausedWaves PausedWaves::Read(ProcessAMDGPU &process) {
  // Workgroups, each with the numbers of its waves that wait.
  std::map<uint64_t, std::set<uint64_t>> waiting;
  ForEach(List(process, packets::objects::Workgroup),
          [&](StructuredData::Dictionary &group) {
            uint64_t id = 0;
            group.GetValueForKeyAsInteger("id", id);
            StructuredData::Array *numbers = nullptr;
            for (const char *barrier : {"at_barrier", "at_grid_barrier"})
              if (group.GetValueForKeyAsArray(barrier, numbers) && numbers)
                for (size_t i = 0; i < numbers->GetSize(); ++i)
                  waiting[id].insert(
                      numbers->GetItemAtIndex(i)->GetUnsignedIntegerValue());
          });
  PausedWaves result;
  // To look at a wave's stack takes a while.
  constexpr size_t MaxUnwound = 64;
  Target &target = process.GetTarget();
  // Thousands of waves are at few addresses.
  llvm::DenseMap<addr_t, std::string> places;
  ForEach(
      List(process, packets::objects::Wave),
      [&](StructuredData::Dictionary &info) {
        namespace key = packets::wave;
        uint64_t tid = 0, group = 0, in_group = 0;
        addr_t pc = LLDB_INVALID_ADDRESS;
        if (!info.GetValueForKeyAsInteger(key::Thread, tid))
          return;
        Wave wave;
        wave.thread_sp = process.GetThreadList().FindThreadByProtocolID(tid);
        if (!wave.thread_sp)
          return;
        info.GetValueForKeyAsInteger(key::WorkgroupId, group);
        info.GetValueForKeyAsInteger(key::WaveInWorkgroup, in_group);
        info.GetValueForKeyAsInteger(key::Pc, pc);
        auto found = waiting.find(group);
        wave.is_waiting =
            found != waiting.end() && found->second.count(in_group);
        auto [place, is_new] = places.try_emplace(pc);
        if (is_new && pc != LLDB_INVALID_ADDRESS)
          place->second = SourcePlace::Find(target, pc)
                              .Format(target, pc, /*with_column=*/false);
        wave.place = place->second;
        // A barrier may be called, too.
        Address address;
        LineEntry line;
        if (result.m_waves.size() < MaxUnwound &&
            target.ResolveLoadAddress(pc, address) &&
            address.CalculateSymbolContextLineEntry(line) &&
            IsLibraryFile(line.GetFile()))
          if (StackFrameSP own_sp = GetOwnFrame(*wave.thread_sp))
            wave.place = FormatLine(
                own_sp->GetSymbolContext(eSymbolContextLineEntry).line_entry,
                /*with_column=*/false);
        result.m_waves.push_back(std::move(wave));
      });
  return result;
}

ThreadSP PausedWaves::Choose(const ThreadSP &selected_sp) const {
  const bool any_waits =
      llvm::any_of(m_waves, [](const Wave &wave) { return wave.is_waiting; });
  ThreadSP chosen_sp;
  for (const Wave &wave : m_waves)
    if (wave.is_waiting == any_waits &&
        (!chosen_sp || wave.thread_sp == selected_sp))
      chosen_sp = wave.thread_sp;
  return chosen_sp;
}

bool PausedWaves::IsWaiting(const Thread &thread) const {
  return llvm::any_of(m_waves, [&](const Wave &wave) {
    return wave.thread_sp.get() == &thread && wave.is_waiting;
  });
}

std::string PausedWaves::DescribeOthers(const Thread &shown) const {
  // The largest of many are named.
  constexpr size_t MaxPlaces = 4;
  std::map<std::pair<bool, std::string>, size_t> counts;
  for (const Wave &wave : m_waves)
    if (wave.thread_sp.get() != &shown)
      ++counts[{wave.is_waiting, wave.place}];
  std::vector<std::pair<size_t, std::pair<bool, std::string>>> sorted;
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
    // Its own code: libraries may have lines, too.
    const SymbolContext &context =
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
