//===-- SegmentCache.h - local and private memory of a stop -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable in private memory is read for one lane after the other, and its
// frame's other variables after it: that was a packet each. What lies around is
// read along, of all lanes: the words of a wave's lanes stand side by side in
// private_wave. What a large object or one that is read on and on takes is
// asked for at once.
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

/// Safe to use from several threads.
class SegmentCache {
public:
  /// What the contents belong to: with another one nothing of them counts.
  using Version = std::array<uint32_t, 3>;
  /// Memory of a space.
  struct Block {
    uint64_t address = 0;
    std::vector<uint8_t> bytes;
  };
  /// Fills blocks, and cuts those that have fewer bytes.
  using Reader = llvm::function_ref<void(uint64_t space,
                                         llvm::MutableArrayRef<Block> blocks)>;

  /// \param[in] lane, lane_count  For private_lane.
  /// \return False where it isn't for this cache, or where not all bytes could
  ///     be read: whoever asks reads them itself then, and learns why.
  bool Read(const Version &version, lldb::tid_t tid, uint32_t lane,
            uint32_t lane_count, uint64_t space, uint64_t address, void *buf,
            size_t size, Reader reader);

  void Clear();

private:
  /// Reads what isn't here yet of the bytes from \a first to \a last.
  void Fetch(lldb::tid_t tid, uint64_t space, uint64_t first, uint64_t last,
             Reader reader);
  /// Copies what lies in one block.
  bool Copy(lldb::tid_t tid, uint64_t space, uint64_t address, uint8_t *to,
            size_t size) const;
  void Forget();

  std::mutex m_mutex;
  Version m_version{};
  /// By wave, space and number of the block. Short where memory ends.
  std::map<std::tuple<lldb::tid_t, uint64_t, uint64_t>, std::vector<uint8_t>>
      m_blocks;
  /// By wave and space: the block behind those that were read last, and how
  /// many these were.
  std::map<std::pair<lldb::tid_t, uint64_t>, std::pair<uint64_t, uint64_t>>
      m_last;
  /// By wave, address and size: the lane that has read a large object by
  /// itself.
  std::map<std::tuple<lldb::tid_t, uint64_t, size_t>, uint32_t> m_large;
};

} // namespace wavelane
} // namespace lldb_private

#endif
