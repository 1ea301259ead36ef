//===-- SegmentMemory.cpp -------------------------------------------------===//

#include "SegmentMemory.h"
#include "wavelane/Server/Packets.h"
#include "GDBRemoteCommunicationClient.h"

#include "lldb/Utility/StringExtractorGDBRemote.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

// The server answers one packet with so many bytes at most.
static constexpr size_t kMaxTransfer = 4096;

std::string SegmentMemory::Place::GetSuffix() const {
  namespace packets = ::wavelane::packets;
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
                   [&](uint64_t space, uint64_t address, void *buf, size_t size) {
                     Status unused;
                     return ReadFromServer({place.tid, /*lane=*/0, space, address},
                                           buf, size, unused);
                   }))
    return size;
  return ReadFromServer(place, buf, size, error);
}

size_t SegmentMemory::ReadFromServer(const Place &place, void *buf, size_t size,
                                     Status &error) {
  size_t done = 0;
  while (done < size) {
    const size_t wanted = std::min(size - done, kMaxTransfer);
    const std::string packet =
        llvm::formatv("m{0:x-},{1:x-}{2}", place.address + done, wanted,
                      place.GetSuffix())
            .str();
    StringExtractorGDBRemote response;
    size_t got = 0;
    if (m_client.SendPacketAndWaitForResponse(packet, response) ==
            GDBRemoteCommunication::PacketResult::Success &&
        response.IsNormalResponse()) {
      const size_t sent = response.GetStringRef().size() / 2;
      got = response.GetHexBytes(
          llvm::MutableArrayRef<uint8_t>(static_cast<uint8_t *>(buf) + done,
                                         wanted),
          '\0');
      got = std::min(got, sent);
    }
    done += got;
    if (got < wanted) {
      error = Status::FromErrorStringWithFormat(
          "no memory at 0x%" PRIx64 " of address space %" PRIu64,
          place.address + done, place.space);
      break;
    }
  }
  return done;
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
