//===-- Gem.h - DRM's buffers -----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of the render nodes are memory objects like KFD's; a program can make
// one of the other through a DMA buffer, and AMD's runtime maps its virtual
// memory in this way.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_GEM_H
#define WAVELANE_SIMULATOR_DRIVER_GEM_H

#include "DeviceCall.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace wavelane::driver {

class Sharing;

class Gem {
public:
  Gem(DeviceCall Ask, Sharing &Shares) : Ask(std::move(Ask)), Shares(Shares) {}

  /// An ioctl for buffers on the GPU with this index.
  /// \return 0 or -errno; nullopt for any other ioctl.
  std::optional<int> call(unsigned Gpu, unsigned Number, void *Argument);

private:
  struct Buffer {
    uint64_t Handle = 0; ///< the object's
    uint64_t Offset = 0; ///< in the file
    uint64_t Size = 0;
    uint64_t Domains = 0, DomainFlags = 0;
    uint64_t Tiling = 0;
    uint32_t MetadataSize = 0;
    uint8_t Metadata[256] = {};
  };
  /// Where GPUs have a part of an object.
  struct Mapping {
    uint64_t Size, Offset; ///< in the file
    struct Use {
      uint32_t Buffer; ///< its GEM handle
      uint32_t Access;
    };
    std::map<unsigned, Use> Gpus;
  };
  int create(unsigned Gpu, void *Argument);
  int close(void *Argument);
  int offset(void *Argument) const;
  int metadata(void *Argument);
  int info(void *Argument) const;
  int map(unsigned Gpu, void *Argument);
  int toDescriptor(void *Argument);
  int fromDescriptor(unsigned Gpu, void *Argument);
  int setMapping(uint64_t Address, const Mapping &M);
  Buffer *find(uint32_t Handle);
  const Buffer *find(uint32_t Handle) const;

  const DeviceCall Ask;
  Sharing &Shares;
  std::mutex Lock;
  std::map<uint32_t, Buffer> Buffers;   ///< by GEM handle
  std::map<uint64_t, Mapping> Mappings; ///< by address
  uint32_t NextHandle = 1;
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_GEM_H
