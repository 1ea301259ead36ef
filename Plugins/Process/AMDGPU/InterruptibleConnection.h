//===-- InterruptibleConnection.h - late answers ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_INTERRUPTIBLECONNECTION_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_INTERRUPTIBLECONNECTION_H

#include "GDBRemoteCommunicationClient.h"
#include "OwedAnswers.h"
#include "RemotePackets.h"
#include "lldb/Host/ConnectionFileDescriptor.h"
#include "lldb/lldb-forward.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

/// A connection to an lldb-server that may not answer. The wait for an answer
/// ends
/// - when the user interrupts it;
/// - when the server, or the process that simulates the GPU, has been stopped
///   by a signal for a second, on this machine: an editor's user has no Ctrl-C;
/// - when LLDB has waited for the packet timeout (5 s), has then asked for an
///   echo, and that hasn't come within the same time. Without this class, LLDB
///   would wait for it three times, and then take the server for lost.
///
/// The client gets an error for each of its packets that isn't answered.
/// Packets have no numbers, so a late answer would be taken for that of the
/// next packet: it is dropped when it comes. Until then, packets are answered
/// with an error after a short wait, and aren't sent.
class InterruptibleConnection : public ConnectionFileDescriptor {
public:
  using FindDebugger = std::function<lldb::DebuggerSP()>;

  /// Puts an interruptible connection in place of that of \a client. Does
  /// nothing if it isn't a socket's.
  /// \param find_debugger  Finds the debugger whose user waits; may return
  /// null.
  /// \param server  The server's process, if LLDB has started it; otherwise
  ///     LLDB_INVALID_PROCESS_ID.
  /// \param owed_sp  Kept up to date by the connection; nothing is owed at
  /// first.
  /// \param[in] look  Called again and again while an answer that no command
  ///     waits for is overdue; may be null. Must outlive the connection.
  static void Install(process_gdb_remote::GDBRemoteCommunicationClient &client,
                      FindDebugger find_debugger, lldb::pid_t server,
                      std::shared_ptr<OwedAnswers> owed_sp,
                      std::function<void()> look = nullptr);
  /// The same, for the debugger of a target.
  static void Install(process_gdb_remote::GDBRemoteCommunicationClient &client,
                      Target &target, lldb::pid_t server,
                      std::shared_ptr<OwedAnswers> owed_sp,
                      std::function<void()> look = nullptr);

  size_t Read(void *dst, size_t dst_len, const Timeout<std::micro> &timeout,
              lldb::ConnectionStatus &status, Status *error_ptr) override;
  size_t Write(const void *src, size_t src_len, lldb::ConnectionStatus &status,
               Status *error_ptr) override;

private:
  InterruptibleConnection(std::unique_ptr<Socket> socket,
                          FindDebugger find_debugger, lldb::pid_t server,
                          std::shared_ptr<OwedAnswers> owed_sp,
                          std::function<void()> look);

  bool WasInterrupted() const;
  /// Whether the user can give up what a read would wait for now.
  bool WaitsForAnswer();
  /// Whether the server hasn't answered LLDB's question if it still answers.
  bool IsEchoOverdue();
  /// A process that is stopped by a signal, and how long that is known.
  struct Stopped {
    lldb::pid_t pid;
    std::chrono::milliseconds duration;
  };
  std::optional<Stopped> LookAtProcesses();
  void GiveUp(const std::optional<Stopped> &stopped);
  /// Reads from the server.
  /// \return The number of bytes that are left for the client.
  size_t ReadServer(void *dst, size_t dst_len,
                    const Timeout<std::micro> &timeout,
                    lldb::ConnectionStatus &status, Status *error_ptr);
  size_t DropOwed(char *bytes, size_t size);
  /// Gives late answers some time to come.
  void AwaitOwed();

  const FindDebugger m_find_debugger;
  const lldb::pid_t m_server;
  const std::shared_ptr<OwedAnswers> m_owed_sp;
  const std::function<void()> m_look;

  std::mutex m_state_mutex;
  /// A packet that was sent.
  struct Question {
    /// Its beginning, from which the error is made if it is given up.
    std::string contents;
    /// The answer comes when the program stops.
    bool resumes;
    std::chrono::steady_clock::time_point asked;
  };
  /// Removes the question that was answered.
  /// \param start  The answer's.
  static void Answer(std::deque<Question> &questions, llvm::StringRef start);
  std::deque<Question> m_questions;
  /// Those that were given up, and aren't answered yet.
  std::deque<Question> m_owed;
  /// Answers to questions that were given up, which the client hasn't read.
  std::string m_errors;
  ReplyFraming m_framing;
  std::chrono::steady_clock::time_point m_last_wait;
  std::optional<std::chrono::steady_clock::time_point> m_stopped_since;
};

} // namespace wavelane
} // namespace lldb_private

#endif
