//===-- OffloadBundle.h - Code objects in a program's file ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offload bundles as clang writes them into a HIP program's section .hip_fatbin
// and into files: one code object for each GPU, compressed or not. The format
// is that of Clang's manual, "Clang Offload Bundler", sections "Bundled Binary
// File Layout" and "Compressed Bundle".
//
// LLVM's own reader (llvm/Object/OffloadBundle.h) trusts the sizes in a bundle
// and takes the bytes of the next magic number for a bundle's end, even within
// compressed data. This one checks everything, since it reads memory that any
// program supplies. It is part of the HIP runtime as well, so it uses no more
// than LLVM's Support library, which can be linked statically.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_FORMATS_OFFLOADBUNDLE_OFFLOADBUNDLE_H
#define WAVELANE_FORMATS_OFFLOADBUNDLE_OFFLOADBUNDLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wavelane::offload {

/// A bundle's content for one target.
struct Entry {
  /// Kind, triple and target ID: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-".
  llvm::StringRef Id;
  /// The code object, an ELF file; empty for the host. The bytes belong to the
  /// bundle if it is compressed, else to the data it was read from.
  llvm::StringRef Contents;

  /// The target ID of code for an AMD GPU ("gfx90a:xnack-"); empty for another
  /// target.
  llvm::StringRef getTargetId() const;
};

/// One bundle.
class Bundle {
public:
  /// Reads the bundle at the beginning of \p Data; more may follow it. \p Data
  /// must outlive the bundle, unless it is compressed. The error says what is
  /// wrong: \p Data doesn't begin with a bundle, or the bundle ends beyond
  /// \p Data, is damaged, or is of an unknown version or compression.
  static llvm::Expected<Bundle> read(llvm::StringRef Data);

  /// In the bundle's order.
  llvm::ArrayRef<Entry> entries() const { return Entries; }
  /// The target IDs of the entries that have code for an AMD GPU.
  std::vector<std::string> getTargetIds() const;
  bool isCompressed() const { return Contents != nullptr; }
  /// Bytes that the bundle takes up in the data it was read from.
  uint64_t size() const { return Size; }

private:
  Bundle() = default;
  llvm::Error readEntries(llvm::StringRef Data);

  std::vector<Entry> Entries;
  uint64_t Size = 0;
  /// The decompressed data; null for a bundle that isn't compressed.
  std::unique_ptr<llvm::MemoryBuffer> Contents;
};

/// Whether \p Data begins like a bundle, compressed or not.
bool isBundle(llvm::StringRef Data);

/// Calls \p Found for each bundle in \p Section (.hip_fatbin has one for each
/// source file), with its offset there in bytes, and the bundle or an error.
void readBundles(
    llvm::StringRef Section,
    llvm::function_ref<void(uint64_t Offset, llvm::Expected<Bundle>)> Found);

/// The target IDs that each bundle of an ELF program has code for: of the
/// section .hip_fatbin in the file's contents \p Program. Damaged bundles are
/// left out.
std::vector<std::vector<std::string>> readTargets(llvm::StringRef Program);

} // namespace wavelane::offload

#endif // WAVELANE_FORMATS_OFFLOADBUNDLE_OFFLOADBUNDLE_H
