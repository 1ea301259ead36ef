//===-- Sharing.h - memory objects beyond one program -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KFD's share handles and DMA buffers. A share handle names the owner, whose
// device gives the file to programs of the same user. The descriptor of a DMA
// buffer is one of the owner's memory file; its position is the number of an
// entry in the file (Exported in DeviceMessages.h).
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_SHARING_H
#define WAVELANE_SIMULATOR_DRIVER_SHARING_H

#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Simulator/KfdIoctl.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace wavelane::driver {

using simulator::driver::Exported;
using simulator::driver::ForeignMemory;
using simulator::driver::SharedObject;

class Sharing {
public:
  /// What the device does; all return 0 or -errno.
  struct Device {
    /// An ioctl, with extra bytes in both directions.
    std::function<int(kfd::Call, void *Argument, size_t Size, const void *In,
                      size_t InSize, std::vector<uint8_t> &Out)>
        Ask;
    /// \param Fd The file to map a part of; -1 to unmap it.
    std::function<int(ForeignMemory &Part, int Fd)> MapForeign;
  };
  /// \param File The memory file.
  Sharing(int File, Device On) : File(File), On(std::move(On)) {}

  // The ioctls, which return 0 or -errno.
  int ipcExport(kfd::IpcExportArguments &A);
  int ipcImport(kfd::IpcImportArguments &A);
  int exportBuffer(kfd::ExportDmabufArguments &A);
  int bufferInfo(kfd::GetDmabufInfoArguments &A);
  int importBuffer(kfd::ImportDmabufArguments &A);

  /// Imports what a descriptor \a Fd of a DMA buffer means.
  int import(const Exported &E, int Fd, kfd::IpcImportArguments &A) {
    return import(E.object, A.va_addr, Fd, A);
  }
  /// Sets what goes with an object's descriptors for other drivers.
  int setMetadata(uint64_t Handle, uint64_t Tiling, const void *Data,
                  size_t Size);
  /// The entry of a DMA buffer; nullopt for any other descriptor.
  static std::optional<Exported> find(int Fd);
  /// The object has been freed.
  void freed(uint64_t Handle);
  /// The file and offset behind an offset of foreign memory.
  struct Place {
    int Fd;
    uint64_t Offset;
  };
  std::optional<Place> foreign(uint64_t Offset);

private:
  int entryOf(uint64_t Handle, uint32_t &Index);
  int import(const SharedObject &S, uint64_t Address, int Fd,
             kfd::IpcImportArguments &A);
  bool isFree(uint32_t Index) const;
  bool read(uint32_t Index, Exported &E) const;
  bool write(uint32_t Index, const Exported &E) const;

  const int File;
  const Device On;
  std::mutex Lock;
  std::map<uint64_t, uint32_t> Entries; ///< by handle
  /// An object of another program.
  struct Import {
    int Socket = -1; ///< to its owner's device, which keeps it meanwhile
    int Fd = -1;     ///< its owner's file
    uint64_t FileOffset = 0;
    ForeignMemory Part = {};
    off_t Position = -1; ///< of the DMA buffer's descriptor that it came from
  };
  std::map<uint64_t, Import> Imports; ///< by handle
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_SHARING_H
