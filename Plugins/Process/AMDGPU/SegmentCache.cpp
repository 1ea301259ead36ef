//===-- SegmentCache.cpp --------------------------------------------------===//

#include "SegmentCache.h"
#include "Lane/WindowAddress.h"

#include <algorithm>
#include <cstring>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// What one packet brings: 16 words of each of 64 lanes.
static constexpr uint64_t kBlock = 4096;
static constexpr size_t kMaxBlocks = 1024;
/// More than this of one object is better read by itself.
static constexpr size_t kMaxRead = 256;
/// Of private memory, by which lanes take turns.
static constexpr uint64_t kWord = 4;

void SegmentCache::Clear() {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_blocks.clear();
}

bool SegmentCache::Read(const Version &version, tid_t tid, uint32_t lane,
                        uint32_t lane_count, uint64_t space, uint64_t address,
                        void *buf, size_t size, Reader reader) {
  const bool is_of_lane = space == eSpacePrivateLane;
  if (!is_of_lane && space != eSpaceLocal && space != eSpacePrivateWave)
    return false;
  if (size > kMaxRead || address > UINT32_MAX ||
      (is_of_lane && (lane >= lane_count || (lane_count != 32 && lane_count != 64))))
    return false;
  std::lock_guard<std::mutex> guard(m_mutex);
  if (version != m_version) {
    m_version = version;
    m_blocks.clear();
  }
  uint8_t *to = static_cast<uint8_t *>(buf);
  for (size_t done = 0; done < size;) {
    uint64_t at = address + done;
    size_t piece = size - done;
    if (is_of_lane) {
      piece = std::min<size_t>(piece, kWord - at % kWord);
      at = (at / kWord * lane_count + lane) * kWord + at % kWord;
    }
    piece = std::min<size_t>(piece, kBlock - at % kBlock);
    if (!Copy(tid, is_of_lane ? uint64_t(eSpacePrivateWave) : space, at, to + done, piece,
              reader))
      return false;
    done += piece;
  }
  return true;
}

bool SegmentCache::Copy(tid_t tid, uint64_t space, uint64_t address,
                        uint8_t *to, size_t size, Reader reader) {
  const std::tuple key(tid, space, address / kBlock);
  auto found = m_blocks.find(key);
  if (found == m_blocks.end()) {
    if (m_blocks.size() >= kMaxBlocks)
      m_blocks.clear();
    std::vector<uint8_t> bytes(kBlock);
    bytes.resize(std::min(bytes.size(), reader(space, address / kBlock * kBlock,
                                               bytes.data(), bytes.size())));
    found = m_blocks.emplace(key, std::move(bytes)).first;
  }
  const std::vector<uint8_t> &block = found->second;
  if (address % kBlock + size > block.size())
    return false;
  memcpy(to, block.data() + address % kBlock, size);
  return true;
}
