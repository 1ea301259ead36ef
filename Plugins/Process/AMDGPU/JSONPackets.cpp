//===-- JSONPackets.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JSONPackets.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "lldb/Utility/StringExtractorGDBRemote.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::process_gdb_remote;

static std::string GetName(llvm::StringRef packet) {
  return packet.take_until([](char c) { return c == ':' || c == '{'; }).str();
}

GDBRemoteCommunication::PacketResult
lldb_private::wavelane::SendEscapedPacket(GDBRemoteCommunicationClient &client,
                                          llvm::StringRef packet,
                                          StringExtractorGDBRemote &response) {
  StreamGDBRemote escaped;
  escaped.PutEscapedBytes(packet.data(), packet.size());
  return client.SendPacketAndWaitForResponse(escaped.GetString(), response);
}

llvm::Expected<StructuredData::ObjectSP>
lldb_private::wavelane::SendJSONPacket(GDBRemoteCommunicationClient &client,
                                       llvm::StringRef packet) {
  StringExtractorGDBRemote response;
  const GDBRemoteCommunication::PacketResult result =
      SendEscapedPacket(client, packet, response);
  // While waves are running, the connection is in use.
  if (result == GDBRemoteCommunication::PacketResult::ErrorSendFailed &&
      client.IsConnected())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the GPU's waves are running: stop them "
                                   "with 'process interrupt' first");
  if (result != GDBRemoteCommunication::PacketResult::Success)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "no answer from the server to %s",
                                   GetName(packet).c_str());
  return ParseJSONResponse(packet, response);
}

llvm::Expected<StructuredData::ObjectSP>
lldb_private::wavelane::ParseJSONResponse(llvm::StringRef packet,
                                          StringExtractorGDBRemote &response) {
  const std::string name = GetName(packet);
  if (response.IsUnsupportedResponse())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the server doesn't know the packet %s",
                                   name.c_str());
  if (response.IsErrorResponse())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(), "the server refused %s: %s",
        name.c_str(), response.GetStatus().AsCString("unknown error"));
  StructuredData::ObjectSP result_sp =
      StructuredData::ParseJSON(response.GetStringRef());
  if (!result_sp)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the server's answer to %s isn't JSON",
                                   name.c_str());
  return result_sp;
}

std::vector<tid_t>
lldb_private::wavelane::ExpandThreads(const StructuredData::Dictionary &object,
                                      size_t limit) {
  std::vector<tid_t> waves;
  StructuredData::Array *threads = nullptr;
  if (!object.GetValueForKeyAsArray(::wavelane::server::packets::wave::Threads,
                                    threads))
    return waves;
  for (size_t run = 0; run + 1 < threads->GetSize(); run += 2) {
    auto first = threads->GetItemAtIndexAsInteger<uint64_t>(run);
    auto count = threads->GetItemAtIndexAsInteger<uint64_t>(run + 1);
    for (uint64_t n = 0; first && count && n < *count && waves.size() < limit;
         ++n)
      waves.push_back(*first + n);
  }
  return waves;
}
