//===-- KernelMetadata.h - reads a code object's metadata -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_KERNELMETADATA_H
#define WAVELANE_SIMULATOR_KERNELMETADATA_H

#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstdint>
#include <vector>

namespace wavelane::simulator {

/// Reads the MessagePack of a note NT_AMDGPU_METADATA into \p Into, which keeps
/// referring to \p Blob.
/// \return false if it is damaged. LLVM's own reader ends the process at keys
///     that it can't compare.
inline bool readKernelMetadata(llvm::StringRef Blob,
                               llvm::msgpack::Document &Into) {
  using llvm::msgpack::Type;
  struct Level {
    uint64_t Left; ///< objects
    bool IsMap;    ///< the next one is a key if their number is even
  };
  constexpr size_t Deepest = 64;
  std::vector<Level> Levels;
  llvm::msgpack::Reader Reader(llvm::MemoryBufferRef(Blob, ""));
  do {
    llvm::msgpack::Object O;
    llvm::Expected<bool> More = Reader.read(O);
    if (!More) {
      llvm::consumeError(More.takeError());
      return false;
    }
    if (!*More)
      return false;
    const bool IsKey =
        !Levels.empty() && Levels.back().IsMap && Levels.back().Left % 2 == 0;
    if (IsKey && O.Kind != Type::String)
      return false;
    if (!Levels.empty())
      --Levels.back().Left;
    if (O.Kind == Type::Map || O.Kind == Type::Array)
      Levels.push_back(
          {O.Kind == Type::Map ? uint64_t(O.Length) * 2 : uint64_t(O.Length),
           O.Kind == Type::Map});
    else if (O.Kind == Type::Extension)
      return false;
    while (!Levels.empty() && !Levels.back().Left)
      Levels.pop_back();
  } while (!Levels.empty() && Levels.size() <= Deepest);
  return Levels.empty() && Into.readFromBlob(Blob, /*Multi=*/false);
}

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_KERNELMETADATA_H
