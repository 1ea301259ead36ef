//===-- LoadedImage.h - GPU code as it is in memory -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code object whose file is missing can still be read from where it was
// loaded: its loaded segments have the code, the dynamic symbols (the kernels)
// and the notes, but no debug information. Addresses and sizes are in bytes.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_FORMATS_COREFILE_LOADEDIMAGE_H
#define WAVELANE_FORMATS_COREFILE_LOADEDIMAGE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace wavelane::corefile {

class CoreFile;

/// Reads memory. Returns the number of bytes read.
using ReadMemory =
    llvm::function_ref<size_t(uint64_t Address, void *Buffer, size_t Size)>;

/// Creates an ELF file from the code object that is loaded at \p base, with
/// section headers for its segments and its dynamic symbols.
/// \return The file's bytes, or an error that says what is missing or
///     wrong.
llvm::Expected<std::vector<uint8_t>> rebuildImage(uint64_t Base,
                                                  ReadMemory Read);

/// The GNU build ID of the code object that is loaded at \p base, in
/// hexadecimal; empty if it has none or can't be read.
std::string readBuildId(uint64_t Base, ReadMemory Read);

struct LoadedImage {
  uint64_t Base, Size;
};
/// The code objects in a core's memory, found by their ELF headers.
std::vector<LoadedImage> findImages(const CoreFile &Core);

/// Adds the runtime's list of code objects (r_debug, in host memory) to a core
/// that lacks it. The list contains the code objects of findImages.
/// \param r_debug  The address of the list according to the GPU core state.
/// \param version  The version of r_debug to write.
void addCodeObjectList(CoreFile &Core, uint64_t RDebug, uint32_t Version);

} // namespace wavelane::corefile

#endif // WAVELANE_FORMATS_COREFILE_LOADEDIMAGE_H
