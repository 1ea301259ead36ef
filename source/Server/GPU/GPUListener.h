//===-- GPUListener.h - Where the GPU connection is taken -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A socket for a second connection of the client with the host connection: a
// local socket without a name or in a private folder, or TCP on the address
// that the client has connected to, accepting clients from the same address
// and, on this machine, of the same user only.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_GPU_GPULISTENER_H
#define WAVELANE_SERVER_GPU_GPULISTENER_H

#include "lldb/Host/MainLoop.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>

namespace wavelane::server {

class GPUListener {
public:
  /// Called once, with a connected socket.
  using Accepted = std::function<void(int)>;

  /// \p host is the descriptor of the host connection. The error says why
  ///     there is no socket.
  static llvm::Expected<std::unique_ptr<GPUListener>>
  Create(lldb_private::MainLoop &loop, int host, Accepted accepted);
  ~GPUListener();

  /// The URL for the client to connect to.
  const std::string &GetURL() const { return m_url; }

private:
  GPUListener(Accepted accepted) : m_accepted(std::move(accepted)) {}
  llvm::Error ListenLocal();
  llvm::Error ListenTCP(int host);
  void Accept();
  void RemoveFiles();

  Accepted m_accepted;
  std::string m_url, m_path, m_folder, m_peer;
  /// The folder in which the local socket has, or had, its name.
  std::optional<struct stat> m_folder_info;
  /// The user of a client on this machine.
  std::optional<uid_t> m_peer_user;
  int m_fd = -1;
  /// The local socket's place in the file system, by which it is reached once
  /// it has no name.
  int m_place = -1;
  lldb_private::MainLoop::ReadHandleUP m_handle;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPU_GPULISTENER_H
