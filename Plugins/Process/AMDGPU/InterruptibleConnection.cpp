//===-- InterruptibleConnection.cpp ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InterruptibleConnection.h"
#include "ServerProcess.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Host/common/TCPSocket.h"
#include "lldb/Host/posix/DomainSocket.h"
#include "lldb/Target/Target.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <fcntl.h>
#include <sys/socket.h>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Replies faster than this are waited for without polling.
static constexpr milliseconds Patience(500);
/// How often a wait looks whether the user has interrupted it.
static constexpr milliseconds Slice(100);
/// How long a server must have been stopped to be given up.
static constexpr milliseconds StoppedPatience(1000);
/// How long owed answers are awaited, and how often: a command may send many
/// packets.
static constexpr milliseconds OwedWait(1000), OwedWaitInterval(5000);

/// \return A socket for the same connection; null if it is another kind of
///     file.
static std::unique_ptr<Socket> Duplicate(Connection &connection) {
  const IOObjectSP object_sp = connection.GetReadObject();
  if (!object_sp || object_sp->GetFdType() != IOObject::eFDTypeSocket)
    return nullptr;
  const int descriptor =
      ::fcntl(int(object_sp->GetWaitableHandle()), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0)
    return nullptr;
  sockaddr_storage address;
  socklen_t size = sizeof address;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr *>(&address),
                    &size) == 0 &&
      address.ss_family == AF_UNIX)
    return std::make_unique<DomainSocket>(descriptor, /*should_close=*/true);
  return std::make_unique<TCPSocket>(descriptor, /*should_close=*/true);
}

void InterruptibleConnection::Install(GDBRemoteCommunicationClient &client,
                                      FindDebugger find_debugger,
                                      lldb::pid_t server,
                                      std::shared_ptr<OwedAnswers> owed_sp,
                                      std::function<void()> look) {
  GDBRemoteClientBase::Lock lock(client);
  if (!lock || !client.IsConnected())
    return;
  std::unique_ptr<Socket> socket = Duplicate(*client.GetConnection());
  if (!socket)
    return;
  if (server == LLDB_INVALID_PROCESS_ID)
    server = FindPeerProcess(socket->GetNativeSocket());
  client.SetConnection(std::unique_ptr<Connection>(new InterruptibleConnection(
      std::move(socket), std::move(find_debugger), server, std::move(owed_sp),
      std::move(look))));
}

void InterruptibleConnection::Install(GDBRemoteCommunicationClient &client,
                                      Target &target, lldb::pid_t server,
                                      std::shared_ptr<OwedAnswers> owed_sp,
                                      std::function<void()> look) {
  auto find_debugger = [target_wp = target.weak_from_this()]() -> DebuggerSP {
    TargetSP target_sp = target_wp.lock();
    return target_sp ? target_sp->GetDebugger().shared_from_this() : nullptr;
  };
  Install(client, find_debugger, server, std::move(owed_sp), std::move(look));
}

InterruptibleConnection::InterruptibleConnection(
    std::unique_ptr<Socket> socket, FindDebugger find_debugger,
    lldb::pid_t server, std::shared_ptr<OwedAnswers> owed_sp,
    std::function<void()> look)
    : ConnectionFileDescriptor(std::move(socket)),
      m_find_debugger(std::move(find_debugger)), m_server(server),
      m_owed_sp(std::move(owed_sp)), m_look(std::move(look)) {
  OpenCommandPipe();
}

//===-- Reading -----------------------------------------------------------===//

bool InterruptibleConnection::WasInterrupted() const {
  DebuggerSP debugger_sp = m_find_debugger();
  return debugger_sp && debugger_sp->InterruptRequested();
}

bool InterruptibleConnection::IsEchoOverdue() {
  std::lock_guard<std::mutex> guard(m_state_mutex);
  if (m_questions.empty())
    return false;
  const Question &last = m_questions.back();
  return llvm::StringRef(last.contents).starts_with(kEchoPrefix) &&
         steady_clock::now() - last.asked > Patience;
}

