//===-- PacketServer.h - An LLDB server with more packets -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's server identifies packets by numbers from its parser, which can't be
// extended. This class runs before both: a subclass sees the text of each
// packet first.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_LINK_PACKETSERVER_H
#define WAVELANE_SERVER_LINK_PACKETSERVER_H

#include "Plugins/Process/gdb-remote/GDBRemoteCommunicationServerLLGS.h"
#include "lldb/Utility/StringExtractorGDBRemote.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <optional>

namespace wavelane::server {

class PacketServer : public lldb_private::process_gdb_remote::
                         GDBRemoteCommunicationServerLLGS {
public:
  using GDBRemoteCommunicationServerLLGS::GDBRemoteCommunicationServerLLGS;

  lldb_private::Status InitializeConnection(
      std::unique_ptr<lldb_private::Connection> connection) override;

protected:
  using Extractor = StringExtractorGDBRemote;
  /// Answers one of our packets; \p arguments is empty if there are none.
  using Answer =
      std::function<PacketResult(const llvm::json::Object &arguments)>;

  /// Calls \p answer for the packet \p name (Packets.h). Arguments that aren't
  /// a JSON object are refused.
  void Register(const char *name, Answer answer) {
    m_answers[name] = std::move(answer);
  }
  /// Answers another packet; nullopt leaves it to LLDB.
  virtual std::optional<PacketResult> HandlePacket(Extractor &packet) = 0;
  /// Called after a packet was answered, by this class or by LLDB's.
  virtual void PacketArrived() {}
  virtual void PacketHandled() {}
  /// The client has disconnected. The base class ends the server.
  virtual void ConnectionLost() { m_mainloop.RequestTermination(); }

  /// Answers with the error's text, if the client accepts text.
  PacketResult Fail(llvm::Error error);
  PacketResult Fail(const llvm::Twine &text);
  /// Answers incomplete arguments; \p form describes those that are needed.
  PacketResult FailWanting(llvm::StringRef form) {
    return Fail("lldb-server needs the arguments " + form);
  }
  PacketResult SendText(llvm::StringRef text) { return SendPacketNoLock(text); }

private:
  PacketResult Dispatch(Extractor &packet);
  std::optional<PacketResult> CallAnswer(llvm::StringRef text);
  void ReadPackets();

  llvm::StringMap<Answer> m_answers;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LINK_PACKETSERVER_H
