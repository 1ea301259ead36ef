//===-- StopLanes.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StopLanes.h"
#include "Core/Format/SourcePlace.h"
#include "Core/Lane/ProcessLanes.h"
#include "Core/MachineCode/StopInstruction.h"
#include "Core/Record/LaneText.h"
#include "Core/Support/StopRecord.h"
#include "Core/Support/WavelaneLog.h"
#include "JSONPackets.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "lldb/Breakpoint/Watchpoint.h"
#include "lldb/Breakpoint/WatchpointList.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Stream.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::process_gdb_remote;
using namespace lldb_private::wavelane;

StopLanes::Masks
lldb_private::wavelane::ReadStopLanes(Process &process,
                                      GDBRemoteCommunicationClient &client) {
  StopLanes::Masks found;
  llvm::Expected<StructuredData::ObjectSP> answer = SendJSONPacket(
      client, ::wavelane::server::packets::Make(
                  ::wavelane::server::packets::Objects,
                  llvm::json::Object{
                      {"kind", ::wavelane::server::packets::objects::Stop}}));
  if (!answer)
    LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), answer.takeError(),
                   "can't read the lanes of a stop: {0}");
  StructuredData::Array *waves = answer ? (*answer)->GetAsArray() : nullptr;
  for (size_t i = 0; waves && i < waves->GetSize(); ++i) {
    StructuredData::ObjectSP item_sp = waves->GetItemAtIndex(i);
    StructuredData::Dictionary *wave = item_sp->GetAsDictionary();
    uint64_t lanes = 0;
    if (!wave || !wave->GetValueForKeyAsInteger("lanes", lanes))
      continue;
    for (tid_t tid : ExpandThreads(*wave, process.GetThreadList().GetSize())) {
      found[tid] = lanes;
      if (!lanes)
        continue;
      ProcessLanes::GetOrCreate(process)->SetFocus(process, tid,
                                                   llvm::countr_zero(lanes));
    }
  }
  return found;
}

/// Adds the line of an access that has failed before the wave went on.
static void DescribeLatePlace(Process &process, Thread &wave, StopInfo &info,
                              const ::wavelane::protocol::Stop &stop) {
  RegisterContextSP registers_sp = wave.GetRegisterContext();
  if (!registers_sp)
    return;
  Target &target = process.GetTarget();
  std::optional<StopInstruction> failed =
      FindStopInstruction(target, info, registers_sp->GetPC());
  if (failed && !failed->is_last)
    info.SetDescription(llvm::formatv("{0} at {1}; the wave has moved on since",
                                      ::wavelane::protocol::describe(stop),
                                      SourcePlace::Find(target, failed->address)
                                          .Format(target, failed->address,
                                                  /*with_column=*/false))
                            .str()
                            .c_str());
}

/// A watchpoint that an access has hit.
struct HitWatchpoint {
  uint64_t number;
  uint64_t lanes; ///< 0 if they aren't known
};

/// The lanes that accessed what a watchpoint watches, if the stop has them.
static uint64_t GetLanesOf(const Watchpoint &watchpoint,
                           const ::wavelane::protocol::Stop &stop) {
  for (const ::wavelane::protocol::WatchedAccess &one : stop.AllWatched)
    if (one.Watched == watchpoint.GetLoadAddress())
      return one.Lanes.Bits;
  return 0;
}

