//===-- CaseRanges.h - what a location's storage is made of -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_LOCATION_CASES_CASERANGES_H
#define WAVELANE_SOURCE_LOCATION_CASES_CASERANGES_H

#include "wavelane/Location/Location.h"
#include <vector>

namespace wavelane::location {

/// A range of a location's storage, in bits, and its place.
struct StorageRange {
  BitCount Begin;
  BitCount End; ///< Unbounded if the end of the storage doesn't matter.
  Location Place;
};

/// The individual places of a composite from its byte 0, or another location
/// from its offset.
std::vector<StorageRange> getRanges(const Location &L);

/// "register", "memory", ...
const char *getStorageName(const Location &L);

} // namespace wavelane::location

#endif
