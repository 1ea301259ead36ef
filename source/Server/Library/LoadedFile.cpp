//===-- LoadedFile.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoadedFile.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using llvm::StringRef;

namespace wavelane::server {

static constexpr uint64_t kMostCompared = 1 << 20;

/// When a process began, on the clock of files, in seconds.
static std::optional<double> GetBegin(pid_t pid) {
  auto file = llvm::MemoryBuffer::getFileAsStream(
      "/proc/" + std::to_string(pid) + "/stat");
  if (!file)
    return std::nullopt;
  // Field 22 is in ticks since the machine has started (proc(5)); the name,
  // field 2, may have blanks and parentheses.
  llvm::SmallVector<StringRef, 64> fields;
  (*file)->getBuffer().rsplit(')').second.split(fields, ' ', -1,
                                                /*KeepEmpty=*/false);
  uint64_t ticks;
  if (fields.size() < 20 || fields[19].getAsInteger(10, ticks))
    return std::nullopt;
  timespec up, now;
  clock_gettime(CLOCK_BOOTTIME, &up);
  clock_gettime(CLOCK_REALTIME, &now);
  return double(now.tv_sec - up.tv_sec) + (now.tv_nsec - up.tv_nsec) * 1e-9 +
         double(ticks) / double(sysconf(_SC_CLK_TCK));
}

bool MayHaveChanged(const std::string &path, pid_t pid) {
  struct stat file;
  if (stat(path.c_str(), &file) != 0)
    return true;
  std::optional<double> begin = GetBegin(pid);
  return !begin ||
         double(file.st_ctim.tv_sec) + double(file.st_ctim.tv_nsec) * 1e-9 >=
             *begin;
}

bool IsLoaded(StringRef contents, uint64_t base, corefile::ReadMemory read) {
  auto binary = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(contents, ""));
  if (!binary) {
    llvm::consumeError(binary.takeError());
    return false;
  }
  auto *elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(binary->get());
  if (!elf)
    return false;
  auto headers = elf->getELFFile().program_headers();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return false;
  }
  for (const auto &header : *headers) {
    if (header.p_type != llvm::ELF::PT_LOAD || header.p_flags & llvm::ELF::PF_W)
      continue;
    const uint64_t offset = header.p_offset;
    const uint64_t size = std::min<uint64_t>(header.p_filesz, kMostCompared);
    if (offset > contents.size() || size > contents.size() - offset)
      return false;
    std::vector<char> loaded(size);
    if (read(base + header.p_vaddr, loaded.data(), size) != size ||
        memcmp(loaded.data(), contents.data() + offset, size) != 0)
      return false;
  }
  return true;
}

} // namespace wavelane::server