bool InterruptibleConnection::WaitsForAnswer() {
  std::lock_guard<std::mutex> guard(m_state_mutex);
  return !m_questions.empty() &&
         llvm::none_of(m_questions, [](const Question &question) {
           return question.resumes;
         });
}

std::optional<InterruptibleConnection::Stopped>
InterruptibleConnection::LookAtProcesses() {
  std::optional<Stopped> stopped;
  // Another machine's processes have other numbers.
  if (m_server != LLDB_INVALID_PROCESS_ID) {
    const lldb::pid_t device = m_owed_sp->device;
    if (IsStoppedBySignal(m_server))
      stopped = {m_server, milliseconds(0)};
    else if (IsStoppedBySignal(device))
      stopped = {device, milliseconds(0)};
  }
  std::lock_guard<std::mutex> guard(m_state_mutex);
  if (!stopped) {
    m_stopped_since.reset();
    return std::nullopt;
  }
  const auto now = steady_clock::now();
  if (!m_stopped_since)
    m_stopped_since = now;
  stopped->duration =
      std::chrono::duration_cast<milliseconds>(now - *m_stopped_since);
  return stopped;
}

void InterruptibleConnection::GiveUp(const std::optional<Stopped> &stopped) {
  milliseconds waited(0);
  {
    std::lock_guard<std::mutex> guard(m_state_mutex);
    if (!m_questions.empty())
      waited = std::chrono::duration_cast<milliseconds>(
          steady_clock::now() - m_questions.front().asked);
    for (Question &question : m_questions) {
      m_errors += MakeNoAnswer(question.contents);
      m_owed.push_back(std::move(question));
    }
    m_questions.clear();
    m_last_wait = steady_clock::now();
  }
  m_owed_sp->are_owed = true;
  m_owed_sp->is_overdue = false;
  const char *who = !stopped ? "lldb-server"
                    : stopped->pid == m_server
                        ? "lldb-server is stopped, and"
                        : "wavelane-gpu is stopped: lldb-server";
  const std::string next =
      stopped ? llvm::formatv(" (`kill -CONT {0}`)", stopped->pid).str() : "";
  static SharedMessage message;
  if (DebuggerSP debugger_sp = m_find_debugger())
    message.Print(
        *debugger_sp,
        llvm::formatv("{0} hasn't answered for {1:f1} s, so the command "
                      "was given up. Commands work again once it "
                      "answers{2}; `process kill` ends the program.\n",
                      who, double(waited.count()) / 1000, next)
            .str());
}

void InterruptibleConnection::Answer(std::deque<Question> &questions,
                                     llvm::StringRef start) {
  auto it = questions.begin();
  // Answers come in order: those before an echo never come.
  if (start.starts_with(kEchoPrefix))
    it = llvm::find_if(questions, [&](const Question &question) {
      return question.contents == start;
    });
  if (it == questions.end())
    it = questions.begin();
  if (it != questions.end())
    questions.erase(questions.begin(), std::next(it));
}

size_t InterruptibleConnection::DropOwed(char *bytes, size_t size) {
  std::lock_guard<std::mutex> guard(m_state_mutex);
  if (size)
    m_stopped_since.reset();
  size_t kept = 0;
  for (size_t begin = 0, taken; begin < size; begin += taken) {
    bool ends;
    taken = m_framing.Take(llvm::StringRef(bytes + begin, size - begin), ends);
    const llvm::StringRef start = m_framing.GetStart();
    // A server whose program ends says so unasked.
    const bool is_owed = !m_owed.empty() && !IsEndPacket(start);
    if (!is_owed) {
      if (kept != begin)
        std::memmove(bytes + kept, bytes + begin, taken);
      kept += taken;
    }
    if (ends)
      m_owed_sp->SetEnd(IsEndPacket(start) ? start : "");
    if (!ends || IsOutputPacket(start))
      continue;
    Answer(is_owed ? m_owed : m_questions, start);
    if (is_owed && m_owed.empty()) {
      m_owed_sp->are_owed = false;
      m_owed_sp->have_come = true;
      m_owed_sp->Changed();
    }
    if (m_questions.empty() && m_owed_sp->is_overdue.exchange(false))
      m_owed_sp->Changed();
  }
  return kept;
}

