//===-- JSONPackets.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JSONPackets.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "lldb/Utility/StringExtractorGDBRemote.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::process_gdb_remote;

GDBRemoteCommunication::PacketResult lldb_private::wavelane::SendEscapedPacket(
    GDBRemoteCommunicationClient &client, llvm::StringRef packet,
    StringExtractorGDBRemote &response, std::chrono::seconds patience) {
  StreamGDBRemote escaped;
  escaped.PutEscapedBytes(packet.data(), packet.size());
  return client.SendPacketAndWaitForResponse(escaped.GetString(), response,
                                             patience);
}

static llvm::Error Damaged() {
  return llvm::createStringError("the server's answer is damaged");
}

/// The text of an answer.
static llvm::Expected<llvm::StringRef>
GetAnswer(StringExtractorGDBRemote &response) {
  if (response.IsUnsupportedResponse())
    return llvm::createStringError(
        "the server can't do this: it is another version of lldb-server");
  if (response.IsErrorResponse())
    return llvm::createStringError(std::string(response.GetStatus().AsCString(
        "the server refuses, without a reason")));
  return response.GetStringRef();
}

static llvm::Error Send(GDBRemoteCommunicationClient &client,
                        llvm::StringRef packet,
                        StringExtractorGDBRemote &response,
                        std::chrono::seconds patience = {}) {
  const GDBRemoteCommunication::PacketResult result =
      lldb_private::wavelane::SendEscapedPacket(client, packet, response,
                                                patience);
  // While waves are running, the connection is in use.
  if (result == GDBRemoteCommunication::PacketResult::ErrorSendFailed &&
      client.IsConnected())
    return llvm::createStringError("the GPU's waves are running: stop them "
                                   "with 'process interrupt' first");
  if (result != GDBRemoteCommunication::PacketResult::Success)
    return llvm::createStringError("the server doesn't answer");
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Value>
lldb_private::wavelane::ReadAnswer(StringExtractorGDBRemote &response) {
  llvm::Expected<llvm::StringRef> text = GetAnswer(response);
  if (!text)
    return text.takeError();
  llvm::Expected<llvm::json::Value> answer = ::wavelane::parseJSON(*text);
  if (answer)
    return answer;
  llvm::consumeError(answer.takeError());
  return Damaged();
}

llvm::Expected<llvm::json::Value>
lldb_private::wavelane::AskServer(GDBRemoteCommunicationClient &client,
                                  llvm::StringRef name,
                                  llvm::json::Value arguments) {
  std::string packet = name.str();
  if (arguments.kind() != llvm::json::Value::Null)
    packet += ":" + ::wavelane::protocol::getText(arguments);
  StringExtractorGDBRemote response;
  if (llvm::Error error = Send(client, packet, response))
    return std::move(error);
  return ReadAnswer(response);
}

llvm::Expected<StructuredData::ObjectSP>
lldb_private::wavelane::SendJSONPacket(GDBRemoteCommunicationClient &client,
                                       llvm::StringRef packet,
                                       std::chrono::seconds patience) {
  StringExtractorGDBRemote response;
  if (llvm::Error error = Send(client, packet, response, patience))
    return std::move(error);
  llvm::Expected<llvm::StringRef> text = GetAnswer(response);
  if (!text)
    return text.takeError();
  StructuredData::ObjectSP result_sp = StructuredData::ParseJSON(*text);
  if (!result_sp)
    return Damaged();
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
