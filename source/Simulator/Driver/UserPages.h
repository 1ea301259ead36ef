//===-- UserPages.h - pages of the program that GPUs access -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU sees memory of the program's own (its heap, stack or data) once the
// pages are those of the shared file: their contents go there, and the file is
// mapped in their place.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_USERPAGES_H
#define WAVELANE_SIMULATOR_DRIVER_USERPAGES_H

#include "wavelane/Simulator/Protocol.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <sys/types.h>
#include <vector>

namespace wavelane::driver {

using simulator::driver::Segment;

class UserPages {
public:
  UserPages(int File, ino_t Number) : File(File), Number(Number) {}

  /// Makes the pages [Address, Address + Size) the file's. May be called for
  /// pages again; each call needs a release().
  /// \return 0 or -errno.
  int share(uint64_t Address, uint64_t Size, std::vector<Segment> &Out);
  /// \param Keep the pages are about to be unmapped, and need not become the
  /// program's own again.
  void release(uint64_t Address, uint64_t Size, bool Keep);
  /// In a forked child: pages are its own, as all its memory is.
  void forked();

private:
  struct Range {
    uint64_t End;
    uint64_t Offset; ///< in the file
    unsigned Users;
    bool IsOurs; ///< its place in the file was given by this class
    int Protection;
  };
  struct Area { ///< a line of /proc/self/maps
    uint64_t Begin, End, Offset;
    int Protection;
    bool IsShared, IsFile; ///< mapped shared; a part of our file
  };
  std::vector<Area> readAreas(uint64_t Begin, uint64_t End) const;
  /// Splits the range that has \a Address in it.
  void splitAt(uint64_t Address);
  int shareFresh(uint64_t Begin, uint64_t End, const std::vector<Area> &Areas);
  int moveIn(const Area &A, uint64_t Begin, uint64_t End, uint64_t Offset);
  static bool moveOut(uint64_t Begin, const Range &R);
  uint64_t takeOffset(uint64_t Size);
  void giveOffset(uint64_t Offset, uint64_t Size);

  const int File;
  const ino_t Number; ///< the file's
  std::mutex Lock;
  std::map<uint64_t, Range> Ranges; ///< by address, not overlapping
  std::map<uint64_t, uint64_t> Free = {
      {simulator::driver::FirstUserPage,
       simulator::driver::FileSize - simulator::driver::FirstUserPage}};
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_USERPAGES_H