size_t InterruptibleConnection::ReadServer(void *dst, size_t dst_len,
                                           const Timeout<std::micro> &timeout,
                                           ConnectionStatus &status,
                                           Status *error_ptr) {
  const size_t size =
      ConnectionFileDescriptor::Read(dst, dst_len, timeout, status, error_ptr);
  return DropOwed(static_cast<char *>(dst), size);
}

size_t InterruptibleConnection::Read(void *dst, size_t dst_len,
                                     const Timeout<std::micro> &timeout,
                                     ConnectionStatus &status,
                                     Status *error_ptr) {
  const auto begin = steady_clock::now();
  for (;;) {
    {
      std::lock_guard<std::mutex> guard(m_state_mutex);
      if (!m_errors.empty()) {
        const size_t size = std::min(dst_len, m_errors.size());
        std::memcpy(dst, m_errors.data(), size);
        m_errors.erase(0, size);
        status = eConnectionStatusSuccess;
        return size;
      }
    }
    const auto waited = steady_clock::now() - begin;
    const bool can_give_up = WaitsForAnswer();
    Timeout<std::micro> wait = timeout;
    if (wait)
      *wait = std::max(
          std::chrono::microseconds(0),
          *wait -
              std::chrono::duration_cast<std::chrono::microseconds>(waited));
    const bool is_sliced = can_give_up && (!wait || *wait > Slice);
    if (is_sliced)
      wait = Timeout<std::micro>(Slice);
    if (const size_t size = ReadServer(dst, dst_len, wait, status, error_ptr))
      return size;
    // An answer that was dropped isn't the one that this waits for.
    if (status == eConnectionStatusSuccess)
      continue;
    if (status != eConnectionStatusTimedOut) {
      if (m_owed_sp->is_overdue.exchange(false))
        m_owed_sp->Changed();
      return 0;
    }
    const std::optional<Stopped> stopped = LookAtProcesses();
    if (!is_sliced && !(can_give_up && IsEchoOverdue()))
      return 0;
    if (is_sliced && waited <= Patience)
      continue;
    if (!is_sliced || WasInterrupted() ||
        (stopped && stopped->duration >= StoppedPatience))
      GiveUp(stopped);
    else if (m_look) {
      m_owed_sp->is_overdue = true;
      m_look();
    }
  }
}

//===-- Writing -----------------------------------------------------------===//

void InterruptibleConnection::AwaitOwed() {
  const auto begin = steady_clock::now();
  const bool waits = begin - m_last_wait > OwedWaitInterval;
  char bytes[1024];
  ConnectionStatus status = eConnectionStatusSuccess;
  do {
    ReadServer(bytes, sizeof bytes,
               Timeout<std::micro>(waits ? Slice : milliseconds(0)), status,
               nullptr);
  } while (m_owed_sp->are_owed &&
           (status == eConnectionStatusSuccess ||
            (status == eConnectionStatusTimedOut && waits &&
             steady_clock::now() - begin < OwedWait && !WasInterrupted())));
  if (waits)
    m_last_wait = steady_clock::now();
}

size_t InterruptibleConnection::Write(const void *src, size_t src_len,
                                      ConnectionStatus &status,
                                      Status *error_ptr) {
  llvm::StringRef contents(static_cast<const char *>(src), src_len);
  const bool is_packet = contents.consume_front("$");
  contents = contents.take_until([](char byte) { return byte == '#'; });
  if (is_packet && m_owed_sp->are_owed) {
    AwaitOwed();
    if (m_owed_sp->are_owed) {
      std::lock_guard<std::mutex> guard(m_state_mutex);
      m_errors += MakeNoAnswer(contents);
      status = eConnectionStatusSuccess;
      return src_len;
    }
  }
  if (is_packet) {
    std::lock_guard<std::mutex> guard(m_state_mutex);
    m_questions.push_back({contents.take_front(kLongestEcho).str(),
                           ResumesProgram(contents), steady_clock::now()});
  }
  return ConnectionFileDescriptor::Write(src, src_len, status, error_ptr);
}
