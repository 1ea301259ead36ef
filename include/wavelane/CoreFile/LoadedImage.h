//===-- LoadedImage.h - GPU code as it is in memory -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code object whose file is missing can still be read from where it was
// loaded: its loaded segments have the code, the dynamic symbols (the kernels)
// and the notes, but no debug information. Addresses and sizes are in bytes.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_COREFILE_LOADEDIMAGE_H
#define WAVELANE_COREFILE_LOADEDIMAGE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace wavelane::corefile {

class CoreFile;

/// Reads memory. Returns how many of the bytes could be read.
using ReadMemory =
    llvm::function_ref<size_t(uint64_t address, void *buffer, size_t size)>;

/// Makes an ELF file from the code object that is loaded at \p base, with
/// section headers for its segments and its dynamic symbols.
/// \return The file's bytes, or an error that says what is missing or wrong.
llvm::Expected<std::vector<uint8_t>> RebuildImage(uint64_t base,
                                                  ReadMemory read);

/// The GNU build ID of the code object that is loaded at \p base, in
/// hexadecimal; empty if it has none or can't be read.
std::string ReadBuildID(uint64_t base, ReadMemory read);

struct LoadedImage {
  uint64_t base, size;
};
/// The code objects in a core's memory, found by their ELF headers.
std::vector<LoadedImage> FindImages(const CoreFile &core);

/// Adds the runtime's list of code objects (r_debug, in host memory) to a core
/// that lacks it. The list names what FindImages finds.
/// \param r_debug  Where the GPU core state says that the list is.
/// \param version  The version of r_debug to write.
void AddCodeObjectList(CoreFile &core, uint64_t r_debug, uint32_t version);

} // namespace wavelane::corefile

#endif // WAVELANE_COREFILE_LOADEDIMAGE_H
