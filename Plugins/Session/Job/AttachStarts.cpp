//===-- AttachStarts.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttachStarts.h"
#include "Launcher.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace lldb_private::wavelane;

/// Of what a program says.
static constexpr size_t kMostText = 4096;
static constexpr size_t kMostLines = 3;

struct AttachStarts::Ends {
  mutable std::mutex mutex;
  std::map<uint32_t, std::string> by_rank;
};

AttachStarts::AttachStarts() : m_ends(std::make_shared<Ends>()) {}
AttachStarts::~AttachStarts() = default;

std::string AttachStarts::FindEnd(uint32_t rank) const {
  std::lock_guard<std::mutex> guard(m_ends->mutex);
  auto found = m_ends->by_rank.find(rank);
  return found == m_ends->by_rank.end() ? "" : found->second;
}

static llvm::Error Fail(const std::string &what, int code) {
  return llvm::createStringError(std::error_code(code, std::generic_category()),
                                 what + ": " + std::strerror(code));
}

/// The last lines of \a text as one.
static std::string FoldLines(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines, last;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    if (line = line.trim(); !line.empty())
      last.push_back(line);
  if (last.size() > kMostLines)
    last.erase(last.begin(), last.end() - kMostLines);
  return llvm::join(last, "; ");
}

/// Reads until its end, and waits for the program.
static std::string ReadEnd(pid_t child, int output, const std::string &name) {
  std::string text;
  char buffer[1024];
  while (true) {
    const ssize_t count = ::read(output, buffer, sizeof(buffer));
    if (count > 0)
      text.append(buffer, size_t(count));
    else if (count == 0 || errno != EINTR)
      break;
    if (text.size() > kMostText)
      text.erase(0, text.size() - kMostText);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  const std::string said = FoldLines(text);
  return name + " " + DescribeStatus(status) +
         (said.empty() ? "" : ": " + said);
}

llvm::Error AttachStarts::Start(uint32_t rank,
                                const std::vector<std::string> &words,
                                const std::string &input) {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0)
    return Fail("no pipe", errno);
  if (::pipe2(out, O_CLOEXEC) != 0) {
    const int code = errno;
    ::close(in[0]);
    ::close(in[1]);
    return Fail("no pipe", code);
  }
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  for (int file : {STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_adddup2(&actions, out[1], file);
  // Ctrl-C isn't for it.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::pid_t child = -1;
  const int code = ::posix_spawnp(&child, arguments[0], &actions, &attributes,
                                  arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(in[0]);
  ::close(out[1]);
  // A pipe holds more than this. It fails if the program has ended, which is
  // noticed.
  if (code == 0)
    (void)!::write(in[1], input.data(), input.size());
  ::close(in[1]);
  if (code != 0) {
    ::close(out[0]);
    return Fail(words[0] + " can't be started", code);
  }
  std::thread([ends = m_ends, rank, child, output = out[0],
               name = llvm::sys::path::filename(words[0]).str()] {
    std::string end = ReadEnd(child, output, name);
    ::close(output);
    std::lock_guard<std::mutex> guard(ends->mutex);
    ends->by_rank[rank] = std::move(end);
  }).detach();
  return llvm::Error::success();
}
