//===-- FileMemory.h - the memory of a program over AMD's runtime *- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What KFD's memory ioctls make: objects in the file that program and device
// share (driver:: in Protocol.h), and where each GPU has them mapped.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_FILEMEMORY_H
#define WAVELANE_SIMULATOR_DEVICE_FILEMEMORY_H

#include "../Common/Agent.h"
#include "Memory.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace wavelane::simulator {

/// Ranges of addresses that are free, first fit.
class FreeRanges {
public:
  FreeRanges(uint64_t Begin, uint64_t End) { Free[Begin] = End - Begin; }
  /// \return 0 if there is no room for \a Size bytes aligned to \a Align.
  uint64_t take(uint64_t Size, uint64_t Align);
  void give(uint64_t Begin, uint64_t Size);

private:
  std::map<uint64_t, uint64_t> Free; ///< by address: size
};

class FileMemory : public DeviceMemory {
public:
  struct Object {
    uint64_t Address = 0; ///< where GPUs have it, once mapped
    uint64_t Size = 0;
    uint32_t Flags = 0;      ///< kfd::AllocFlags
    unsigned Gpu = 0;        ///< whose memory it counts for
    uint64_t FileOffset = 0; ///< 0: Segments are not the device's
    std::vector<driver::Segment> Segments;
    uint64_t MappedOn = 0; ///< bits of GPUs
    uint64_t Import = 0;   ///< the handle of an object that it stands for
    unsigned Users = 1;    ///< itself, and the objects that stand for it
  };

  /// Maps the file, for \a Gpus GPUs. \return false with \a Error set.
  bool map(int Fd, unsigned Gpus, std::string &Error);
  driver::Control &control() const {
    return *reinterpret_cast<driver::Control *>(Base);
  }
  uint8_t *fileBytes(uint64_t Offset) const { return Base + Offset; }
  int file() const { return Fd; }

  isa::MemorySpan resolve(uint64_t Address, isa::Access Kind) override {
    return resolveOn(~uint64_t(0), Address, Kind);
  }
  isa::MemoryAccess &of(unsigned Index) override { return *Views[Index]; }
  void interrupt(uint32_t Event) override;
  uint64_t timestamp() override { return clock(/*RealTime=*/true); }

  // These return 0 or -errno.
  /// \a O has all but its file offset; Segments only if the pages are not the
  /// device's.
  int allocate(Object O, uint64_t &Handle);
  int free(uint64_t Handle);
  int mapOn(uint64_t Handle, unsigned Gpu);
  int unmapFrom(uint64_t Handle, unsigned Gpu);
  /// Another handle and address for what \a Handle is.
  int import(uint64_t Handle, uint64_t Address, uint64_t &NewHandle);

  /// null for an unknown handle.
  const Object *find(uint64_t Handle) const;
  /// The object whose pages in the file have \a Offset; 0 if there is none.
  uint64_t handleAt(uint64_t Offset) const;
  /// Bytes of the GPU's memory that are free.
  uint64_t available(unsigned Gpu) const { return VideoMemory - Used[Gpu]; }

  /// Called before addresses are unmapped.
  std::function<void(uint64_t Begin, uint64_t End)> BeforeUnmap;

private:
  struct Mapping {
    uint64_t Size;
    uint64_t Offset; ///< in the file
    uint64_t Gpus;   ///< bits
    uint8_t Access;  ///< PageAccess
  };
  class View : public isa::MemoryAccess {
  public:
    View(FileMemory &All, unsigned Gpu) : All(All), Mask(uint64_t(1) << Gpu) {}
    isa::MemorySpan resolve(uint64_t Address, isa::Access Kind) override {
      return All.resolveOn(Mask, Address, Kind);
    }

  private:
    FileMemory &All;
    const uint64_t Mask;
  };
  isa::MemorySpan resolveOn(uint64_t Gpus, uint64_t Address, isa::Access Kind);
  bool isFree(uint64_t Address, uint64_t Size) const;
  void release(uint64_t Handle);

  int Fd = -1;
  uint8_t *Base = nullptr;
  std::vector<std::unique_ptr<View>> Views;
  std::map<uint64_t, Object> Objects;    ///< by handle
  std::map<uint64_t, Mapping> Mappings;  ///< by address, not overlapping
  std::map<uint64_t, uint64_t> ByOffset; ///< file offset: handle
  FreeRanges Room{driver::FirstObject, driver::FirstUserPage};
  std::vector<uint64_t> Used; ///< bytes of each GPU's memory
  uint64_t UsedOfSystem = 0, SystemMemory = 0;
  uint64_t NextHandle = 1;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_FILEMEMORY_H
