//===-- MemoryMap.h - the program's address space ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DRIVER_MEMORYMAP_H
#define WAVELANE_SIMULATOR_DRIVER_MEMORYMAP_H

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace wavelane::driver {

constexpr char MapsPath[] = "/proc/self/maps";

/// One mapping: a line of /proc/self/maps.
struct Area {
  uint64_t Begin, End;
  uint64_t Offset; ///< in the file
  int Protection;  ///< PROT_*
  bool IsShared;
  ino_t Inode; ///< 0 without a file
  dev_t Device;
};

/// The mappings that overlap [Begin, End), in order.
std::vector<Area> readAreas(uint64_t Begin, uint64_t End);

/// The text of /proc/self/maps, in which mappings of the file \a Number have
/// the names of devices, as those of the kernel's driver.
std::string describeMaps(dev_t Device, ino_t Number);

/// Opens the file that \a A maps. \return -1 if it can't be found.
int openFileOf(const Area &A);

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_MEMORYMAP_H
