//===-- RemotePackets.h - the bytes of gdb-remote packets -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What InterruptibleConnection has to know of the packets that pass: where one
// ends, which question a reply is for, and what a client gets instead of one.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_REMOTEPACKETS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_REMOTEPACKETS_H

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <string>

namespace lldb_private {
namespace wavelane {

/// An echo is how LLDB finds out which answer it reads.
inline constexpr llvm::StringLiteral kEchoPrefix("qEcho:");
/// More than LLDB's longest qEcho packet, in bytes.
inline constexpr size_t kLongestEcho = 64;

/// A stop that reports the program's end, which a server sends unasked, too.
/// \param start  The first bytes of the packet's contents, here and below.
bool IsEndPacket(llvm::StringRef start);
/// Output of a running program comes between a question and its answer.
bool IsOutputPacket(llvm::StringRef start);
/// Whether the answer comes when the program stops.
bool ResumesProgram(llvm::StringRef contents);
std::string MakePacket(llvm::StringRef contents);
/// What a client gets instead of the answer to a question.
std::string MakeNoAnswer(llvm::StringRef question);

/// Finds where packets end in what the server sends.
class ReplyFraming {
public:
  /// \param[out] ends  Whether a packet ends.
  /// \return The number of bytes until its end, or of all.
  size_t Take(llvm::StringRef bytes, bool &ends);
  /// The first two bytes of the packet's contents; more of an echo, and of
  /// one that reports the program's end, up to 4 KiB.
  llvm::StringRef GetStart() const { return m_start; }

private:
  enum class Place { Outside, Inside, FirstDigit, SecondDigit };
  bool Ends(char byte);
  bool NeedsMore() const;
  Place m_place = Place::Outside;
  std::string m_start;
};

} // namespace wavelane
} // namespace lldb_private

#endif
