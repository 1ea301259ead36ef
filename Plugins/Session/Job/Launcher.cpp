//===-- Launcher.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Launcher.h"

#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lldb_private;
using namespace lldb_private::wavelane;

/// Launchers end their ranks first.
static constexpr auto kPatience = std::chrono::seconds(5);

std::string lldb_private::wavelane::DescribeStatus(int status) {
  return WIFSIGNALED(status)
             ? "was killed by signal " + std::to_string(WTERMSIG(status))
             : "exited with status " + std::to_string(WEXITSTATUS(status));
}

llvm::Expected<std::unique_ptr<Launcher>>
Launcher::Start(Client &client, const std::vector<std::string> &words,
                const Environment &environment, const std::string &folder) {
  // Otherwise the launcher would be what isn't there.
  if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
    return llvm::createStringError("there is no folder " + folder +
                                   " (target.launch-working-dir)");
  std::unique_ptr<Launcher> launcher(new Launcher(client));
  int output[2];
  if (::pipe2(output, O_CLOEXEC) != 0)
    return llvm::createStringError(
        std::error_code(errno, std::generic_category()), "no pipe");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, output[1], 2);
  if (!folder.empty())
    ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  // LLDB's threads block signals.
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                              POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  const Environment::Envp variables = environment.getEnvp();
  const int code =
      ::posix_spawnp(&launcher->m_pid, arguments[0], &actions, &attributes,
                     arguments.data(), const_cast<char **>(variables.get()));
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(output[1]);
  if (code != 0) {
    ::close(output[0]);
    launcher->m_is_alive = false;
    return llvm::createStringError(
        std::error_code(code, std::generic_category()),
        words[0] + " can't be started: " + std::strerror(code));
  }
  launcher->m_output = output[0];
  launcher->m_thread =
      std::thread([self = launcher.get()] { self->ReadOutput(); });
  return std::move(launcher);
}

Launcher::~Launcher() {
  End();
  if (m_thread.joinable())
    m_thread.join();
  if (m_output >= 0)
    ::close(m_output);
}

bool Launcher::IsAlive() const {
  std::lock_guard<std::mutex> guard(m_mutex);
  return m_is_alive;
}

void Launcher::End(std::chrono::milliseconds patience) {
  std::unique_lock<std::mutex> lock(m_mutex);
  m_changed.wait_for(lock, patience, [&] { return !m_is_alive; });
  for (int signal : {SIGTERM, SIGKILL}) {
    if (!m_is_alive)
      return;
    ::kill(-m_pid, signal);
    m_changed.wait_for(lock, kPatience, [&] { return !m_is_alive; });
  }
}

void Launcher::ReadOutput() {
  char buffer[4096];
  bool is_open = true;
  int status = 0;
  // A process that outlives the launcher may keep the pipe open.
  const int launcher = int(::syscall(SYS_pidfd_open, m_pid, 0));
  while (true) {
    pollfd files[] = {{m_output, POLLIN, 0}, {launcher, POLLIN, 0}};
    if (is_open && ::poll(files, 2, -1) < 0 && errno == EINTR)
      continue;
    if (is_open && files[0].revents) {
      const ssize_t count = ::read(m_output, buffer, sizeof(buffer));
      if (count > 0) {
        m_client.Printed({buffer, size_t(count)});
        continue;
      }
      is_open = count < 0 && errno == EINTR;
      continue;
    }
    const pid_t ended = ::waitpid(m_pid, &status, 0);
    if (ended == m_pid || (ended < 0 && errno != EINTR))
      break;
  }
  if (launcher >= 0)
    ::close(launcher);
  const std::string how = DescribeStatus(status);
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_is_alive = false;
  }
  m_changed.notify_all();
  m_client.LauncherEnded(how);
}
