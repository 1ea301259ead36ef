//===-- JSONPackets.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JSONPackets.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "lldb/Utility/StringExtractorGDBRemote.h"
#include "llvm/Support/FormatVariadic.h"

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

char lldb_private::wavelane::PacketError::ID;

template <typename... Args>
static llvm::Error Fail(const char *format, Args &&...args) {
  return llvm::make_error<lldb_private::wavelane::PacketError>(
      llvm::formatv(format, std::forward<Args>(args)...).str());
}

llvm::Error lldb_private::wavelane::DropPacketName(llvm::Error error) {
  return llvm::handleErrors(
      std::move(error), [](std::unique_ptr<PacketError> packet) -> llvm::Error {
        if (packet->GetRefusal().empty())
          return llvm::Error(std::move(packet));
        return llvm::createStringError(packet->GetRefusal());
      });
}

/// The text of an answer.
static llvm::Expected<llvm::StringRef>
GetAnswer(llvm::StringRef packet, StringExtractorGDBRemote &response) {
  const std::string name = GetName(packet);
  if (response.IsUnsupportedResponse())
    return Fail("the server doesn't know the packet {0}", name);
  if (response.IsErrorResponse()) {
    const std::string why = response.GetStatus().AsCString("unknown error");
    return llvm::make_error<lldb_private::wavelane::PacketError>(
        llvm::formatv("the server refused {0}: {1}", name, why).str(), why);
  }
  return response.GetStringRef();
}

static llvm::Error Send(GDBRemoteCommunicationClient &client,
                        llvm::StringRef packet,
                        StringExtractorGDBRemote &response) {
  const GDBRemoteCommunication::PacketResult result =
      lldb_private::wavelane::SendEscapedPacket(client, packet, response);
  // While waves are running, the connection is in use.
  if (result == GDBRemoteCommunication::PacketResult::ErrorSendFailed &&
      client.IsConnected())
    return Fail("the GPU's waves are running: stop them with 'process "
                "interrupt' first");
  if (result != GDBRemoteCommunication::PacketResult::Success)
    return Fail("no answer from the server to {0}", GetName(packet));
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Value>
lldb_private::wavelane::ReadAnswer(llvm::StringRef packet,
                                   StringExtractorGDBRemote &response) {
  llvm::Expected<llvm::StringRef> text = GetAnswer(packet, response);
  if (!text)
    return text.takeError();
  llvm::Expected<llvm::json::Value> answer = ::wavelane::parseJSON(*text);
  if (answer)
    return answer;
  llvm::consumeError(answer.takeError());
  return Fail("the server's answer to {0} isn't JSON", GetName(packet));
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
  return ReadAnswer(name, response);
}

llvm::Expected<StructuredData::ObjectSP>
lldb_private::wavelane::SendJSONPacket(GDBRemoteCommunicationClient &client,
                                       llvm::StringRef packet) {
  StringExtractorGDBRemote response;
  if (llvm::Error error = Send(client, packet, response))
    return std::move(error);
  llvm::Expected<llvm::StringRef> text = GetAnswer(packet, response);
  if (!text)
    return text.takeError();
  StructuredData::ObjectSP result_sp = StructuredData::ParseJSON(*text);
  if (!result_sp)
    return Fail("the server's answer to {0} isn't JSON", GetName(packet));
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
