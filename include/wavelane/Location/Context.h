//===-- Context.h - what an evaluation is told -----------------*- C++ -*-===//
//
// The evaluation context of DWARF 6 (issue 241011.1) and A.2.5.1 of LLVM's extension.
// Every item is optional: the default of each function is to have it not, and an
// operation that needs it fails with an error that names it. A debugger, the
// command-line tool and the tests each fill one.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_LOCATION_CONTEXT_H
#define WAVELANE_LOCATION_CONTEXT_H

#include "wavelane/Location/Error.h"
#include "wavelane/Location/Location.h"
#include "wavelane/Location/Value.h"

namespace wavelane::location {

struct AddressSpace {
  const char *Name = "";
  unsigned AddressBits = 64;
  /// The space's own null pointer.
  uint64_t Null = 0;
  /// Storage is one for each lane; locations remember theirs.
  bool IsPerLane = false;
  bool IsPerThread = false;
};

/// An entry of a location list: [Low, High), or a default entry.
struct LocationListEntry {
  bool IsDefault = false;
  uint64_t Low = 0;
  uint64_t High = 0;
  llvm::ArrayRef<uint8_t> Expression;
};

/// What a referenced entry says of where it is.
struct DieLocation {
  std::optional<llvm::ArrayRef<uint8_t>> Expression;
  std::optional<std::vector<LocationListEntry>> List;
  std::optional<llvm::ArrayRef<uint8_t>> ConstValue;
  /// Of an integer or a pointer.
  std::optional<Type> ValueType;
  /// The context of the entry's own unit; null when it is the same one.
  Context *Unit = nullptr;
};

/// DW_TAG_object_map, evaluated at the program location (issue 230712.4).
struct ObjectMap {
  Location Memory;  ///< Where the array is when no register holds a part of it.
  Location Vector;  ///< The registers.
  uint64_t First = 0; ///< Index of the first element that Vector holds.
  uint64_t ElementSize = 0;
  uint64_t ElementCount = 0;
  bool IsActive = false; ///< The program location is in the map's range.
};

struct EvaluationOptions;

class Context {
public:
  virtual ~Context();

  // Architecture.
  /// Bytes of an address in the default space, and of the generic type.
  virtual unsigned getAddressSize() { return 8; }
  /// \return nullopt for a space that doesn't exist.
  virtual std::optional<AddressSpace> getAddressSpace(uint64_t Number);
  virtual std::optional<std::string> getRegisterName(uint64_t Number);

  // Registers of the call frame, by DWARF number. Sizes and offsets in bytes.
  virtual llvm::Expected<uint64_t> getRegisterSize(uint64_t Number);
  /// The bytes of a vector register that the code here uses, which may be fewer than
  /// it has: x86's xmm, ymm and zmm registers have one number.
  virtual llvm::Expected<uint64_t> getUsedRegisterSize(uint64_t Number) {
    return getRegisterSize(Number);
  }
  virtual llvm::Error readRegister(uint64_t Number, uint64_t Thread,
                                   uint64_t Offset,
                                   llvm::MutableArrayRef<uint8_t> Into);
  virtual llvm::Error writeRegister(uint64_t Number, uint64_t Thread,
                                    uint64_t Offset,
                                    llvm::ArrayRef<uint8_t> From);

  // Memory of an address space, of the lane and thread given if it depends on them.
  virtual llvm::Error readMemory(uint64_t Space, std::optional<uint32_t> Lane,
                                 uint64_t Thread, uint64_t Address,
                                 llvm::MutableArrayRef<uint8_t> Into);
  virtual llvm::Error writeMemory(uint64_t Space, std::optional<uint32_t> Lane,
                                  uint64_t Thread, uint64_t Address,
                                  llvm::ArrayRef<uint8_t> From);

  // Where the program is.
  virtual uint64_t getThread() { return 0; }
  virtual std::optional<uint32_t> getLane() { return std::nullopt; }
  /// Value of the lane-count attribute here; 1 without one, 0 where it is wrong.
  virtual uint32_t getLaneCount() { return 1; }
  virtual std::optional<uint32_t> getIteration() { return std::nullopt; }
  virtual uint32_t getIterationCount() { return 1; }
  /// The logical program location, for location lists.
  virtual std::optional<uint64_t> getProgramLocation() { return std::nullopt; }

  // Locations.
  /// What DW_AT_frame_base gives; a register stands for its contents.
  virtual llvm::Expected<Location> getFrameBase();
  virtual llvm::Expected<Location> getCallFrameAddress();
  virtual llvm::Expected<Location> getObject();
  /// Where register \a Number of the caller is, by call-frame information.
  virtual llvm::Expected<Location> getEntryRegister(uint64_t Number);
  virtual llvm::Expected<Location> getThreadLocal(uint64_t Offset);
  /// The context at the call of this frame's function, for DW_OP_entry_value.
  virtual llvm::Expected<Context *> getCallerContext();

  // The unit.
  virtual llvm::Expected<Type> getBaseType(uint64_t DieOffset);
  /// .debug_addr, before the loader.
  virtual llvm::Expected<uint64_t> getIndexedAddress(uint64_t Index);
  /// Moves an address of the file by the loader's bias.
  virtual llvm::Expected<uint64_t> getLoadAddress(uint64_t FileAddress) {
    return FileAddress;
  }
  virtual llvm::Expected<DieLocation> getDie(DieReference Die);
  /// \param Options  Of the evaluation that needs it, whose limits count.
  virtual llvm::Expected<ObjectMap>
  getObjectMap(DieReference Die, const EvaluationOptions &Options);

  /// The bits that stand for an implicit pointer where a consumer shows it: an
  /// address at which it finds what the pointer points to.
  virtual llvm::Expected<uint64_t> getPointerBits(const Location &Pointer);

  // What upstream clang leaves out: see EvaluationOptions::Upstream.
  /// \a Number is a register with an element of \a ElementSize bytes for each lane.
  virtual bool isVectorRegister(uint64_t, unsigned &ElementSize) {
    (void)ElementSize;
    return false;
  }
  /// What a frame base register of one lane's private memory is multiplied with:
  /// the lane count where scratch is addressed unswizzled, else 1.
  virtual unsigned getPrivateFrameScale() { return 1; }
};

} // namespace wavelane::location

#endif
