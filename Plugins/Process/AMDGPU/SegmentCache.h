//===-- SegmentCache.h - local and private memory of a stop -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB reads a variable in private memory for one lane after the other, and
// then the frame's other variables, each with a packet of its own. The cache
// reads neighboring memory for all lanes at once: the words of a wave's lanes
// are side by side in private_wave. It also reads large objects, and memory
// that is read in sequence, at once.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_SEGMENTCACHE_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_SEGMENTCACHE_H

#include "lldb/lldb-types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Thread-safe.
class SegmentCache {
public:
  /// The version of the contents: another version invalidates them.
  using Version = std::array<uint32_t, 3>;
  /// A block of a space's memory.
  struct Block {
    uint64_t address = 0;
    std::vector<uint8_t> bytes;
  };
  /// Fills blocks, and shortens those with fewer bytes.
  using Reader = llvm::function_ref<void(uint64_t space,
                                         llvm::MutableArrayRef<Block> blocks)>;

  /// \param[in] lane, lane_count  For private_lane.
  /// \return False if the memory isn't for this cache, or not all bytes could
  /// be
  ///     read: then the caller reads them itself, and gets the error.
  bool Read(const Version &version, lldb::tid_t tid, uint32_t lane,
            uint32_t lane_count, uint64_t space, uint64_t address, void *buf,
            size_t size, Reader reader);

  void Clear();

private:
  /// Reads the missing bytes between \a first and \a last.
  void Fetch(lldb::tid_t tid, uint64_t space, uint64_t first, uint64_t last,
             Reader reader);
  /// Copies bytes of one block.
  bool Copy(lldb::tid_t tid, uint64_t space, uint64_t address, uint8_t *to,
            size_t size) const;
  void Forget();

  std::mutex m_mutex;
  Version m_version{};
  /// By wave, space and block number. Short at the end of memory.
  std::map<std::tuple<lldb::tid_t, uint64_t, uint64_t>, std::vector<uint8_t>>
      m_blocks;
  /// By wave and space: the block after the last read, and the number of blocks
  /// read.
  std::map<std::pair<lldb::tid_t, uint64_t>, std::pair<uint64_t, uint64_t>>
      m_last;
  /// By wave, address and size: the lane that has read a large object.
  std::map<std::tuple<lldb::tid_t, uint64_t, size_t>, uint32_t> m_large;
};

} // namespace wavelane
} // namespace lldb_private

#endif
