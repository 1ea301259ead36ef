//===-- CodeObject.h - code objects for the device --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the code object for the device in a fat binary of the program, and
// loads it into device memory. The program supplies the data, so each offset
// and size is checked against the available memory.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_RUNTIME_CODEOBJECT_H
#define WAVELANE_SIMULATOR_RUNTIME_CODEOBJECT_H

#include "Arena.h"
#include "HipHeader.h"
#include "Simulator/Common/Wire.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wavelane {
namespace runtime {

struct KernelArgument {
  uint32_t Offset = 0, Size = 0;
  std::string Kind; ///< ".value_kind"
};

struct Kernel {
  std::string Name;
  unsigned Device = 0;     ///< the device that its code was loaded for
  uint64_t Descriptor = 0; ///< device address
  uint32_t KernargSize = 0, GroupSize = 0, PrivateSize = 0;
  uint32_t MaxWorkgroup = 1024, Vgprs = 0, Sgprs = 0;
  bool DynamicStack = false;
  std::vector<KernelArgument> Arguments;
};

/// link_map, as read by debuggers.
struct LinkMap {
  uint64_t Bias;
  const char *Uri;
  void *Unused;
  LinkMap *Next, *Previous;
};

struct CodeObject {
  uint64_t Base = 0, Size = 0; ///< device memory; ELF address 0 is at Base
  std::map<std::string, std::unique_ptr<Kernel>> Kernels;
  struct Symbol {
    uint64_t Address, Size;
  };
  std::map<std::string, Symbol> Symbols; ///< device variables
  LinkMap Link = {};
  std::string Uri;
  ~CodeObject();
};

/// The bytes of an image, accessed by checked offsets.
struct Image {
  const uint8_t *Data;
  uint64_t Size;
  /// Null if the image is too short.
  const uint8_t *at(uint64_t Offset, uint64_t Bytes) const {
    if (Offset > Size || Bytes > Size - Offset)
      return nullptr;
    return Data + Offset;
  }
  template <typename T> bool read(uint64_t Offset, T &Out) const {
    const uint8_t *P = at(Offset, sizeof(T));
    if (P)
      memcpy(&Out, P, sizeof(T));
    return P != nullptr;
  }
};

/// An ELF file that was selected in an image.
struct ChosenCode {
  const uint8_t *Elf = nullptr;
  uint64_t Size = 0; ///< bytes
  /// The file if the image was compressed; otherwise, the file is in the image.
  std::vector<uint8_t> Copy;
};

/// The target IDs that the offload bundle \a Image has code for; empty if it
/// isn't a bundle. At most \a Limit bytes can be read there.
std::vector<std::string> readTargets(const uint8_t *Image, uint64_t Limit);
/// Selects the code object for \a TargetId ("gfx90a:sramecc+:xnack-") in \a
/// Image, an offload bundle or a code object. At most \a Limit bytes can be
/// read there.
/// \return hipSuccess, or an error with \a Why.
hipError_t selectCodeObject(const uint8_t *Image, uint64_t Limit,
                            const std::string &TargetId, ChosenCode &Out,
                            std::string &Why);
/// Loads a code object into device memory and relocates it. \return hipSuccess,
/// or an error with \a Why and device memory unchanged.
hipError_t loadCodeObject(Arena &Memory, const uint8_t *Elf, uint64_t Size,
                          const AgentDescription &Device, CodeObject &Out,
                          std::string &Why);
/// The number of bytes from \a Address to the end of its mapped segment; \a
/// Fallback if it isn't in one of the program's segments.
uint64_t readableSize(const void *Address, uint64_t Fallback);
/// "file://PATH#offset=..&size=.." if \a Elf is in a mapped file, otherwise
/// "memory://PID#offset=..&size=..".
std::string describeImage(const uint8_t *Elf, uint64_t Size);
/// With %XX for what has a meaning in a URI.
std::string encodeForUri(std::string_view Text);

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_CODEOBJECT_H
