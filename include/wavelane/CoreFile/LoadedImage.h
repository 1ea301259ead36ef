//===-- LoadedImage.h - GPU code as it stands in memory ---------*- C++ -*-===//
//
// A code object whose file is not at hand can still be read from where it was
// loaded: its loaded segments hold the code, the dynamic symbols (the kernels) and
// the notes, but no debug information.
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

/// Reads memory; returns how many of the bytes it has got.
using ReadMemory =
    llvm::function_ref<size_t(uint64_t address, void *buffer, size_t size)>;

/// Makes an ELF file of the code object that is loaded at \p base, with section
/// headers for its segments and its dynamic symbols. The error says what is missing
/// or wrong.
llvm::Expected<std::vector<uint8_t>> RebuildImage(uint64_t base,
                                                  ReadMemory read);

/// The GNU build ID of the code object that is loaded at \p base, in hexadecimal;
/// empty where it has none or can't be read.
std::string ReadBuildID(uint64_t base, ReadMemory read);

struct LoadedImage {
  uint64_t base, size;
};
/// The code objects that stand in a core's memory, found by their ELF headers.
std::vector<LoadedImage> FindImages(const CoreFile &core);

/// Gives a core that lacks the runtime's list of code objects (r_debug, host memory)
/// one of its own at the address that the GPU core state says, which names
/// what FindImages finds. \p version is the r_debug version to write.
void AddCodeObjectList(CoreFile &core, uint64_t r_debug, uint32_t version);

} // namespace wavelane::corefile

#endif // WAVELANE_COREFILE_LOADEDIMAGE_H
