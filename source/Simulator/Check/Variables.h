//===-- Variables.h - names for addresses -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_VARIABLES_H
#define WAVELANE_SIMULATOR_CHECK_VARIABLES_H

#include "Finding.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

namespace wavelane::check {

/// What a code object's debug information says of variables.
class Variables {
public:
  explicit Variables(const llvm::object::ObjectFile &Object);

  /// The memory at \a Address as seen by a kernel's arguments: "out[64]", if
  /// one of them points to \a Block. Empty if none does.
  /// \param Base Where the code object's address 0 is.
  std::string nameByArgument(const Launch &Kernel, uint64_t Base,
                             uint64_t Address, const Allocation *Block);
  /// A __shared__ variable: "tile[68]". Only known for a kernel with one that
  /// begins its local memory.
  std::string nameLocal(const Launch &Kernel, uint64_t Base, uint64_t Offset);
  /// A variable of global memory: "table[3]".
  /// \param At The address in the code object.
  std::string nameGlobal(uint64_t At);

private:
  llvm::DWARFDie kernel(const Launch &Kernel, uint64_t Base);
  /// The offsets of the arguments in the block that the program has passed.
  std::vector<uint64_t> argumentOffsets(llvm::StringRef Symbol) const;

  const llvm::object::ObjectFile &Object;
  std::unique_ptr<llvm::DWARFContext> Context;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_VARIABLES_H
