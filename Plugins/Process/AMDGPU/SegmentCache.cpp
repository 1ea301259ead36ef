//===-- SegmentCache.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SegmentCache.h"
#include "Core/Lane/WindowAddress.h"

#include <algorithm>
#include <cstring>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// 16 words of each of 64 lanes.
static constexpr uint64_t kBlock = 4096;
static constexpr size_t kMaxBlocks = 1024;
/// The maximum number of blocks to read ahead of sequential reads.
static constexpr uint64_t kMaxAhead = 8;
/// An object larger than kMaxRead isn't cached for the first lane that reads
/// it; one larger than kMaxLarge never is.
static constexpr size_t kMaxRead = 256, kMaxLarge = 4096;
/// In private memory, the dwords of all lanes are interleaved.
static constexpr uint64_t kWord = 4;

void SegmentCache::Clear() {
  std::lock_guard<std::mutex> guard(m_mutex);
  Forget();
}

void SegmentCache::Forget() {
  m_blocks.clear();
  m_last.clear();
  m_large.clear();
}

bool SegmentCache::Read(const Version &version, tid_t tid, uint32_t lane,
                        uint32_t lane_count, uint64_t space, uint64_t address,
                        void *buf, size_t size, Reader reader) {
  const bool is_of_lane = space == eSpacePrivateLane;
  if (!is_of_lane && space != eSpaceLocal && space != eSpacePrivateWave)
    return false;
  if (size == 0 || size > (is_of_lane ? kMaxLarge : kMaxRead) ||
      address > UINT32_MAX ||
      (is_of_lane &&
       (lane >= lane_count || (lane_count != 32 && lane_count != 64))))
    return false;
  std::lock_guard<std::mutex> guard(m_mutex);
  if (version != m_version || m_blocks.size() >= kMaxBlocks) {
    m_version = version;
    Forget();
  }
  // If a second lane reads it, the other lanes probably will, too.
  if (size > kMaxRead &&
      m_large.try_emplace({tid, address, size}, lane).first->second == lane)
    return false;
  auto place = [&](uint64_t at) {
    return is_of_lane ? (at / kWord * lane_count + lane) * kWord + at % kWord
                      : at;
  };
  if (is_of_lane)
    space = eSpacePrivateWave;
  Fetch(tid, space, place(address), place(address + size - 1), reader);
  uint8_t *to = static_cast<uint8_t *>(buf);
  for (size_t done = 0; done < size;) {
    const uint64_t at = place(address + done);
    size_t piece = size - done;
    if (is_of_lane)
      piece = std::min<size_t>(piece, kWord - at % kWord);
    piece = std::min<size_t>(piece, kBlock - at % kBlock);
    if (!Copy(tid, space, at, to + done, piece))
      return false;
    done += piece;
  }
  return true;
}

void SegmentCache::Fetch(tid_t tid, uint64_t space, uint64_t first,
                         uint64_t last, Reader reader) {
  uint64_t begin = first / kBlock, end = last / kBlock + 1;
  auto has = [&](uint64_t block) {
    return m_blocks.count({tid, space, block});
  };
  while (begin < end && has(begin))
    ++begin;
  if (begin == end)
    return;
  auto &[next, count] = m_last[{tid, space}];
  if (begin == next)
    end = std::max(end, begin + std::min(2 * count, kMaxAhead));
  std::vector<Block> missing;
  for (uint64_t block = begin; block < end; ++block)
    if (!has(block))
      missing.push_back({block * kBlock, std::vector<uint8_t>(kBlock)});
  next = end;
  count = missing.size();
  reader(space, missing);
  for (Block &block : missing)
    m_blocks.emplace(std::tuple(tid, space, block.address / kBlock),
                     std::move(block.bytes));
}

bool SegmentCache::Copy(tid_t tid, uint64_t space, uint64_t address,
                        uint8_t *to, size_t size) const {
  auto found = m_blocks.find({tid, space, address / kBlock});
  if (found == m_blocks.end() || address % kBlock + size > found->second.size())
    return false;
  memcpy(to, found->second.data() + address % kBlock, size);
  return true;
}
