//===-- ServerProcess.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ServerProcess.h"

#include "lldb/lldb-defines.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"

#include <sys/socket.h>
#include <unistd.h>

using namespace lldb_private;

lldb::pid_t wavelane::FindPeerProcess(int socket) {
  ucred peer;
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.pid <= 0 || peer.pid == ::getpid())
    return LLDB_INVALID_PROCESS_ID;
  return lldb::pid_t(peer.pid);
}

bool wavelane::IsStoppedBySignal(lldb::pid_t pid) {
  if (pid == LLDB_INVALID_PROCESS_ID)
    return false;
  auto stat = llvm::MemoryBuffer::getFileAsStream("/proc/" + llvm::Twine(pid) +
                                                  "/stat");
  if (!stat)
    return false;
  // The state follows the name, which may have any characters.
  return (*stat)->getBuffer().rsplit(')').second.starts_with(" T");
}
