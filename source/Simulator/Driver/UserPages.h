//===-- UserPages.h - pages of the program that GPUs access -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU can access the program's own memory (its heap, stack or data) after its
// pages have been replaced by pages of the shared file: their contents are
// copied to the file, which is mapped in their place.
//
// The program may unmap, move, discard or replace such pages at any time, also
// by system calls that nobody sees: what its mappings are is read again when it
// matters, and a place in the file is free only if no GPU and no mapping has
// it.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_USERPAGES_H
#define WAVELANE_SIMULATOR_DRIVER_USERPAGES_H

#include "MemoryMap.h"
#include "Simulator/Common/FreeRanges.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <sys/types.h>
#include <vector>

namespace wavelane::driver {

using simulator::driver::Segment;

class UserPages {
public:
  /// Maps a part of another file for the device, or with descriptor -1 unmaps
  /// it. \return 0 or -errno.
  using Foreign =
      std::function<int(simulator::driver::ForeignMemory &, int Fd)>;
  UserPages(int File, ino_t Number, Foreign MapForeign)
      : File(File), Number(Number), MapForeign(std::move(MapForeign)) {}

  /// What pages are shared for: memory objects are counted, an SVM range isn't.
  enum class For { Object, Svm };
  /// Replaces the pages [Address, Address + Size) by the file's. May be called
  /// again for the same pages; each call for an object needs a release().
  /// \param Out Where the pages are in the file.
  /// \return 0 or -errno.
  int share(uint64_t Address, uint64_t Size, std::vector<Segment> &Out,
            For Purpose = For::Object);
  /// A memory object with pages at \a Address is gone.
  /// \param Segments What share() gave for them: the program may have other
  ///     pages there meanwhile.
  /// \param Keep The pages are about to be unmapped, so don't restore the
  ///     program's own.
  void release(uint64_t Address, const std::vector<Segment> &Segments,
               bool Keep);
  /// No GPU has an SVM range with these pages any more.
  void releaseSvm(uint64_t Address, uint64_t Size, bool Keep);
  /// Gives the program pages of its own there, which it is about to move or to
  /// discard. What GPUs still use keeps its place in the file.
  void detach(uint64_t Address, uint64_t Size);
  /// mremap(2) of the program's own pages, which a mapping of their own may
  /// have after detach(): the kernel moves one mapping alone.
  /// \return The new address; MAP_FAILED if it isn't the program's memory.
  static void *moveByCopy(uint64_t Address, uint64_t Size, uint64_t NewSize,
                          void *Place);
  /// GPUs have the present pages of an SVM range [Begin, End), or none: places
  /// of earlier ones are free.
  void remapped(uint64_t Begin, uint64_t End);
  /// The program has unmapped something.
  void unmapped();
  /// Whether the program has memory at all of these addresses.
  bool isMapped(uint64_t Begin, uint64_t End) const;
  /// Whether the page at \a Address is memory of the device, rather than the
  /// program's own.
  bool isDevices(uint64_t Address) const;
  /// The mapping of the program with \a Address; an empty one if there is none.
  static Area areaAt(uint64_t Address);
  /// PROT_* of the page at \a Address; 0 if it isn't mapped.
  int protection(uint64_t Address) const;
  // Around fork(2): in a child, the pages are its own, like all its memory.
  // The forking thread's stack can't be shared by both meanwhile.
  void beforeFork();
  void afterForkInParent();
  void afterForkInChild();

private:
  struct Range {
    uint64_t End;
    uint64_t Offset;    ///< in the file
    unsigned Users = 0; ///< objects
    bool IsSvm = false; ///< belongs to an SVM range
    enum {
      Devices, ///< memory of the device, which it places
      Ours,    ///< this class chose its place in the file
      Foreign, ///< memory that the program shares through another file
    } Kind = Devices;
    // Foreign memory: where the program has it from.
    ino_t Inode = 0;
    dev_t Device = 0;
    uint64_t ForeignOffset = 0;
    bool isUsed() const { return Users || IsSvm; }
  };
  using RangeMap = std::map<uint64_t, Range>; ///< by address, not overlapping
  /// Whether it is a part of the file.
  bool isFile(const Area &A) const { return A.IsShared && A.Inode == Number; }
  /// Splits the range that contains \a Address.
  void splitAt(uint64_t Address);
  /// Splits the ranges of [Begin, End) where the program's mappings begin and
  /// end: the program has all pages of a range, or none.
  void splitAlong(const std::vector<Area> &Areas, uint64_t Begin, uint64_t End);
  int shareFresh(uint64_t Begin, uint64_t End, const std::vector<Area> &Areas);
  /// Moves the program's pages [Begin, End) of \a A to a free place.
  int shareOwn(const Area &A, uint64_t Begin, uint64_t End);
  int shareFile(const Area &A, uint64_t Begin, Range &R) const;
  int moveIn(const Area &A, uint64_t Begin, uint64_t End, uint64_t Offset);
  bool moveOut(uint64_t Begin, uint64_t End, uint64_t Offset,
               int Protection) const;
  /// Nobody uses the range any more: gives the program pages of its own, unless
  /// it has others there already, or is about to unmap them (\a Keep).
  RangeMap::iterator finish(RangeMap::iterator It,
                            const std::vector<Area> &Areas, bool Keep);
  static Range cut(uint64_t Begin, Range &R, uint64_t Address);
  void splitLeftAt(uint64_t Address);
  uint64_t adopt(uint64_t At, uint64_t End, uint64_t Offset);
  void giveUp(uint64_t Begin, const Range &R);
  void giveOffset(uint64_t Offset, uint64_t Size);
  /// The mapping with all pages of \a R, which splitAlong() has seen; null if
  /// the program no longer has them there.
  const Area *areaOf(const std::vector<Area> &Areas, uint64_t Begin,
                     const Range &R) const;
  /// The program no longer has these pages at their address.
  RangeMap::iterator leave(RangeMap::iterator It);
  /// Frees the places that nobody uses.
  void freeLeft();

  const int File;
  const ino_t Number; ///< the file's
  const Foreign MapForeign;
  std::mutex Lock;
  RangeMap Ranges;
  /// Pages that the program no longer has at their address, but perhaps
  /// elsewhere, or that GPUs still use; by address, perhaps overlapping.
  std::multimap<uint64_t, Range> Left;
  std::atomic<bool> HasLeft = false;
  std::vector<Area> StackAreas;     ///< which are private during fork(2)
  uint32_t *ChildIsReady = nullptr; ///< a futex that parent and child share
  simulator::FreeRanges Free = {simulator::driver::FirstUserPage,
                                simulator::driver::FileSize}; ///< offsets
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_USERPAGES_H
