//===-- Context.h - the context of an evaluation ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The evaluation context of DWARF 6 (issue 241011.1) and A.2.5.1 of LLVM's
// extension. Every item is optional: each function's default is that the item
// is missing, and an operation that needs it fails with an error that names it.
// The debugger, the command-line tool and the tests each implement one.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_LOCATION_CONTEXT_H
#define WAVELANE_LOCATION_CONTEXT_H

#include "Error.h"
#include "Location.h"
#include "Storage.h"
#include "Value.h"

namespace wavelane::location {

class Context;

/// An entry of a location list: for the addresses [Low, High), or a default
/// entry.
struct LocationListEntry {
  bool IsDefault = false;
  uint64_t Low = 0;
  uint64_t High = 0;
  llvm::ArrayRef<uint8_t> Expression;
};

/// How a referenced debugging information entry describes its location: at most
/// one of the first three is set. The data belong to the context.
struct DieLocation {
  std::optional<llvm::ArrayRef<uint8_t>> Expression;
  std::optional<std::vector<LocationListEntry>> List;
  std::optional<llvm::ArrayRef<uint8_t>> ConstValue;
  /// The type of an integer or a pointer.
  std::optional<Type> ValueType;
  /// The context of the entry's own unit; null when it is the same one.
  Context *Unit = nullptr;
};

/// DW_TAG_object_map, evaluated at the program location (issue 230712.4).
struct ObjectMap {
  Location Memory;    ///< The location of the array if no part of it is in
                      ///< registers.
  Location Vector;    ///< The location of the registers that hold a part of it.
  uint64_t First = 0; ///< Index of the first element that Vector holds.
  uint64_t ElementSize = 0;  ///< In bytes.
  uint64_t ElementCount = 0; ///< The number of elements that Vector holds.
  bool IsActive = false;     ///< The program location is in the map's range.
};

struct EvaluationOptions;

/// The facts that an evaluation may ask for. Functions that return an Expected
/// or an Error fail with ErrorKind::MissingContext by default.
class Context : public Storage {
public:
  ~Context() override;

  std::optional<AddressSpace> getAddressSpace(uint64_t Number) override;
  std::optional<std::string> getRegisterName(uint64_t Number) override;
  llvm::Expected<uint64_t> getRegisterSize(uint64_t Number) override;
  llvm::Error readRegister(uint64_t Number, uint64_t Thread, uint64_t Offset,
                           llvm::MutableArrayRef<uint8_t> Into) override;
  llvm::Error writeRegister(uint64_t Number, uint64_t Thread, uint64_t Offset,
                            llvm::ArrayRef<uint8_t> From) override;
  llvm::Error readMemory(uint64_t Space, std::optional<uint32_t> Lane,
                         uint64_t Thread, uint64_t Address,
                         llvm::MutableArrayRef<uint8_t> Into) override;
  llvm::Error writeMemory(uint64_t Space, std::optional<uint32_t> Lane,
                          uint64_t Thread, uint64_t Address,
                          llvm::ArrayRef<uint8_t> From) override;
  llvm::Expected<uint64_t> getPointerBits(const Location &Pointer) override;

  /// The size in bytes of an address in the default space, and of the generic
  /// type.
  virtual unsigned getAddressSize() { return 8; }
  /// How many bytes of a vector register the current code uses, which may be
  /// fewer than it has: x86's xmm, ymm and zmm registers share their numbers.
  virtual llvm::Expected<uint64_t> getUsedRegisterSize(uint64_t Number) {
    return getRegisterSize(Number);
  }
  /// Reads memory at the same address in the lanes from 0 to \a Lanes - 1: the
  /// bytes of lane 0 come first, and each lane has as many.
  virtual llvm::Error readMemoryInLanes(uint64_t Space, uint32_t Lanes,
                                        uint64_t Thread, uint64_t Address,
                                        llvm::MutableArrayRef<uint8_t> Into);

  // The current thread, lane, iteration and program location.
  virtual uint64_t getThread() { return 0; }
  virtual std::optional<uint32_t> getLane() { return std::nullopt; }
  /// The lane-count attribute's value here: 1 without one, 0 if it is invalid.
  virtual uint32_t getLaneCount() { return 1; }
  virtual std::optional<uint32_t> getIteration() { return std::nullopt; }
  virtual uint32_t getIterationCount() { return 1; }
  /// The lane's logical program location, which location lists depend on.
  virtual std::optional<uint64_t> getProgramLocation() { return std::nullopt; }

  // Locations.
  /// The location that DW_AT_frame_base gives; a register means its contents.
  virtual llvm::Expected<Location> getFrameBase();
  virtual llvm::Expected<Location> getCallFrameAddress();
  /// The object of DW_OP_push_object_address.
  virtual llvm::Expected<Location> getObject();
  /// The location of the caller's register \a Number, by call-frame
  /// information.
  virtual llvm::Expected<Location> getEntryRegister(uint64_t Number);
  virtual llvm::Expected<Location> getThreadLocal(uint64_t Offset);
  /// The context of the caller at the call, for DW_OP_entry_value. Owned by
  /// this context.
  virtual llvm::Expected<Context *> getCallerContext();

  // The unit.
  /// The type of the DW_TAG_base_type at \a DieOffset, a byte offset in the
  /// unit.
  virtual llvm::Expected<Type> getBaseType(uint64_t DieOffset);
  /// Entry \a Index of the unit's contribution to .debug_addr: a file address.
  virtual llvm::Expected<uint64_t> getIndexedAddress(uint64_t Index);
  /// The load address of a file address.
  virtual llvm::Expected<uint64_t> getLoadAddress(uint64_t FileAddress) {
    return FileAddress;
  }
  virtual llvm::Expected<DieLocation> getDie(DieReference Die);
  /// \param Options  The options of the evaluation that needs it, whose limits
  /// apply.
  virtual llvm::Expected<ObjectMap>
  getObjectMap(DieReference Die, const EvaluationOptions &Options);

  // Facts that upstream clang's expressions imply: see
  // EvaluationOptions::Upstream.
  /// Whether register \a Number has an element for each lane.
  /// \param[out] ElementSize  Bytes of an element.
  virtual bool isVectorRegister(uint64_t, unsigned &ElementSize) {
    (void)ElementSize;
    return false;
  }
  /// The factor between a frame base register and an address in one lane's
  /// private memory: the lane count if scratch is addressed unswizzled, else 1.
  virtual unsigned getPrivateFrameScale() { return 1; }
};

} // namespace wavelane::location

#endif
