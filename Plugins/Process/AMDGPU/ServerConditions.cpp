//===-- ServerConditions.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ServerConditions.h"
#include "Core/Support/WavelaneLog.h"
#include "GDBRemoteCommunicationClient.h"
#include "JSONPackets.h"
#include "KernelEntries.h"
#include "SymbolFile/LaneDWARF/ConditionCompiler.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/WaveMessages.h"

#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/ThreadSpec.h"
#include "lldb/Utility/StringExtractorGDBRemote.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

static const ThreadSpec *GetThreadSpec(BreakpointLocation &location) {
  return location.GetOptionsSpecifyingKind(BreakpointOptions::eThreadSpec)
      .GetThreadSpecNoCreate();
}

/// The condition of one of a site's owners for the server; nullopt if LLDB must
/// see every stop.
static std::optional<llvm::json::Object>
MakeCondition(BreakpointLocation &location) {
  const ThreadSpec *spec = GetThreadSpec(location);
  std::optional<lldb::tid_t> tid;
  if (spec && spec->HasSpecification()) {
    if (spec->GetTID() != LLDB_INVALID_THREAD_ID)
      tid = spec->GetTID();
    else
      return std::nullopt;
  }
  llvm::json::Object object;
  if (KernelEntries::Owns(location)) {
    object["once_per_dispatch"] = true;
    return std::move(object);
  }
  if (const std::string text = location.GetCondition().GetText().str();
      !text.empty()) {
    llvm::Expected<ServerExpression> compiled =
        CompileForServer(text, location.GetAddress());
    if (!compiled) {
      LLDB_LOG_ERROR(GetLog(WavelaneLog::Breakpoints), compiled.takeError(),
                     "LLDB must evaluate a condition itself: {0}");
      return std::nullopt;
    }
    object = std::move(compiled->object);
  } else if (!tid) {
    return std::nullopt;
  }
  if (tid)
    object["thread"] = *tid;
  return std::move(object);
}

/// All inputs of a site's conditions; empty if it has none.
static std::string GetKey(llvm::ArrayRef<BreakpointLocationSP> owners) {
  std::string key;
  for (const BreakpointLocationSP &owner_sp : owners) {
    std::string text = owner_sp->GetCondition().GetText().str();
    const ThreadSpec *spec = GetThreadSpec(*owner_sp);
    const bool is_for_thread = spec && spec->GetTID() != LLDB_INVALID_THREAD_ID;
    if (KernelEntries::Owns(*owner_sp))
      text = "once for each dispatch";
    if (text.empty() && !is_for_thread)
      return "";
    key += llvm::formatv("{0}|{1};", is_for_thread ? spec->GetTID() : 0, text);
  }
  return key;
}

void ServerConditions::Send(Process &process) {
  struct Wanted {
    std::string key;
    std::vector<BreakpointLocationSP> owners;
  };
  std::map<addr_t, Wanted> sites;
  process.GetBreakpointSiteList().ForEach([&](BreakpointSite *site) {
    Wanted wanted;
    BreakpointLocationCollection owners;
    const size_t count = site->CopyConstituentsList(owners);
    for (size_t i = 0; i < count; ++i)
      wanted.owners.push_back(owners.GetByIndex(i));
    wanted.key = GetKey(wanted.owners);
    // Most sites have no conditions, neither here nor in the server.
    if (!wanted.key.empty() || m_sent.count(site->GetLoadAddress()))
      sites.emplace(site->GetLoadAddress(), std::move(wanted));
  });
  for (auto it = m_sent.begin(); it != m_sent.end();)
    it = sites.count(it->first) ? std::next(it) : m_sent.erase(it);
  for (auto &[address, wanted] : sites) {
    auto sent = m_sent.find(address);
    if (sent != m_sent.end() && sent->second == wanted.key)
      continue;
    ::wavelane::protocol::ConditionsRequest request;
    request.Address = address;
    if (wanted.key.empty())
      wanted.owners.clear();
    for (const BreakpointLocationSP &owner_sp : wanted.owners) {
      auto condition = MakeCondition(*owner_sp);
      if (!condition) {
        request.Any.clear();
        break;
      }
      request.Any.push_back({std::move(*condition)});
    }
    llvm::json::Value arguments = toJSON(request);
    m_sent[address] = wanted.key;
    StringExtractorGDBRemote response;
    if (SendEscapedPacket(m_client,
                          ::wavelane::server::packets::Make(
                              ::wavelane::server::packets::Conditions,
                              std::move(*arguments.getAsObject())),
                          response) !=
            GDBRemoteCommunication::PacketResult::Success ||
        !response.IsOKResponse())
      LLDB_LOG(GetLog(WavelaneLog::Breakpoints),
               "the server can't evaluate conditions at {0:x}: {1}", address,
               response.GetStringRef());
  }
}
