//===-- PacketServer.cpp - An LLDB server with more packets ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PacketServer.h"
#include "Plugins/Process/gdb-remote/ProcessGDBRemoteLog.h"
#include "lldb/Utility/Connection.h"
#include "lldb/Utility/LLDBLog.h"
#include "wavelane/Formats/JSON/Parse.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace lldb_private;
using namespace lldb_private::process_gdb_remote;

namespace wavelane::server {

Status
PacketServer::InitializeConnection(std::unique_ptr<Connection> connection) {
  lldb::IOObjectSP read_object = connection->GetReadObject();
  SetConnection(std::move(connection));
  Status error;
  m_network_handle_up = m_mainloop.RegisterReadObject(
      read_object, [this](MainLoopBase &) { ReadPackets(); }, error);
  return error;
}

void PacketServer::ReadPackets() {
  // Handle all packets that have arrived, since buffered ones don't wake the
  // main loop.
  while (true) {
    Extractor packet;
    PacketResult result = ReadPacket(packet, std::chrono::microseconds(0),
                                     /*sync_on_timeout=*/false);
    if (result == PacketResult::ErrorReplyTimeout)
      return;
    if (result == PacketResult::Success) {
      PacketArrived();
      result = Dispatch(packet);
      PacketHandled();
    }
    if (result != PacketResult::Success) {
      LLDB_LOG(GetLog(GDBRLog::Comm), "connection lost or packet failed: {0}",
               int(result));
      ConnectionLost();
      return;
    }
  }
}

/// What is wrong with a packet's number of bytes; null if nothing is. LLDB's
/// functions reserve as many as it says, and don't answer a write of none.
static const char *CheckByteCount(llvm::StringRef text) {
  constexpr uint64_t most = 4 << 20;
  const bool writes = text.starts_with("M") || text.starts_with("X");
  if (!text.consume_front("qMemTags:") && !text.consume_front("QMemTags:")) {
    if (text.empty() || !llvm::StringRef("mxMX").contains(text[0]))
      return nullptr;
    text = text.drop_front();
  }
  // LLDB skips blanks before numbers.
  text = text.ltrim();
  if (!text.starts_with(",") && (text.empty() || !llvm::isHexDigit(text[0])))
    return nullptr; // another packet
  const llvm::StringRef size =
      text.split(',').second.ltrim().take_while(llvm::isHexDigit);
  uint64_t count = 0;
  // A number that doesn't fit is too large as well.
  if (!size.empty() && (size.getAsInteger(16, count) || count > most))
    return "too many bytes";
  return writes && text.contains(',') && !count ? "no bytes" : nullptr;
}

GDBRemoteCommunication::PacketResult PacketServer::Dispatch(Extractor &packet) {
  const auto type = packet.GetServerPacketType();
  switch (type) {
  case Extractor::eServerPacketType_nack:
  case Extractor::eServerPacketType_ack:
    return PacketResult::Success;
  case Extractor::eServerPacketType_interrupt:
    // If the process has stopped by itself, that was reported: there is at most
    // one reply.
    if (!m_current_process || !m_current_process->IsRunning())
      return PacketResult::Success;
    // Don't send an error either, which LLDB takes for a lost connection: a
    // program without threads is about to report its end.
    if (Status error = m_current_process->Interrupt(); error.Fail())
      LLDB_LOG(GetLog(LLDBLog::Process),
               "process {0} can't be interrupted: {1}",
               m_current_process->GetID(), error);
    return PacketResult::Success;
  default:
    break;
  }
  if (const char *wrong = CheckByteCount(packet.GetStringRef()))
    return Fail(wrong);
  if (std::optional<PacketResult> result = CallAnswer(packet.GetStringRef()))
    return *result;
  if (std::optional<PacketResult> result = HandlePacket(packet))
    return *result;
  packet.SetFilePos(0);
  auto handler = m_packet_handlers.find(type);
  if (handler == m_packet_handlers.end())
    return SendUnimplementedResponse(packet.GetStringRef().str().c_str());
  Status error;
  bool interrupt = false, quit = false;
  return handler->second(packet, error, interrupt, quit);
}

std::optional<GDBRemoteCommunication::PacketResult>
PacketServer::CallAnswer(llvm::StringRef text) {
  auto [name, arguments] = text.split(':');
  auto found = m_answers.find(name);
  if (found == m_answers.end())
    return std::nullopt;
  if (name.size() == text.size())
    return found->second(llvm::json::Object());
  llvm::Expected<llvm::json::Value> value = wavelane::parseJSON(arguments);
  if (!value)
    return Fail("the arguments for lldb-server aren't JSON: " +
                llvm::toString(value.takeError()));
  if (const llvm::json::Object *object = value->getAsObject())
    return found->second(*object);
  return Fail("the arguments for lldb-server aren't a JSON object");
}

GDBRemoteCommunication::PacketResult PacketServer::Fail(llvm::Error error) {
  return SendErrorResponse(std::move(error));
}

GDBRemoteCommunication::PacketResult
PacketServer::Fail(const llvm::Twine &text) {
  return Fail(llvm::createStringError(llvm::inconvertibleErrorCode(), text));
}

} // namespace wavelane::server
