//===-- StopLanes.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StopLanes.h"
#include "JSONPackets.h"
#include "Lane/ProcessLanes.h"
#include "Record/LaneText.h"
#include "Support/WavelaneLog.h"
#include "wavelane/Server/Packets.h"

#include "lldb/Target/Process.h"
#include "lldb/Target/StopInfo.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void StopLanes::Read(Process &process,
                     process_gdb_remote::GDBRemoteCommunicationClient &client) {
  std::map<lldb::tid_t, uint64_t> found;
  llvm::Expected<StructuredData::ObjectSP> answer = SendJSONPacket(
      client, ::wavelane::server::packets::Make(
                  ::wavelane::server::packets::Objects,
                  llvm::json::Object{
                      {"kind", ::wavelane::server::packets::objects::Stop}}));
  if (!answer)
    LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), answer.takeError(),
                   "the lanes of a stop aren't known: {0}");
  StructuredData::Array *waves = answer ? (*answer)->GetAsArray() : nullptr;
  for (size_t i = 0; waves && i < waves->GetSize(); ++i) {
    StructuredData::ObjectSP item_sp = waves->GetItemAtIndex(i);
    StructuredData::Dictionary *wave = item_sp->GetAsDictionary();
    uint64_t tid = 0, lanes = 0;
    if (!wave || !wave->GetValueForKeyAsInteger("thread", tid) ||
        !wave->GetValueForKeyAsInteger("lanes", lanes) || !lanes)
      continue;
    found[tid] = lanes;
    ProcessLanes::GetOrCreate(process)->SetFocus(process, tid,
                                                 llvm::countr_zero(lanes));
  }
  std::lock_guard<std::mutex> guard(m_mutex);
  m_lanes = std::move(found);
}

uint64_t StopLanes::Get(lldb::tid_t tid) const {
  std::lock_guard<std::mutex> guard(m_mutex);
  auto found = m_lanes.find(tid);
  return found == m_lanes.end() ? 0 : found->second;
}

void StopLanes::Describe(Process &process) {
  std::map<lldb::tid_t, uint64_t> known;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    known = m_lanes;
  }
  for (auto &[tid, lanes] : known) {
    ThreadSP thread_sp = process.GetThreadList().FindThreadByID(tid);
    StopInfoSP info_sp = thread_sp ? thread_sp->GetStopInfo() : nullptr;
    if (!info_sp || info_sp->GetStopReason() != eStopReasonWatchpoint)
      continue;
    std::vector<uint32_t> numbers;
    for (uint32_t lane = 0; lane < 64; ++lane)
      if (lanes >> lane & 1)
        numbers.push_back(lane);
    info_sp->SetDescription(llvm::formatv("watchpoint {0}, {1}",
                                          info_sp->GetValue(),
                                          NameLanes(numbers))
                                .str()
                                .c_str());
  }
}
