//===-- MemoryShare.h - how much memory a process may take ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a damaged file, a hostile program or a mistake makes a process of ours
// take must not stop the machine. These are all limits that depend on it.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_MEMORYLIMIT_MEMORYSHARE_H
#define WAVELANE_MEMORYLIMIT_MEMORYSHARE_H

#include <cstdint>
#include <string>

namespace wavelane::memorylimit {

/// Bytes of memory that this process could have: the machine's, or fewer if its
/// control group, as a container's, has fewer.
uint64_t machineMemory();

/// The limit of a control group and those around it, in bytes (cgroups(7)), of
/// the first and second version; UINT64_MAX without one.
/// \param Groups  The text of /proc/PID/cgroup.
/// \param Root  Where they are mounted: /sys/fs/cgroup.
uint64_t groupLimit(const std::string &Groups, const std::string &Root);

/// The most that any process of ours takes, whoever asks for it: three quarters
/// of the machine.
uint64_t mostOfMachine();

/// What a simulated GPU's process may take: a quarter of the machine, but at
/// least 3 GiB.
uint64_t deviceShare();

/// What lldb-server may take: an eighth of the machine, but at least 2 GiB.
uint64_t serverShare();

/// What the contents of one compressed file may take: an eighth of the machine,
/// but at least 1 GiB.
uint64_t contentsShare();

} // namespace wavelane::memorylimit

#endif // WAVELANE_MEMORYLIMIT_MEMORYSHARE_H
