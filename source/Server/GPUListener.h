//===-- GPUListener.h - Where the GPU connection is taken -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A socket for one more connection of the client that has the host connection:
// a local one in a private folder, or TCP on the address that the client has
// reached, for clients from where it comes from.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_GPULISTENER_H
#define WAVELANE_SERVER_GPULISTENER_H

#include "lldb/Host/MainLoop.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>

namespace wavelane::server {

class GPUListener {
public:
  /// Gets a connected socket, once.
  using Accepted = std::function<void(int)>;

  /// \p host is the descriptor of the host connection. The error says why no
  /// socket can be had.
  static llvm::Expected<std::unique_ptr<GPUListener>>
  Create(lldb_private::MainLoop &loop, int host, Accepted accepted);
  ~GPUListener();

  /// What the client connects to.
  const std::string &GetURL() const { return m_url; }

private:
  GPUListener(Accepted accepted) : m_accepted(std::move(accepted)) {}
  llvm::Error ListenLocal();
  llvm::Error ListenTCP(int host);
  void Accept();

  Accepted m_accepted;
  std::string m_url, m_path, m_folder, m_peer;
  int m_fd = -1;
  lldb_private::MainLoop::ReadHandleUP m_handle;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPULISTENER_H
