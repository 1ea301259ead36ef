//===-- SegmentMemory.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SegmentMemory.h"
#include "GDBRemoteCommunicationClient.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "lldb/Utility/StringExtractorGDBRemote.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

// The maximum size of the server's answer to one packet.
static constexpr size_t kMaxTransfer = 4096;

std::string SegmentMemory::Place::GetSuffix() const {
  namespace packets = ::wavelane::server::packets;
  return llvm::formatv(";{0}{1:x-};{2}{3:x-};{4}{5:x-4};",
                       packets::AddressSpaceSuffix, space, packets::LaneSuffix,
                       lane, packets::ThreadSuffix, tid)
      .str();
}

size_t SegmentMemory::Read(const Place &place,
                           std::optional<SegmentCache::Version> version,
                           uint32_t lane_count, void *buf, size_t size,
                           Status &error) {
  error.Clear();
  if (version &&
      m_cache.Read(*version, place.tid, place.lane, lane_count, place.space,
                   place.address, buf, size,
                   [&](uint64_t space,
                       llvm::MutableArrayRef<SegmentCache::Block> blocks) {
                     std::vector<Piece> pieces;
                     for (SegmentCache::Block &block : blocks)
                       pieces.push_back({block.address, block.bytes});
                     ReadPieces(
                         Place{place.tid, /*lane=*/0, space, 0}.GetSuffix(),
                         pieces);
                     for (auto [block, piece] : llvm::zip(blocks, pieces))
                       block.bytes.resize(piece.bytes.size());
                   }))
    return size;
  Status ended;
  const size_t done = ReadFromServer(
      place.GetSuffix(), place.address,
      llvm::MutableArrayRef(static_cast<uint8_t *>(buf), size), &ended);
  if (ended.Fail())
    error = std::move(ended);
  else if (done < size)
    error = Status::FromErrorStringWithFormat(
        "no memory at 0x%" PRIx64 " of address space %" PRIu64,
        place.address + done, place.space);
  return done;
}

size_t SegmentMemory::ReadFromServer(llvm::StringRef suffix, uint64_t address,
                                     llvm::MutableArrayRef<uint8_t> bytes,
                                     Status *ended) {
  size_t done = 0;
  while (done < bytes.size()) {
    const size_t wanted = std::min(bytes.size() - done, kMaxTransfer);
    const std::string packet =
        llvm::formatv("m{0:x-},{1:x-}{2}", address + done, wanted, suffix)
            .str();
    StringExtractorGDBRemote response;
    if (m_client.SendPacketAndWaitForResponse(packet, response) !=
            GDBRemoteCommunication::PacketResult::Success ||
        !response.IsNormalResponse()) {
      if (ended && response.IsErrorResponse() &&
          response.GetError() == ::wavelane::server::packets::DeviceEnded)
        *ended = response.GetStatus();
      break;
    }
    const size_t got =
        std::min(response.GetHexBytes(bytes.slice(done, wanted), '\0'),
                 response.GetStringRef().size() / 2);
    done += got;
    if (got < wanted)
      break;
  }
  return done;
}

void SegmentMemory::ReadPieces(llvm::StringRef suffix,
                               llvm::MutableArrayRef<Piece> pieces) {
  // This fits the packet size that servers announce, even if every byte is
  // escaped.
  constexpr size_t kMaxBytes = 60 << 10, kMaxPieces = 1024;
  while (!pieces.empty()) {
    size_t count = 1, bytes = pieces.front().bytes.size();
    while (count < std::min(pieces.size(), kMaxPieces) &&
           bytes + pieces[count].bytes.size() <= kMaxBytes)
      bytes += pieces[count++].bytes.size();
    llvm::MutableArrayRef<Piece> batch = pieces.take_front(count);
    pieces = pieces.drop_front(count);
    if (count > 1 && m_client.GetMultiMemReadSupported() &&
        ReadInOnePacket(suffix, batch))
      continue;
    for (Piece &piece : batch)
      piece.bytes = piece.bytes.take_front(
          ReadFromServer(suffix, piece.address, piece.bytes));
  }
}

bool SegmentMemory::ReadInOnePacket(llvm::StringRef suffix,
                                    llvm::MutableArrayRef<Piece> pieces) {
  std::string packet = ::wavelane::server::packets::ReadRanges;
  packet += "ranges:";
  for (const Piece &piece : pieces)
    packet +=
        llvm::formatv("{0:x-},{1:x-},", piece.address, piece.bytes.size());
  packet.pop_back();
  packet += suffix.empty() ? ";" : suffix;
  StringExtractorGDBRemote response;
  if (m_client.SendPacketAndWaitForResponse(packet, response) !=
          GDBRemoteCommunication::PacketResult::Success ||
      !response.IsNormalResponse())
    return false;
  auto [sizes_text, data] = response.GetStringRef().split(';');
  llvm::SmallVector<llvm::StringRef> sizes;
  sizes_text.split(sizes, ',');
  if (sizes.size() != pieces.size())
    return false;
  for (auto [text, piece] : llvm::zip(sizes, pieces)) {
    size_t size;
    if (text.getAsInteger(16, size) || size > piece.bytes.size() ||
        size > data.size())
      return false;
    memcpy(piece.bytes.data(), data.data(), size);
    piece.bytes = piece.bytes.take_front(size);
    data = data.drop_front(size);
  }
  return true;
}

size_t SegmentMemory::Write(const Place &place, const void *buf, size_t size,
                            Status &error) {
  error.Clear();
  m_cache.Clear();
  size_t done = 0;
  while (done < size) {
    const size_t wanted = std::min(size - done, kMaxTransfer);
    llvm::ArrayRef<uint8_t> bytes(static_cast<const uint8_t *>(buf) + done,
                                  wanted);
    const std::string packet =
        llvm::formatv("M{0:x-},{1:x-}:{2}{3}", place.address + done, wanted,
                      llvm::toHex(bytes, /*LowerCase=*/true), place.GetSuffix())
            .str();
    StringExtractorGDBRemote response;
    if (m_client.SendPacketAndWaitForResponse(packet, response) !=
            GDBRemoteCommunication::PacketResult::Success ||
        !response.IsOKResponse()) {
      error = Status::FromErrorStringWithFormat(
          "can't write memory at 0x%" PRIx64 " of address space %" PRIu64,
          place.address + done, place.space);
      break;
    }
    done += wanted;
  }
  m_cache.Clear();
  return done;
}
