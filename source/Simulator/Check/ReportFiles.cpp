//===-- ReportFiles.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReportFiles.h"
#include "Options.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

using namespace wavelane;
using namespace wavelane::check;

void check::writeAll(int Fd, llvm::StringRef Text) {
  while (!Text.empty()) {
    const ssize_t N = ::write(Fd, Text.data(), Text.size());
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return;
    Text = Text.drop_front(size_t(N));
  }
}

static std::string line(const llvm::json::Value &Of) {
  std::string Line;
  llvm::raw_string_ostream(Line) << Of << '\n';
  return Line;
}

ReportFiles::ReportFiles(std::string In) : Folder(std::move(In)) {
  if (Folder.empty())
    return;
  const std::string Path =
      Folder + "/" + ReportPrefix + std::to_string(getpid()) + ".json";
  Report = open(Path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (Report >= 0)
    flock(Report, LOCK_EX);
}

ReportFiles::~ReportFiles() {
  if (Report >= 0)
    close(Report);
}

void ReportFiles::append(llvm::json::Value Finding) const {
  if (Folder.empty())
    return;
  const std::string Path = Folder + "/" + simulator::CheckFindingsFile;
  const int Fd =
      open(Path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (Fd < 0)
    return;
  writeAll(Fd, line(Finding));
  close(Fd);
}

void ReportFiles::write(llvm::json::Value Whole) {
  if (Report < 0)
    return;
  writeAll(Report, line(Whole));
  close(std::exchange(Report, -1));
}
