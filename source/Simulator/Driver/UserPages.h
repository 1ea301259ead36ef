//===-- UserPages.h - pages of the program that GPUs access -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU can access the program's own memory (its heap, stack or data) after its
// pages have been replaced by pages of the shared file: their contents are
// copied to the file, which is mapped in their place.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_USERPAGES_H
#define WAVELANE_SIMULATOR_DRIVER_USERPAGES_H

#include "MemoryMap.h"
#include "Simulator/Common/FreeRanges.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"

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
  /// \return 0 or -errno.
  int share(uint64_t Address, uint64_t Size, std::vector<Segment> &Out,
            For Purpose = For::Object);
  /// \param Keep The pages are about to be unmapped, so don't restore the
  ///     program's own.
  void release(uint64_t Address, uint64_t Size, bool Keep,
               For Purpose = For::Object);
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
    uint64_t Offset; ///< in the file
    unsigned Users;  ///< objects
    bool IsOurs;     ///< whether this class chose its place in the file
    int Protection;
    bool IsSvm = false;     ///< belongs to an SVM range
    bool IsForeign = false; ///< memory that the program shares through a file
    bool isUsed() const { return Users || IsSvm; }
  };
  /// Whether it is a part of the file.
  bool isFile(const Area &A) const { return A.IsShared && A.Inode == Number; }
  /// Splits the range that contains \a Address.
  void splitAt(uint64_t Address);
  int shareFresh(uint64_t Begin, uint64_t End, const std::vector<Area> &Areas);
  int moveIn(const Area &A, uint64_t Begin, uint64_t End, uint64_t Offset);
  bool moveOut(uint64_t Begin, const Range &R) const;
  /// Whether the program still has the pages of \a R.
  bool isThere(const std::vector<Area> &Areas, uint64_t Begin,
               const Range &R) const;
  int shareFile(const Area &A, uint64_t Begin, Range &R) const;
  void giveUp(uint64_t Begin, const Range &R);
  void giveOffset(uint64_t Offset, uint64_t Size);

  const int File;
  const ino_t Number; ///< the file's
  const Foreign MapForeign;
  std::mutex Lock;
  std::map<uint64_t, Range> Ranges; ///< by address, not overlapping
  std::vector<uint64_t> StackPages; ///< ranges that are private during fork(2)
  uint32_t *ChildIsReady = nullptr; ///< a futex that parent and child share
  simulator::FreeRanges Free = {simulator::driver::FirstUserPage,
                                simulator::driver::FileSize}; ///< offsets
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_USERPAGES_H
