//===-- DebugEntries.h - types and places of variables in DWARF -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_DEBUGENTRIES_H
#define WAVELANE_SIMULATOR_CHECK_DEBUGENTRIES_H

#include "ArrayObject.h"

#include "llvm/DebugInfo/DWARF/DWARFDie.h"

namespace wavelane::check {

/// The type behind typedefs and qualifiers.
llvm::DWARFDie plainType(llvm::DWARFDie Type);
/// In bytes; 0 if it isn't known.
uint64_t sizeOf(llvm::DWARFDie Type);
/// The plain type of a variable, inlined ones included.
llvm::DWARFDie typeOf(llvm::DWARFDie Variable);
/// A name that is its own or its origin's; empty if it has none.
llvm::StringRef nameOf(llvm::DWARFDie Die);
/// The dimensions of an array; nullopt for another type.
std::optional<ArrayObject> arrayOf(llvm::StringRef Name, llvm::DWARFDie Type);
/// Where a member of a structure is.
struct MemberPlace {
  llvm::DWARFDie Type; ///< plain
  uint64_t Offset = 0; ///< in bytes
};
/// The member called \a Name, also a base class's; nullopt if there is none, if
/// others share its bytes, or if it is a structure's last array of one element
/// or none, which stands for any number.
std::optional<MemberPlace> findMember(llvm::DWARFDie Type,
                                      llvm::StringRef Name);
/// Follows "parts.tile" from a place on; nullopt if a member has none.
std::optional<MemberPlace> findMembers(MemberPlace In, llvm::StringRef Names);
/// What is \a Bytes behind the begin of something of a type: ".pos.z", "[3].y",
/// " + 2 bytes".
std::string partOf(llvm::DWARFDie Type, uint64_t Bytes);
/// Whether a variable is in local memory (LDS).
bool isLocal(llvm::DWARFDie Variable);
/// The address of a variable that is described by it alone.
std::optional<uint64_t> addressOf(const llvm::DWARFLocationExpression &Location,
                                  llvm::DWARFUnit &Unit);

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_DEBUGENTRIES_H
