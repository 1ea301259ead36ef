//===-- FileMemory.h - memory with AMD's runtime ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory objects of KFD's ioctls, in the file that program and device share
// (driver:: in DeviceMessages.h), and the mappings of each GPU.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_FILEMEMORY_H
#define WAVELANE_SIMULATOR_DEVICE_FILEMEMORY_H

#include "DeviceMemory.h"
#include "Simulator/Common/Agent.h"
#include "Simulator/Common/FreeRanges.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace wavelane::simulator {

class FileMemory : public DeviceMemory {
public:
  struct Object {
    uint64_t Address = 0; ///< where GPUs map it, once mapped
    uint64_t Size = 0;
    uint32_t Flags = 0;      ///< kfd::AllocFlags
    unsigned Gpu = 0;        ///< the GPU whose memory it uses
    uint64_t FileOffset = 0; ///< 0 if the device doesn't own the pages, which
                             ///< are in Segments
    std::vector<driver::Segment> Segments;
    uint64_t MappedOn = 0; ///< a bit for each GPU
    uint64_t Import = 0;   ///< the handle of the object that it is an import of
    unsigned Users = 1;    ///< itself, and its imports
    uint64_t Nonce = 0;    ///< of its share handle; 0 if it has none
    uint32_t HsaFlags = 0; ///< those that the runtime knows it by
    bool IsFreed = false;  ///< by the program; others still need it
  };

  /// Maps the file, for \a Gpus GPUs. \return false with \a Error set.
  bool map(int Fd, unsigned Gpus, uint32_t ProgramPid, std::string &Error);
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
  /// AMD's runtime also waits with threads of its own, and by polling.
  check::HostState hostState() override { return check::HostState::MayRun; }

  void forEachRange(
      llvm::function_ref<void(uint64_t Begin, uint64_t End, uint8_t *Host)> Do)
      override {
    for (const auto &[Address, M] : Mappings)
      Do(Address, Address + M.Size, Base + M.Offset);
  }

  // These return 0 or -errno.
  /// \a O has all but its file offset; Segments only if the pages are not the
  /// device's.
  int allocate(Object O, uint64_t &Handle);
  int free(uint64_t Handle);
  int mapOn(uint64_t Handle, unsigned Gpu);
  int unmapFrom(uint64_t Handle, unsigned Gpu);
  /// Gives some GPUs the program's own pages, instead of other such pages
  /// there.
  int mapPages(const driver::SvmMapping &M,
               const std::vector<driver::Segment> &Segments);
  /// Unmaps what was mapped for page faults and the program has unmapped since.
  void dropStalePages();
  /// Creates another handle and address for the object \a Handle.
  int import(uint64_t Handle, uint64_t Address, uint64_t &NewHandle);

  /// Lets others import the object.
  int share(uint64_t Handle, uint32_t HsaFlags, driver::SharedObject &Out);
  /// The object of a share handle; 0 if there is none.
  uint64_t findShared(const driver::ShareHandle &H) const;
  driver::SharedObject describe(uint64_t Handle) const;
  /// An importer of another program needs the object, or no longer does.
  void hold(uint64_t Handle) { ++Objects[Handle].Users; }
  void release(uint64_t Handle);
  /// Maps a part of another file.
  /// \param Offset Set to the offset that it has from now on.
  int mapForeign(int Foreign, const driver::ForeignMemory &Part,
                 uint64_t &Offset);
  int unmapForeign(const driver::ForeignMemory &Part);

  /// Null for an unknown handle.
  const Object *find(uint64_t Handle) const;
  /// Free bytes of the GPU's memory.
  uint64_t available(unsigned Gpu) const { return VideoMemory - Used[Gpu]; }

  /// Called before addresses are unmapped.
  std::function<void(uint64_t Begin, uint64_t End)> BeforeUnmap;
  /// Called when pages are mapped on their first GPU, or unmapped from their
  /// last.
  std::function<void(uint64_t Address, uint64_t Size, bool IsVideo,
                     bool IsMapped)>
      OnMapping = [](uint64_t, uint64_t, bool, bool) {};

private:
  struct Mapping {
    uint64_t Size;
    uint64_t Offset; ///< in the file
    uint64_t Gpus;   ///< a bit for each GPU
    uint8_t Access;  ///< PageAccess
    bool IsSvm = false;
    bool IsRetried = false;          ///< the program doesn't know of it
    uint64_t Writers = ~uint64_t(0); ///< GPUs that may write, if Access has it
  };
  class View : public isa::MemoryAccess {
  public:
    View(FileMemory &All, unsigned Gpu) : All(All), Mask(uint64_t(1) << Gpu) {}
    isa::MemorySpan resolve(uint64_t Address, isa::Access Kind) override {
      return All.resolveOn(Mask, Address, Kind);
    }
    uint64_t epoch() const override { return All.epoch(); }

  private:
    FileMemory &All;
    const uint64_t Mask;
  };
  isa::MemorySpan resolveOn(uint64_t Gpus, uint64_t Address, isa::Access Kind);
  bool isFree(uint64_t Address, uint64_t Size) const;
  static bool isValid(const driver::Segment &S);
  bool isExported(uint64_t Handle) const;
  void releaseLingering();

  int Fd = -1;
  uint8_t *Base = nullptr;
  std::vector<std::unique_ptr<View>> Views;
  std::map<uint64_t, Object> Objects;   ///< by handle
  std::map<uint64_t, Mapping> Mappings; ///< by address, not overlapping
  FreeRanges Room{driver::FirstObject, driver::FirstUserPage};
  FreeRanges ForeignRoom{driver::FileSize,
                         driver::FileSize + driver::ForeignSize};
  std::map<uint64_t, uint64_t> Foreign; ///< sizes by offset
  bool HasRetried = false;              ///< any Mapping::IsRetried
  std::vector<uint64_t> Used;           ///< used bytes of each GPU's memory
  uint64_t UsedOfSystem = 0, SystemMemory = 0;
  std::vector<uint64_t> Lingering; ///< freed, but for descriptors of them
  uint64_t NextHandle = 1;
  uint32_t Pid = 0; ///< the program's
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_FILEMEMORY_H
