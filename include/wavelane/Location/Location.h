//===-- Location.h - where an object is -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A location is storage and a bit offset into it (DWARF 6, issue 230524.1
// "Locations on the Stack"; LLVM's "DWARF Extensions For Heterogeneous
// Debugging", A.2.5.3). Any location can be moved, read and written.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_LOCATION_LOCATION_H
#define WAVELANE_LOCATION_LOCATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace wavelane::location {

class Storage;

/// Offsets and sizes in bits: wider than 64 bits, since a 64-bit space has 2^67
/// bits.
using BitCount = __int128;

/// A reference to a debugging information entry, as an operation encodes it.
struct DieReference {
  /// Whether Offset, in bytes, is from the start of the unit (call2, call4) or
  /// of .debug_info (call_ref, implicit_pointer).
  enum Base : uint8_t { Unit, Section };
  Base From = Unit;
  uint64_t Offset = 0;
};

enum class StorageKind : uint8_t {
  Undefined,
  Memory,          ///< Memory of address space Number.
  Register,        ///< The DWARF register Number.
  Implicit,        ///< Bytes that aren't stored anywhere.
  ImplicitPointer, ///< A pointer that the optimizer has removed.
  Composite,       ///< Parts of other locations.
  Multi,           ///< Several places that hold the same object.
};

struct CompositeStorage;

/// A value type that is cheap to copy. Only long implicit values, composites
/// and multi-locations use the heap; their storage is shared and immutable.
class Location {
public:
  /// Implicit values of up to this many bytes are stored inline.
  static constexpr size_t InlineBytes = 16;
  /// The limit of composites in composites, deeper than any producer nests
  /// them.
  static constexpr unsigned MaxNesting = 64;

  StorageKind Kind = StorageKind::Undefined;
  /// A composite to which pieces may be added: an incomplete composite,
  /// A.2.5.4.4.6.
  bool IsOpen = false;
  /// Register: if not 0, the storage is a single element of this many bytes;
  /// the other elements belong to other lanes.
  uint8_t ElementBytes = 0;

private:
  DieReference::Base PointeeFrom = DieReference::Unit;
  uint32_t ImplicitSize = 0;

public:
  /// Memory: its address space. Register: its number.
  uint64_t Number = 0;
  /// In bits, from the storage's first bit. Memory: 8 * address + bit.
  BitCount Offset = 0;
  /// The lane and thread when the location was formed, if each has storage of
  /// its own.
  std::optional<uint32_t> Lane;
  uint64_t Thread = 0;

  static Location undefined() { return Location(); }
  static Location memory(uint64_t Space, uint64_t Address);
  static Location reg(uint64_t Number);
  static Location implicit(llvm::ArrayRef<uint8_t> Bytes);
  static Location implicitPointer(DieReference Die, int64_t Displacement,
                                  uint64_t Space, unsigned PointerSize);
  static Location composite(std::shared_ptr<const CompositeStorage> Parts);
  /// A multi-location among \a Places is replaced by its places.
  static Location multi(std::vector<Location> Places);

  /// The bytes of implicit storage, owned by this location.
  llvm::ArrayRef<uint8_t> getBytes() const;
  /// The parts or places, null for other kinds. It lives as long as this
  /// location or a copy of it.
  const CompositeStorage *getComposite() const {
    return Kind == StorageKind::Composite || Kind == StorageKind::Multi
               ? static_cast<const CompositeStorage *>(Shared.get())
               : nullptr;
  }
  /// Makes an undefined location an implicit value: the \a Size lowest bytes of
  /// \a V, at most 8.
  void makeImplicit(uint64_t V, unsigned Size);
  /// Moves the parts or places out of this location, which becomes undefined.
  std::shared_ptr<const CompositeStorage> takeComposite();

  // The entry that an implicit pointer refers to.
  DieReference getPointee() const { return {PointeeFrom, Words[0]}; }
  int64_t getDisplacement() const { return int64_t(Words[1]); }

  /// The size of the whole storage in bits; nullopt if it is unbounded.
  llvm::Expected<std::optional<BitCount>> getStorageSize(Storage &C) const;

  /// Moves by \a Bits. Fails if the new offset isn't in the storage (one past
  /// the end isn't); an undefined location accepts any offset.
  llvm::Error move(Storage &C, BitCount Bits);

  /// Reads \a Bits bits, the first one into the lowest bit of \a Into[0];
  /// unused high bits are cleared.
  /// \param[out] UndefinedMask If given, undefined bits are not an error: they
  ///     read as zero, and are set in this mask.
  llvm::Error read(Storage &C, BitCount Bits,
                   llvm::MutableArrayRef<uint8_t> Into,
                   llvm::MutableArrayRef<uint8_t> UndefinedMask = {}) const;

  /// Writes \a Bits bits to every place that holds them. If a kind of storage
  /// can't be written, it fails before writing anything; if the context refuses
  /// a write, earlier parts stay written.
  llvm::Error write(Storage &C, BitCount Bits,
                    llvm::ArrayRef<uint8_t> From) const;

  /// "register 2560 at byte 68", "memory private_lane:0x50 (lane 7)".
  /// \param MaxParts  The maximum number of parts of composites; the rest is
  /// left out.
  std::string describe(Storage *C = nullptr, unsigned MaxParts = 80) const;

  /// The depth of nested composites; 0 if there is none.
  unsigned getNesting() const;
  /// The number of parts of a composite or places of a multi-location; 1 for
  /// other kinds.
  uint64_t countParts() const;

private:
  struct Access;
  llvm::Error access(Access &A, BitCount Bits, BitCount At) const;
  llvm::Error accessStorage(Access &A, BitCount Bits, BitCount At) const;
  llvm::Error accessParts(Access &A, BitCount Bits, BitCount At) const;
  llvm::Error accessPlaces(Access &A, BitCount Bits, BitCount At) const;
  llvm::Error checkWritable(Access &A, BitCount Bits) const;
  void print(llvm::raw_ostream &OS, Storage *C, unsigned &Left) const;

  /// A short implicit value, or an implicit pointer's offset and displacement.
  std::array<uint64_t, InlineBytes / 8> Words = {};
  /// CompositeStorage, or a std::vector of a long implicit value's bytes.
  std::shared_ptr<const void> Shared;
};

/// Consecutive parts of a composite, or (Multi) places of the same object.
struct CompositeStorage {
  struct Part {
    BitCount Begin = 0;
    BitCount End = 0; ///< Exclusive; Unbounded for a last part without an end.
    Location Place;   ///< The location of bit Begin.
  };
  static constexpr BitCount Unbounded = BitCount(1) << 100;
  llvm::SmallVector<Part, 2> Parts;
  /// One more than the deepest part.
  unsigned Nesting = 1;

  void add(BitCount Begin, BitCount End, Location Place);
  /// Appends the next \a Size bits of \a From, part by part.
  void addSlice(const Location &From, BitCount Size);
  /// In bits; 0 for an empty composite.
  BitCount getSize() const { return Parts.empty() ? 0 : Parts.back().End; }
};

} // namespace wavelane::location

#endif
