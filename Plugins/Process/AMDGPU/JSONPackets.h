//===-- JSONPackets.h - packets that hold JSON ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_JSONPACKETS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_JSONPACKETS_H

#include "GDBRemoteCommunicationClient.h"
#include "lldb/Utility/StructuredData.h"
#include "llvm/Support/Error.h"

namespace lldb_private {
namespace wavelane {

/// Sends one packet, escaping the protocol's framing characters.
process_gdb_remote::GDBRemoteCommunication::PacketResult
SendEscapedPacket(process_gdb_remote::GDBRemoteCommunicationClient &client,
                  llvm::StringRef packet, StringExtractorGDBRemote &response);

/// Sends one packet.
/// \return The JSON of the answer; an error that names the packet if the server
///     doesn't answer, doesn't know or refuses the packet, or its answer isn't
///     JSON.
llvm::Expected<StructuredData::ObjectSP>
SendJSONPacket(process_gdb_remote::GDBRemoteCommunicationClient &client,
               llvm::StringRef packet);

/// Parses an answer that has already arrived.
llvm::Expected<StructuredData::ObjectSP>
ParseJSONResponse(llvm::StringRef packet, StringExtractorGDBRemote &response);

/// The waves of an object's "threads", pairs of a first one and a count.
/// \param[in] limit In case the server's counts are wrong.
std::vector<lldb::tid_t> ExpandThreads(const StructuredData::Dictionary &object,
                                       size_t limit);

} // namespace wavelane
} // namespace lldb_private

#endif
