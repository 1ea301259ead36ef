//===-- JobSocket.h - where the ranks of a job report -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_JOBSOCKET_H
#define WAVELANE_SESSION_JOB_JOBSOCKET_H

#include "wavelane/Protocol/Job/JobMessages.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>

namespace lldb_private {
namespace wavelane {

/// Listens for the ranks of one job. Each connection is checked on a thread of
/// its own, so one that says nothing keeps no other waiting.
class JobSocket {
public:
  struct Client {
    virtual ~Client() = default;
    /// Whether a rank may join, and on which terms. May be called on several
    /// threads at once.
    virtual llvm::Expected<::wavelane::job::Terms>
    Admit(const ::wavelane::job::Registration &registration) = 0;
    /// It has joined: \a fd is its server's connection, which the client owns.
    virtual void Joined(const ::wavelane::job::Registration &registration,
                        int fd) = 0;
    /// Somebody was refused.
    virtual void Refused(const std::string &why) = 0;
  };

  /// \param[in] address Empty for a socket of this machine that only this
  /// user's
  ///     processes may use; else "ADDRESS" or "ADDRESS:PORT" for TCP.
  static llvm::Expected<std::unique_ptr<JobSocket>>
  Create(Client &client, llvm::StringRef address);
  ~JobSocket();

  /// What wavelane-rank gets in its environment.
  const std::string &GetAddress() const { return m_address; }
  const std::string &GetSecret() const { return m_secret; }

private:
  struct Handshake {
    std::thread thread;
    std::atomic<bool> is_done = false;
  };

  explicit JobSocket(Client &client) : m_client(client) {}
  llvm::Error ListenLocal();
  llvm::Error ListenRemote(llvm::StringRef address);
  void Accept();
  void ShakeHands(int fd);
  llvm::Expected<std::string> ReadLine(int fd);
  void Forget(bool all);

  Client &m_client;
  std::string m_address, m_secret;
  bool m_is_local = false;
  int m_fd = -1;
  /// Ends all waits when its other end is closed.
  int m_wake[2] = {-1, -1};
  std::thread m_thread;
  std::list<Handshake> m_handshakes;
};

} // namespace wavelane
} // namespace lldb_private

#endif
