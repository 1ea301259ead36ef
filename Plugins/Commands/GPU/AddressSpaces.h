//===-- AddressSpaces.h - the GPU's address spaces --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_GPU_ADDRESSSPACES_H
#define WAVELANE_COMMANDS_GPU_ADDRESSSPACES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

class ProcessAMDGPU;

/// An address space as the server reports it.
struct AddressSpaceInfo {
  /// The DWARF address space number.
  uint64_t number = 0;
  /// ROCdbgapi's name, such as "private_lane".
  std::string name;
  /// The owner of the memory: "lane", "wave", "workgroup", "agent" or
  /// "process".
  std::string depends_on;
  /// The size of an address in bits.
  std::optional<uint64_t> address_bits;
  /// The null address.
  std::optional<uint64_t> null;

  static llvm::Expected<std::vector<AddressSpaceInfo>>
  GetAll(ProcessAMDGPU &process);
  /// \param name The space's name or number.
  static llvm::Expected<AddressSpaceInfo> Find(ProcessAMDGPU &process,
                                               llvm::StringRef name);
};

/// An address in a space, such as "local#0x40".
struct SpaceAndAddress {
  AddressSpaceInfo space;
  uint64_t address = 0;

  /// \param text     A number or an expression, optionally after a space's name
  /// or
  ///                 number and '#'.
  /// \param otherwise  The space if \a text names none.
  static llvm::Expected<SpaceAndAddress> Parse(ProcessAMDGPU &process,
                                               llvm::StringRef text,
                                               llvm::StringRef otherwise);
};

llvm::json::Value toJSON(const AddressSpaceInfo &space);

} // namespace wavelane
} // namespace lldb_private

#endif
