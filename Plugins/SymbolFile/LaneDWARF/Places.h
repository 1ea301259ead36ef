//===-- Places.h - where the bytes of an object are ------------*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_PLACES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_PLACES_H

#include "Lane/FrameFacts.h"
#include "Lane/ProcessLanes.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace lldb_private {
namespace wavelane {

/// One storage and a byte offset in it.
struct Place {
  enum Kind { eMemory, eRegister, eBytes, eUndefined };
  Kind kind = eUndefined;
  /// Memory: the DWARF address space. Register: its DWARF number.
  uint64_t number = 0;
  /// Memory: the address. Else the offset in the register or in \a bytes.
  uint64_t offset = 0;
  /// Memory of lanes: whose.
  uint32_t lane = 0;
  llvm::SmallVector<uint8_t, 16> bytes;

  static Place Memory(uint64_t space, uint64_t address, uint32_t lane) {
    Place place;
    place.kind = eMemory;
    place.number = space;
    place.offset = address;
    place.lane = lane;
    return place;
  }
  static Place Register(uint64_t number, uint64_t offset) {
    Place place;
    place.kind = eRegister;
    place.number = number;
    place.offset = offset;
    return place;
  }
  static Place Bytes(llvm::ArrayRef<uint8_t> bytes) {
    Place place;
    place.kind = eBytes;
    place.bytes.assign(bytes.begin(), bytes.end());
    return place;
  }

  llvm::Error Read(const FrameFacts &facts, uint64_t at,
                   llvm::MutableArrayRef<uint8_t> into) const;
  llvm::Error Write(const FrameFacts &facts, uint64_t at,
                    llvm::ArrayRef<uint8_t> from) const;

  /// "byte 20 of register v0", "private_lane#0x8 of lane 3".
  std::string Describe(const FrameFacts &facts) const;
};

/// A location: one place without end, or parts that follow each other.
struct Places {
  struct Part {
    Place place;
    /// In bytes; ~0 for the only or last one without end.
    uint64_t size = ~uint64_t(0);
  };
  llvm::SmallVector<Part, 1> parts;

  static Places Single(Place place) {
    Places places;
    places.parts.push_back({std::move(place), ~uint64_t(0)});
    return places;
  }
  bool IsSingle() const {
    return parts.size() == 1 && parts[0].size == ~uint64_t(0);
  }
  /// No part has anything to read.
  bool IsUndefined() const;

  llvm::Error Read(const FrameFacts &facts, uint64_t at,
                   llvm::MutableArrayRef<uint8_t> into) const;
  llvm::Error Write(const FrameFacts &facts, uint64_t at,
                    llvm::ArrayRef<uint8_t> from) const;
  /// Moves on by \a bytes; fails where the location has no such byte.
  llvm::Error Advance(const FrameFacts &facts, int64_t bytes);

  std::string Describe(const FrameFacts &facts) const;

private:
  template <typename Access>
  llvm::Error ForEachPart(uint64_t at, uint64_t size, Access access) const;
};

/// A location that LLDB reaches through the window.
class PlacesObject : public WindowObject {
public:
  PlacesObject(const FrameFacts &facts, Places places)
      : m_facts(facts), m_places(std::move(places)) {}
  size_t Read(Process &process, uint64_t offset, void *buf, size_t size,
              Status &error) override;
  size_t Write(Process &process, uint64_t offset, const void *buf, size_t size,
               Status &error) override;

private:
  const FrameFacts m_facts;
  const Places m_places;
};

} // namespace wavelane
} // namespace lldb_private

#endif
