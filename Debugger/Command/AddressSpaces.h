//===-- AddressSpaces.h - the GPU's address spaces --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_COMMAND_ADDRESSSPACES_H
#define WAVELANE_DEBUGGER_COMMAND_ADDRESSSPACES_H

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

/// An address space as the server tells of it.
struct AddressSpaceInfo {
  /// DWARF's.
  uint64_t number = 0;
  /// ROCdbgapi's, as "private_lane".
  std::string name;
  /// Whose memory it is: "lane", "wave", "workgroup", "agent" or "process".
  std::string depends_on;
  /// How many bits an address has.
  std::optional<uint64_t> address_bits;
  /// The address that isn't one.
  std::optional<uint64_t> null;

  static llvm::Expected<std::vector<AddressSpaceInfo>>
  GetAll(ProcessAMDGPU &process);
  /// \param name  Or the number.
  static llvm::Expected<AddressSpaceInfo> Find(ProcessAMDGPU &process,
                                               llvm::StringRef name);
};

/// "local#0x40".
struct SpaceAndAddress {
  AddressSpaceInfo space;
  uint64_t address = 0;

  /// \param text
  ///     A number or an expression, maybe behind the name or number of a space.
  /// \param otherwise  The space where \a text names none.
  static llvm::Expected<SpaceAndAddress> Parse(ProcessAMDGPU &process,
                                               llvm::StringRef text,
                                               llvm::StringRef otherwise);
};

llvm::json::Value toJSON(const AddressSpaceInfo &space);

} // namespace wavelane
} // namespace lldb_private

#endif