/// The watchpoints that an access has hit beside \a hit: those that the server
/// names, and those of some of the same memory. Those that watch for changes
/// are hit if there is one. Prints their values, as LLDB does for the one.
static std::vector<HitWatchpoint>
FindOtherWatchpoints(Thread &wave, uint64_t hit,
                     const ::wavelane::protocol::Stop &stop) {
  std::vector<HitWatchpoint> others;
  TargetSP target_sp = wave.CalculateTarget();
  WatchpointList &list = target_sp->GetWatchpointList();
  WatchpointSP hit_sp = list.FindByID(watch_id_t(hit));
  const ExecutionContext context(wave.shared_from_this());
  for (size_t i = 0; hit_sp && i < list.GetSize(); ++i) {
    WatchpointSP other_sp = list.GetByIndex(uint32_t(i));
    if (other_sp == hit_sp || !other_sp->IsEnabled() ||
        other_sp->GetConditionText())
      continue;
    const bool is_named = llvm::any_of(
        stop.AllWatched, [&](const ::wavelane::protocol::WatchedAccess &one) {
          return one.Watched == other_sp->GetLoadAddress();
        });
    const bool overlaps =
        hit_sp->GetLoadAddress() <
            other_sp->GetLoadAddress() + other_sp->GetByteSize() &&
        other_sp->GetLoadAddress() <
            hit_sp->GetLoadAddress() + hit_sp->GetByteSize();
    if (other_sp->WatchpointModify()
            ? !(is_named || overlaps) ||
                  !other_sp->WatchedValueReportable(context)
            : !is_named)
      continue;
    others.push_back(
        {uint64_t(other_sp->GetID()), GetLanesOf(*other_sp, stop)});
    other_sp->CaptureWatchedValue(context);
    StreamUP output_up = target_sp->GetDebugger().GetAsyncOutputStream();
    if (other_sp->DumpSnapshots(output_up.get()))
      output_up->EOL();
  }
  return others;
}

static std::string NameLanesOf(uint64_t lanes) {
  std::vector<uint32_t> numbers;
  for (uint32_t lane = 0; lane < 64; ++lane)
    if (lanes >> lane & 1)
      numbers.push_back(lane);
  return NameLanes(numbers);
}

/// "watchpoint 1, lane 3; watchpoint 2, lane 7": those of one access.
static std::string DescribeWatchpoints(Thread &wave,
                                       const ::wavelane::protocol::Stop &stop) {
  const uint64_t hit = *stop.Watchpoint;
  WatchpointSP hit_sp =
      wave.CalculateTarget()->GetWatchpointList().FindByID(watch_id_t(hit));
  std::vector<HitWatchpoint> all = FindOtherWatchpoints(wave, hit, stop);
  all.push_back({hit, hit_sp ? GetLanesOf(*hit_sp, stop) : 0});
  llvm::sort(all, [](const HitWatchpoint &a, const HitWatchpoint &b) {
    return a.number < b.number;
  });
  std::string text;
  if (llvm::all_of(all, [](const HitWatchpoint &one) { return one.lanes; })) {
    for (const HitWatchpoint &one : all)
      text += llvm::formatv("{0}watchpoint {1}, {2}", text.empty() ? "" : "; ",
                            one.number, NameLanesOf(one.lanes));
    return text;
  }
  for (const HitWatchpoint &one : all)
    text += llvm::formatv("{0}{1}", text.empty() ? "watchpoint " : " and ",
                          one.number);
  return stop.Lanes.Bits ? text + ", " + NameLanesOf(stop.Lanes.Bits) : text;
}

void lldb_private::wavelane::DescribeStopLanes(Process &process,
                                               const StopLanes::Masks &masks) {
  for (auto &[tid, lanes] : masks) {
    ThreadSP thread_sp = process.GetThreadList().FindThreadByID(tid);
    StopInfoSP info_sp = thread_sp ? thread_sp->GetStopInfo() : nullptr;
    if (!info_sp)
      continue;
    ::wavelane::protocol::Stop stop;
    if (const ::wavelane::protocol::Stop *known = GetStopRecord(*info_sp))
      stop = *known;
    else if (info_sp->GetStopReason() == eStopReasonBreakpoint)
      stop.Kind = ::wavelane::protocol::StopKind::Breakpoint;
    else
      continue;
    stop.Lanes.Bits = lanes;
    if (info_sp->GetStopReason() == eStopReasonWatchpoint)
      stop.Watchpoint = info_sp->GetValue();
    SetStopRecord(*info_sp, stop);
    if (info_sp->GetStopReason() == eStopReasonException)
      DescribeLatePlace(process, *thread_sp, *info_sp, stop);
    if (stop.Watchpoint)
      info_sp->SetDescription(DescribeWatchpoints(*thread_sp, stop).c_str());
  }
}
