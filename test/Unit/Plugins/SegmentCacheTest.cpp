//===-- SegmentCacheTest.cpp - a stop's local and private memory ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process/AMDGPU/SegmentCache.h"
#include "Core/Lane/WindowAddress.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace lldb_private::wavelane;

namespace {

constexpr uint64_t kSize = 0x2000; // the segment's existing size

/// The byte at an address of private_wave or local.
uint8_t ByteAt(uint64_t address) {
  return uint8_t(address * 7 + (address >> 8));
}

class SegmentCacheTest : public testing::Test {
protected:
  bool Read(uint32_t lane, uint64_t space, uint64_t address, size_t size,
            uint32_t lane_count = 64, lldb::tid_t tid = 1) {
    m_got.assign(size, 0);
    return m_cache.Read(
        m_version, tid, lane, lane_count, space, address, m_got.data(), size,
        [&](uint64_t space, llvm::MutableArrayRef<SegmentCache::Block> blocks) {
          EXPECT_NE(space, uint64_t(eSpacePrivateLane));
          ++m_reads;
          m_blocks += blocks.size();
          for (SegmentCache::Block &block : blocks) {
            block.bytes.resize(std::min<uint64_t>(
                block.bytes.size(), m_end - std::min(m_end, block.address)));
            for (size_t i = 0; i < block.bytes.size(); ++i)
              block.bytes[i] = ByteAt(block.address + i) + m_change;
          }
        });
  }
  /// The bytes of a lane, whose words are interleaved with those of other
  /// lanes.
  std::vector<uint8_t> OfLane(uint32_t lane, uint64_t address, size_t size,
                              uint32_t lane_count = 64) {
    std::vector<uint8_t> result;
    for (uint64_t at = address; at < address + size; ++at)
      result.push_back(ByteAt(at / 4 * lane_count * 4 + lane * 4 + at % 4));
    return result;
  }

