//===-- CaseEntries.h - the entries that a case's context has ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_LOCATION_CASES_CASEENTRIES_H
#define WAVELANE_SOURCE_LOCATION_CASES_CASEENTRIES_H

#include "wavelane/Location/CaseFile.h"
#include <deque>

namespace wavelane::location {

/// An entry of `dies`: a location, or an object map.
struct CaseEntry {
  std::string Name;
  std::optional<std::vector<uint8_t>> Expression;
  std::optional<std::vector<uint8_t>> ConstValue;
  std::optional<std::vector<LocationListEntry>> List;
  /// The bytes of the list's expressions.
  std::deque<std::vector<uint8_t>> Bytes;
  const llvm::json::Object *Map = nullptr;
};

/// All entries, found by name or by the offset that a unit would give them.
class CaseEntries {
public:
  /// Names come first, because entries refer to each other.
  llvm::Error name(const llvm::json::Object &Dies);
  std::optional<uint64_t> find(llvm::StringRef Name) const;
  /// \return Null if there is no entry.
  const CaseEntry *get(uint64_t Offset) const;
  std::deque<CaseEntry> All;
};

} // namespace wavelane::location

#endif
