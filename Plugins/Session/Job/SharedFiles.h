//===-- SharedFiles.h - memory that ranks have in common --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_SHAREDFILES_H
#define WAVELANE_SESSION_JOB_SHAREDFILES_H

#include "Rank.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Which memory of the ranks is a file that others on the same machine have as
/// well: shared windows of MPI, /dev/shm, memory of a GPU that is passed on
/// (IPC). Asks each rank's server once.
class SharedFiles {
public:
  explicit SharedFiles(llvm::ArrayRef<std::shared_ptr<Rank>> ranks);

  struct Place {
    /// Its name, "/dev/shm/flags".
    std::string file;
    uint64_t offset = 0;
    /// The other ranks that have this part of it, sorted.
    std::vector<uint32_t> others;
  };
  /// \return nullopt unless the rank's memory at the address is such a file.
  std::optional<Place> Find(uint32_t rank, lldb::addr_t address) const;

private:
  struct Part {
    uint64_t begin, end, offset;
    /// The machine and the file.
    std::string identity;
    std::string file;
  };
  std::map<uint32_t, std::vector<Part>> m_parts;
};

} // namespace wavelane
} // namespace lldb_private

#endif