  SegmentCache m_cache;
  SegmentCache::Version m_version{1, 1, 1};
  std::vector<uint8_t> m_got;
  unsigned m_reads = 0, m_blocks = 0;
  uint64_t m_end = kSize;
  uint8_t m_change = 0;
};

TEST_F(SegmentCacheTest, LanesAndVariablesShareAReading) {
  for (uint32_t lane = 0; lane < 64; ++lane)
    for (uint64_t address : {0, 4, 7, 30, 52}) {
      ASSERT_TRUE(Read(lane, eSpacePrivateLane, address, 12));
      EXPECT_EQ(m_got, OfLane(lane, address, 12)) << lane << " " << address;
    }
  EXPECT_EQ(m_reads, 1u);
  ASSERT_TRUE(Read(63, eSpacePrivateLane, 62, 4)); // across a block's end
  EXPECT_EQ(m_got, OfLane(63, 62, 4));
  EXPECT_EQ(m_reads, 2u);
  ASSERT_TRUE(Read(0, eSpacePrivateWave, 8, 4));
  EXPECT_EQ(m_got[1], ByteAt(9));
  EXPECT_EQ(m_reads, 2u);
}

TEST_F(SegmentCacheTest, ALargeObjectIsReadAtOnceForAllLanes) {
  m_end = 1 << 20;
  // The first lane may be the only one to read it.
  EXPECT_FALSE(Read(5, eSpacePrivateLane, 40, 1000));
  EXPECT_FALSE(Read(5, eSpacePrivateLane, 40, 1000));
  EXPECT_EQ(m_reads, 0u);
  for (uint32_t lane : {0, 63, 5}) {
    ASSERT_EQ(Read(lane, eSpacePrivateLane, 40, 1000), lane != 5);
    if (lane != 5)
      EXPECT_EQ(m_got, OfLane(lane, 40, 1000));
  }
  EXPECT_EQ(m_reads, 1u);
  EXPECT_EQ(m_blocks, 17u);
  EXPECT_FALSE(Read(6, eSpacePrivateLane, 0, 4097));
  EXPECT_FALSE(Read(7, eSpacePrivateLane, 0, 4097));
  EXPECT_FALSE(Read(6, eSpaceLocal, 0, 257));
  EXPECT_FALSE(Read(7, eSpaceLocal, 0, 257));
}

TEST_F(SegmentCacheTest, WhatIsReadOnAndOnIsReadAhead) {
  m_end = 1 << 20;
  for (uint64_t address = 0; address < 2048; address += 4) {
    ASSERT_TRUE(Read(9, eSpacePrivateLane, address, 4));
    EXPECT_EQ(m_got, OfLane(9, address, 4));
  }
  // 1, 2, 4, 8, 8, 8 and 8 blocks.
  EXPECT_EQ(m_reads, 7u);
  EXPECT_LE(m_blocks, 39u);
  m_reads = m_blocks = 0;
  for (uint64_t address : {8000, 4000, 6000})
    ASSERT_TRUE(Read(9, eSpacePrivateLane, address, 4));
  EXPECT_EQ(m_reads, 3u);
  EXPECT_EQ(m_blocks, 3u);
}

TEST_F(SegmentCacheTest, WavesOf32Lanes) {
  ASSERT_TRUE(Read(31, eSpacePrivateLane, 100, 8, 32));
  EXPECT_EQ(m_got, OfLane(31, 100, 8, 32));
  EXPECT_FALSE(Read(32, eSpacePrivateLane, 0, 4, 32));
}

TEST_F(SegmentCacheTest, OtherWavesAndSpacesAreOthers) {
  ASSERT_TRUE(Read(0, eSpaceLocal, 4, 4));
  ASSERT_TRUE(Read(0, eSpacePrivateWave, 4, 4));
  ASSERT_TRUE(Read(0, eSpaceLocal, 4, 4, 64, /*tid=*/2));
  EXPECT_EQ(m_reads, 3u);
}

TEST_F(SegmentCacheTest, NothingIsKeptWhenTheVersionChanges) {
  for (size_t part = 0; part < m_version.size(); ++part) {
    ASSERT_TRUE(Read(3, eSpacePrivateLane, 4, 1));
    ++m_version[part];
    ++m_change;
    ASSERT_TRUE(Read(3, eSpacePrivateLane, 4, 1));
    EXPECT_EQ(m_got[0], uint8_t(OfLane(3, 4, 1)[0] + m_change));
  }
  ++m_change;
  m_cache.Clear();
  ASSERT_TRUE(Read(3, eSpacePrivateLane, 4, 1));
  EXPECT_EQ(m_got[0], uint8_t(OfLane(3, 4, 1)[0] + m_change));
}

TEST_F(SegmentCacheTest, WhatIsNotThereIsLeftToOthers) {
  EXPECT_TRUE(Read(63, eSpacePrivateLane, kSize / 64 - 4, 4));
  EXPECT_FALSE(Read(0, eSpacePrivateLane, kSize / 64, 4));
  EXPECT_FALSE(Read(63, eSpacePrivateLane, kSize / 64 - 4, 8));
  EXPECT_TRUE(Read(0, eSpaceLocal, kSize - 4, 4));
  EXPECT_FALSE(Read(0, eSpaceLocal, kSize - 4, 5));
  const unsigned reads = m_reads;
  EXPECT_FALSE(Read(0, eSpaceLocal, kSize + 4, 4));
  EXPECT_EQ(m_reads, reads);
  EXPECT_FALSE(Read(0, eSpaceGlobal, 0, 4));
  EXPECT_FALSE(Read(0, eSpaceGeneric, 0, 4));
  EXPECT_FALSE(Read(64, eSpacePrivateLane, 0, 4));
  EXPECT_FALSE(Read(0, eSpacePrivateLane, 0, 4, /*lane_count=*/0));
  EXPECT_FALSE(Read(0, eSpaceLocal, uint64_t(1) << 33, 4));
}

} // namespace
