//===-- JSONPackets.h - packets that hold JSON ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_JSONPACKETS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_JSONPACKETS_H

#include "GDBRemoteCommunicationClient.h"
#include "lldb/Utility/StructuredData.h"
#include "llvm/Support/Error.h"

namespace lldb_private {
namespace wavelane {

/// Sends one packet, with the characters escaped that frame packets in the
/// protocol.
process_gdb_remote::GDBRemoteCommunication::PacketResult
SendEscapedPacket(process_gdb_remote::GDBRemoteCommunicationClient &client,
                  llvm::StringRef packet, StringExtractorGDBRemote &response);

/// Sends one packet.
/// \return The JSON of the answer; an error that names the packet if the server
///     doesn't answer, doesn't know it, refuses it or doesn't answer JSON.
llvm::Expected<StructuredData::ObjectSP>
SendJSONPacket(process_gdb_remote::GDBRemoteCommunicationClient &client,
               llvm::StringRef packet);

/// The same for an answer that has arrived.
llvm::Expected<StructuredData::ObjectSP>
ParseJSONResponse(llvm::StringRef packet, StringExtractorGDBRemote &response);

} // namespace wavelane
} // namespace lldb_private

#endif
