//===-- CodeObject.h - code objects for the device --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a fat binary of the program to code in device memory: the code object
// for the device is chosen, and loaded. All of it is memory that the program
// supplies: each offset and size is checked against what there is.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_RUNTIME_CODEOBJECT_H
#define WAVELANE_SIMULATOR_RUNTIME_CODEOBJECT_H

#include "Runtime.h"

#include <cstring>

namespace wavelane {
namespace runtime {

/// Bytes of an image, by checked offsets.
struct Image {
  const uint8_t *Data;
  uint64_t Size;
  /// Null where the image ends before that.
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

/// An ELF file that was chosen from an image.
struct ChosenCode {
  const uint8_t *Elf = nullptr;
  uint64_t Size = 0; ///< bytes
  /// Holds the file where the image was compressed; it lies in the image
  /// otherwise.
  std::vector<uint8_t> Copy;
};

/// The target IDs that the offload bundle \a Image has code for; none where it
/// isn't one. \a Limit is how many bytes can be read there at most.
std::vector<std::string> readTargets(const uint8_t *Image, uint64_t Limit);
/// Picks the code object for \a TargetId ("gfx90a:sramecc+:xnack-") out of
/// \a Image: an offload bundle or a code object. \a Limit is how many bytes can
/// be read there at most. \return hipSuccess, or an error with \a Why.
hipError_t selectCodeObject(const uint8_t *Image, uint64_t Limit,
                            const std::string &TargetId, ChosenCode &Out,
                            std::string &Why);
/// Loads a code object into device memory and relocates it. \return hipSuccess,
/// or an error with \a Why; device memory is then as it was.
hipError_t loadCodeObject(Arena &Memory, const uint8_t *Elf, uint64_t Size,
                          const AgentDescription &Device, CodeObject &Out,
                          std::string &Why);
/// Bytes from \a Address to the end of the mapped segment that holds it;
/// \a Fallback when it is in none of the program's.
uint64_t readableSize(const void *Address, uint64_t Fallback);
/// "file://PATH#offset=..&size=.." if \a Elf lies in a mapped file, else
/// "memory://PID#offset=..&size=..".
std::string describeImage(const uint8_t *Elf, uint64_t Size);

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_CODEOBJECT_H
