//===-- Handover.cpp - a process and its lldb-server ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher knows this process: it gets the launcher's files, signals and
// descriptors, and the launcher gets its exit status. So it becomes the
// program, and the server, which is started beside it, attaches to it. The
// server executes it up to its first instruction before it serves.
//===----------------------------------------------------------------------===//

#include "Rank.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
namespace packets = wavelane::server::packets;

namespace wavelane::rank {

static Error fail(const char *What) {
  const int Reason = errno;
  return createStringError(std::error_code(Reason, std::generic_category()),
                           "%s: %s", What, std::strerror(Reason));
}

static std::vector<std::string> makeCommand(const std::string &Server,
                                            int Connection, pid_t Process,
                                            int Attached,
                                            bool EndsWithDebugger) {
  std::vector<std::string> Words{
      Server, "gdbserver", formatv("--fd={0}", Connection).str(), "--",
      formatv("{0}{1}", packets::RankArgument, Process).str()};
  if (Attached >= 0)
    Words.push_back(formatv("{0}{1}", packets::AttachedArgument, Attached));
  if (EndsWithDebugger)
    Words.push_back(packets::EndsArgument);
  return Words;
}

[[noreturn]] static void execute(const std::vector<std::string> &Words) {
  std::vector<char *> Pointers;
  for (const std::string &Word : Words)
    Pointers.push_back(const_cast<char *>(Word.c_str()));
  Pointers.push_back(nullptr);
  ::execv(Pointers[0], Pointers.data());
  ::_exit(127);
}

/// Leaves the launcher's files, which it reads until their end. lldb-server
/// needs descriptors 0 to 2.
static void leaveFiles(int Connection, int Attached) {
  const int Nothing = ::open("/dev/null", O_RDWR);
  for (int Standard = 0; Standard <= 2; ++Standard)
    ::dup2(Nothing, Standard);
  const long Most = ::sysconf(_SC_OPEN_MAX);
  for (int File = 3; File < std::min(Most, 65536L); ++File)
    if (File != Connection && File != Attached)
      ::close(File);
}

Error handOver(const std::string &Server, int Connection,
               bool EndsWithDebugger) {
  // Pipes: the server's process number; it may attach; it has attached.
  int Number[2], Allowed[2], Attached[2];
  for (int *Pipe : {Number, Allowed, Attached})
    if (::pipe2(Pipe, O_CLOEXEC) != 0)
      return fail("no pipe");
  const pid_t Process = ::getpid();
  const std::vector<std::string> Command =
      makeCommand(Server, Connection, Process, Attached[1], EndsWithDebugger);
  const pid_t Child = ::fork();
  if (Child < 0)
    return fail("lldb-server can't be started");
  if (Child == 0) {
    // A child of nobody: the program may wait for all of its children.
    ::setsid();
    const pid_t Apart = ::fork();
    if (Apart != 0)
      ::_exit(Apart < 0 ? 1 : 0);
    const pid_t Self = ::getpid();
    if (::write(Number[1], &Self, sizeof(Self)) != sizeof(Self))
      ::_exit(1);
    ::close(Allowed[1]);
    char Byte;
    if (::read(Allowed[0], &Byte, 1) != 1)
      ::_exit(1);
    ::fcntl(Attached[1], F_SETFD, 0);
    ::fcntl(Connection, F_SETFD, 0);
    leaveFiles(Connection, Attached[1]);
    execute(Command);
  }
  ::close(Number[1]);
  ::close(Attached[1]);
  pid_t Debugger = 0;
  int Status = 0;
  ::waitpid(Child, &Status, 0);
  if (::read(Number[0], &Debugger, sizeof(Debugger)) != sizeof(Debugger))
    return createStringError("lldb-server can't be started");
  ::close(Number[0]);
  // Where only ancestors may attach.
  ::prctl(PR_SET_PTRACER, Debugger, 0, 0, 0);
  if (::write(Allowed[1], "", 1) != 1)
    return fail("cannot send to lldb-server");
  ::close(Allowed[0]);
  ::close(Allowed[1]);
  // Waits here until it is attached, and resumed.
  char Byte = 0;
  const ssize_t Count = ::read(Attached[0], &Byte, 1);
  ::close(Attached[0]);
  ::close(Connection);
  if (Count != 1)
    return createStringError(
        "%s can't attach: it isn't Wavelane's lldb-server, or "
        "/proc/sys/kernel/yama/ptrace_scope forbids it",
        Server.c_str());
  return Error::success();
}

Error serve(const std::string &Server, int Connection, pid_t Process,
            bool EndsWithDebugger) {
  ::fcntl(Connection, F_SETFD, 0);
  std::vector<std::string> Command = makeCommand(
      Server, Connection, Process, /*Attached=*/-1, EndsWithDebugger);
  std::vector<char *> Pointers;
  for (std::string &Word : Command)
    Pointers.push_back(Word.data());
  Pointers.push_back(nullptr);
  ::setsid();
  leaveFiles(Connection, -1);
  ::execv(Pointers[0], Pointers.data());
  return fail(Server.c_str());
}

} // namespace wavelane::rank
