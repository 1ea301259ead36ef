//===-- JSONPackets.h - packets that hold JSON ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_JSONPACKETS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_JSONPACKETS_H

#include "GDBRemoteCommunicationClient.h"
#include "lldb/Utility/StructuredData.h"
#include "wavelane/Protocol/Fields.h"
#include "llvm/Support/Error.h"
#include <chrono>

namespace lldb_private {
namespace wavelane {

/// Sends one packet, escaping the protocol's framing characters.
/// \param[in] patience While the waves run, they are stopped for the packet if
///     that takes less than this, and all of them run on behind it. 0 doesn't
///     stop them: the packet isn't sent.
process_gdb_remote::GDBRemoteCommunication::PacketResult
SendEscapedPacket(process_gdb_remote::GDBRemoteCommunicationClient &client,
                  llvm::StringRef packet, StringExtractorGDBRemote &response,
                  std::chrono::seconds patience = {});

// Errors are for the user: they name no packet, which LLDB's log has.

/// The JSON of an answer that has arrived.
llvm::Expected<llvm::json::Value>
ReadAnswer(StringExtractorGDBRemote &response);
/// The same; the answer is a message, or a list of messages.
template <typename T>
llvm::Expected<T> ReadAnswer(StringExtractorGDBRemote &response) {
  llvm::Expected<llvm::json::Value> answer = ReadAnswer(response);
  if (!answer)
    return answer.takeError();
  return ::wavelane::protocol::read<T>(*answer, "the server's answer");
}

/// Sends the packet \a name, with arguments unless they are null.
llvm::Expected<llvm::json::Value>
AskServer(process_gdb_remote::GDBRemoteCommunicationClient &client,
          llvm::StringRef name, llvm::json::Value arguments);
/// The same; the answer is a message.
template <typename T>
llvm::Expected<T>
AskServer(process_gdb_remote::GDBRemoteCommunicationClient &client,
          llvm::StringRef name, llvm::json::Value arguments) {
  llvm::Expected<llvm::json::Value> answer =
      AskServer(client, name, std::move(arguments));
  if (!answer)
    return answer.takeError();
  return ::wavelane::protocol::read<T>(*answer, "the server's answer");
}

/// Sends one packet.
/// \param[in] patience As above.
/// \return The JSON of the answer; an error if the server doesn't answer,
/// doesn't
///     know or refuses the packet, or its answer isn't JSON.
llvm::Expected<StructuredData::ObjectSP>
SendJSONPacket(process_gdb_remote::GDBRemoteCommunicationClient &client,
               llvm::StringRef packet, std::chrono::seconds patience = {});

/// The waves of an object's "threads", pairs of a first one and a count.
/// \param[in] limit In case the server's counts are wrong.
std::vector<lldb::tid_t> ExpandThreads(const StructuredData::Dictionary &object,
                                       size_t limit);

} // namespace wavelane
} // namespace lldb_private

#endif
