//===-- CaseRanges.h - what a location's storage is made of -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_LOCATION_CASES_CASERANGES_H
#define WAVELANE_SOURCE_LOCATION_CASES_CASERANGES_H

#include "wavelane/Location/Location.h"
#include <vector>

namespace wavelane::location {

/// A range of a location's storage, in bits, with where it is.
struct StorageRange {
  BitCount Begin;
  BitCount End; ///< Unbounded where the storage has no end that matters.
  Location Place;
};

/// A composite's single places from its byte 0; another location from where it
/// is.
std::vector<StorageRange> getRanges(const Location &L);

/// "register", "memory", ...
const char *getStorageName(const Location &L);

} // namespace wavelane::location

#endif
