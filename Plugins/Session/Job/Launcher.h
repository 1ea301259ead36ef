//===-- Launcher.h - mpirun or the like, while it runs ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_LAUNCHER_H
#define WAVELANE_SESSION_JOB_LAUNCHER_H

#include "lldb/Utility/Environment.h"
#include "lldb/lldb-types.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// "exited with status 1", "was killed by signal 9".
/// \param[in] status From waitpid.
std::string DescribeStatus(int status);

/// A launcher that the debugger has started. It and what it starts are a
/// process group of their own, so Ctrl-C isn't theirs; their output is the
/// debugger's.
class Launcher {
public:
  /// Called by the launcher's threads.
  struct Client {
    virtual ~Client() = default;
    virtual void Printed(llvm::StringRef text) = 0;
    /// \param[in] how From DescribeStatus. All output was printed.
    virtual void LauncherEnded(const std::string &how) = 0;
  };

  /// \param[in] folder Where it begins; LLDB's own working folder if it is
  ///     empty.
  static llvm::Expected<std::unique_ptr<Launcher>>
  Start(Client &client, const std::vector<std::string> &words,
        const Environment &environment, const std::string &folder);
  /// Ends it if it runs.
  ~Launcher();

  bool IsAlive() const;
  /// Asks it to end if it hasn't after a while, and kills its group if that
  /// takes too long.
  void End(std::chrono::milliseconds patience = {});

private:
  explicit Launcher(Client &client) : m_client(client) {}
  void ReadOutput();

  Client &m_client;
  pid_t m_pid = -1;
  int m_output = -1;
  std::thread m_thread;
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_is_alive = true;
};

} // namespace wavelane
} // namespace lldb_private

#endif
