//===-- Storage.h - what locations are in -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LOCATION_STORAGE_H
#define WAVELANE_LOCATION_STORAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace wavelane::location {

class Location;

struct AddressSpace {
  const char *Name = "";
  /// The size of an address in bits.
  unsigned AddressBits = 64;
  /// The value of the space's null pointer.
  uint64_t Null = 0;
  /// Each lane has its own storage, and a location includes its lane.
  bool IsPerLane = false;
  /// Each thread (wave) has its own storage, and a location includes its
  /// thread.
  bool IsPerThread = false;
};

/// The registers and the memory in which locations are. A Context is one: see
/// there for what fails.
class Storage {
public:
  virtual ~Storage() = default;

  /// \return nullopt for a space that doesn't exist.
  virtual std::optional<AddressSpace> getAddressSpace(uint64_t Number) = 0;
  virtual std::optional<std::string> getRegisterName(uint64_t Number) = 0;

  // Registers of the call frame, by DWARF number. Sizes and offsets are in
  // bytes; all bytes of the array must be read or written, or the call fails.
  virtual llvm::Expected<uint64_t> getRegisterSize(uint64_t Number) = 0;
  virtual llvm::Error readRegister(uint64_t Number, uint64_t Thread,
                                   uint64_t Offset,
                                   llvm::MutableArrayRef<uint8_t> Into) = 0;
  virtual llvm::Error writeRegister(uint64_t Number, uint64_t Thread,
                                    uint64_t Offset,
                                    llvm::ArrayRef<uint8_t> From) = 0;

  // Reads memory of an address space, for the given lane and thread if the
  // space depends on them. All bytes must be read or written, or the call
  // fails.
  virtual llvm::Error readMemory(uint64_t Space, std::optional<uint32_t> Lane,
                                 uint64_t Thread, uint64_t Address,
                                 llvm::MutableArrayRef<uint8_t> Into) = 0;
  virtual llvm::Error writeMemory(uint64_t Space, std::optional<uint32_t> Lane,
                                  uint64_t Thread, uint64_t Address,
                                  llvm::ArrayRef<uint8_t> From) = 0;

  /// A consumer's representation of an implicit pointer: the bits of an address
  /// at which the consumer finds the pointee.
  virtual llvm::Expected<uint64_t> getPointerBits(const Location &Pointer) = 0;
};

} // namespace wavelane::location

#endif
