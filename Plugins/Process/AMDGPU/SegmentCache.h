//===-- SegmentCache.h - local and private memory of a stop ----*- C++ -*-===//
//
// A variable in private memory is read for one lane after the other, and its frame's
// other variables after it: that was a packet each. What lies around is read along, of
// all lanes: the words of a wave's lanes stand side by side in private_wave.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_SEGMENTCACHE_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_SEGMENTCACHE_H

#include "lldb/lldb-types.h"
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
  /// Reads memory of a space, and tells how many bytes there were.
  using Reader = llvm::function_ref<size_t(uint64_t space, uint64_t address,
                                           void *buf, size_t size)>;

  /// \param[in] lane, lane_count  For private_lane.
  /// \return
  ///     False where it isn't for this cache, or where not all bytes could be read:
  ///     whoever asks reads them itself then, and learns why.
  bool Read(const Version &version, lldb::tid_t tid, uint32_t lane,
            uint32_t lane_count, uint64_t space, uint64_t address, void *buf,
            size_t size, Reader reader);

  void Clear();

private:
  /// Copies what lies in one block.
  bool Copy(lldb::tid_t tid, uint64_t space, uint64_t address, uint8_t *to,
            size_t size, Reader reader);

  std::mutex m_mutex;
  Version m_version{};
  /// By wave, space and number of the block. Short where memory ends.
  std::map<std::tuple<lldb::tid_t, uint64_t, uint64_t>, std::vector<uint8_t>>
      m_blocks;
};

} // namespace wavelane
} // namespace lldb_private

#endif
