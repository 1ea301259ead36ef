//===-- SegmentMemory.h - local and private memory --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_SEGMENTMEMORY_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_SEGMENTMEMORY_H

#include "SegmentCache.h"
#include "lldb/Utility/Status.h"

#include <optional>
#include <string>

namespace lldb_private {
namespace process_gdb_remote {
class GDBRemoteCommunicationClient;
}

namespace wavelane {

/// Memory of address spaces, read from the server.
class SegmentMemory {
public:
  explicit SegmentMemory(
      process_gdb_remote::GDBRemoteCommunicationClient &client)
      : m_client(client) {}

  /// An address in a space, for a wave and lane.
  struct Place {
    lldb::tid_t tid;
    uint32_t lane;
    uint64_t space;
    uint64_t address;
    /// The suffix of packets that access this memory.
    std::string GetSuffix() const;
  };

  /// \param[in] version The version of the memory's contents; nullopt while
  /// they
  ///     may change.
  /// \param[in] lane_count Lanes of the wave, for private_lane.
  /// \return Bytes read; fewer than \a size only with \a error set.
  size_t Read(const Place &place, std::optional<SegmentCache::Version> version,
              uint32_t lane_count, void *buf, size_t size, Status &error);
  /// A range of memory; reading it shortens it to the bytes that exist.
  struct Piece {
    uint64_t address;
    llvm::MutableArrayRef<uint8_t> bytes;
  };
  /// Reads all pieces with as few packets as possible.
  /// \param[in] suffix The suffix of packets that access the memory; empty for
  /// the
  ///     program's own.
  void ReadPieces(llvm::StringRef suffix, llvm::MutableArrayRef<Piece> pieces);
  size_t Write(const Place &place, const void *buf, size_t size, Status &error);
  /// Call this when memory may have changed.
  void Clear() { m_cache.Clear(); }

private:
  /// \param[out] ended The error if the device has ended.
  /// \return The number of bytes read.
  size_t ReadFromServer(llvm::StringRef suffix, uint64_t address,
                        llvm::MutableArrayRef<uint8_t> bytes,
                        Status *ended = nullptr);
  bool ReadInOnePacket(llvm::StringRef suffix,
                       llvm::MutableArrayRef<Piece> pieces);

  process_gdb_remote::GDBRemoteCommunicationClient &m_client;
  SegmentCache m_cache;
};

} // namespace wavelane
} // namespace lldb_private

#endif
