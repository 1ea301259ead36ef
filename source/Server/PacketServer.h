//===-- PacketServer.h - An LLDB server with more packets -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's server knows packets by the numbers that its packet parser gives them,
// and its parser isn't open. This class sits before both: a subclass sees each
// packet first, by its text.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_PACKETSERVER_H
#define WAVELANE_SERVER_PACKETSERVER_H

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

  /// As the base class's, whose own reading of packets it replaces.
  lldb_private::Status
  InitializeConnection(std::unique_ptr<lldb_private::Connection> connection);

protected:
  using Extractor = StringExtractorGDBRemote;
  /// Answers one of our packets; \p arguments is empty where it has none.
  using Answer =
      std::function<PacketResult(const llvm::json::Object &arguments)>;

  /// Has \p answer called for the packet \p name (Packets.h). Arguments that
  /// aren't a JSON object are refused without it.
  void Register(const char *name, Answer answer) {
    m_answers[name] = std::move(answer);
  }
  /// Answers another packet, or leaves it to LLDB (nullopt).
  virtual std::optional<PacketResult> HandlePacket(Extractor &packet) = 0;
  /// A packet has been answered, by this class or by LLDB's.
  virtual void PacketHandled() {}
  /// The client is gone. The base class ends the server.
  virtual void ConnectionLost() { m_mainloop.RequestTermination(); }

  /// An answer with the error's text, where the client wants texts.
  PacketResult Fail(llvm::Error error);
  PacketResult Fail(const llvm::Twine &text);
  /// An answer to arguments that lack something: those of \p name are as
  /// \p form.
  PacketResult FailWanting(llvm::StringRef name, llvm::StringRef form) {
    return Fail(name + " needs the arguments " + form);
  }
  PacketResult SendText(llvm::StringRef text) { return SendPacketNoLock(text); }

private:
  PacketResult Dispatch(Extractor &packet);
  std::optional<PacketResult> CallAnswer(llvm::StringRef text);
  void ReadPackets();

  llvm::StringMap<Answer> m_answers;
};

/// The text of a JSON value for a log or an error.
std::string ToString(const llvm::json::Value &value);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_PACKETSERVER_H
