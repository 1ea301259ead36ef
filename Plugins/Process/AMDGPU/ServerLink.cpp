//===-- ServerLink.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ServerLink.h"

#include "lldb/Target/UnixSignals.h"
#include "lldb/Utility/Connection.h"
#include "lldb/Utility/IOObject.h"
#include <poll.h>

using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

using PacketResult = GDBRemoteCommunication::PacketResult;

/// Whether something, such as the connection's end, waits to be read.
static bool IsReadable(GDBRemoteCommunicationClient &client) {
  lldb_private::Connection *connection = client.GetConnection();
  const lldb::IOObjectSP object_sp =
      connection ? connection->GetReadObject() : nullptr;
  if (!object_sp)
    return false;
  pollfd poller{object_sp->GetWaitableHandle(), POLLIN, 0};
  return ::poll(&poller, 1, 0) > 0;
}

std::optional<ReportedEnd> wavelane::ParseEnd(StringExtractorGDBRemote reply,
                                              const UnixSignals &signals) {
  reply.SetFilePos(0);
  const char kind = reply.GetChar();
  if (kind != 'W' && kind != 'X')
    return std::nullopt;
  ReportedEnd end{reply.GetHexU8(), ""};
  if (reply.GetBytesLeft() > 0 && reply.GetChar('-') == ';') {
    llvm::StringRef name, value;
    while (reply.GetNameColonValue(name, value))
      if (name == "description")
        StringExtractor(value).GetHexByteString(end.how);
  }
  if (kind == 'X' && end.how.empty()) {
    const llvm::StringRef signal = signals.GetSignalAsStringRef(end.status);
    end.how = ProgramWasKilled + (signal.empty()
                                      ? "signal " + std::to_string(end.status)
                                      : signal.str());
  }
  return end;
}

std::optional<ReportedEnd>
wavelane::ReadUnaskedEnd(GDBRemoteCommunicationClient &client,
                         const UnixSignals &signals, bool asks) {
  if (!IsReadable(client))
    return std::nullopt;
  // Another thread's question may be on its way: then this is its answer.
  GDBRemoteClientBase::Lock lock(client);
  if (!lock || !IsReadable(client))
    return std::nullopt;
  StringExtractorGDBRemote reply;
  PacketResult result = client.ReadPacketWithOutputSupport(
      reply, std::chrono::microseconds(0), /*sync_on_timeout=*/false,
      [](llvm::StringRef) {});
  if (result == PacketResult::ErrorReplyTimeout && asks)
    result = client.SendPacketAndWaitForResponse("?", reply);
  if (result == PacketResult::ErrorReplyTimeout)
    return std::nullopt;
  if (result != PacketResult::Success)
    return ReportedEnd{-1, LostConnection};
  return ParseEnd(reply, signals);
}
