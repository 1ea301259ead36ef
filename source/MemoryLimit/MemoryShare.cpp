//===-- MemoryShare.cpp - how much memory a process may take --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/MemoryLimit/MemoryShare.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace wavelane::memorylimit {

static constexpr uint64_t GiB = uint64_t(1) << 30;

/// The lowest limit in the files \p Name of a folder below \p Root and those
/// around it. A container may see its own group as the root.
static uint64_t lowestLimit(const std::string &Root, std::string Group,
                            const char *Name) {
  uint64_t Lowest = UINT64_MAX;
  for (;;) {
    uint64_t Bytes = 0;
    // "max" isn't a number.
    if (std::ifstream(Root + Group + "/" + Name) >> Bytes && Bytes)
      Lowest = std::min(Lowest, Bytes);
    const size_t Slash = Group.rfind('/');
    if (Slash == std::string::npos)
      return Lowest;
    Group.resize(Slash);
  }
}

uint64_t groupLimit(const std::string &Groups, const std::string &Root) {
  uint64_t Lowest = UINT64_MAX;
  std::istringstream Lines(Groups);
  // "4:cpu,memory:/group"; the second version's has no controllers.
  for (std::string Line; std::getline(Lines, Line);) {
    const size_t First = Line.find(':');
    const size_t Second =
        First == std::string::npos ? First : Line.find(':', First + 1);
    if (Second == std::string::npos)
      continue;
    const std::string Controllers =
        "," + Line.substr(First + 1, Second - First - 1) + ",";
    const std::string Group = Line.substr(Second + 1);
    if (Controllers == ",,")
      Lowest = std::min(Lowest, lowestLimit(Root, Group, "memory.max"));
    else if (Controllers.find(",memory,") != std::string::npos)
      Lowest = std::min(Lowest, lowestLimit(Root + "/memory", Group,
                                            "memory.limit_in_bytes"));
  }
  return Lowest;
}

uint64_t machineMemory() {
  static const uint64_t All = [] {
    std::ifstream In("/proc/self/cgroup");
    const std::string Groups((std::istreambuf_iterator<char>(In)), {});
    const uint64_t Pages =
        uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
    return std::min(Pages, groupLimit(Groups, "/sys/fs/cgroup"));
  }();
  return All;
}

uint64_t mostOfMachine() { return machineMemory() / 4 * 3; }

/// A fraction of the machine's memory, but enough for ordinary work if that is
/// there.
static uint64_t share(uint64_t Fraction, uint64_t Enough) {
  return std::min(std::max(machineMemory() / Fraction, Enough),
                  mostOfMachine());
}

uint64_t deviceShare() { return share(4, 3 * GiB); }
uint64_t serverShare() { return share(8, 2 * GiB); }
uint64_t contentsShare() { return share(8, GiB); }

} // namespace wavelane::memorylimit
