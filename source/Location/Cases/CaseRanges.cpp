//===-- CaseRanges.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CaseRanges.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace wavelane::location;

/// Flattens a composite into its individual places, starting at its first bit.
static void flatten(const Location &L, BitCount Size, BitCount Begin,
                    std::vector<StorageRange> &Ranges, unsigned &Left) {
  if (Left == 0)
    return;
  --Left;
  if (L.Kind != StorageKind::Composite) {
    Ranges.push_back(
        {Begin, std::min(Begin + Size, CompositeStorage::Unbounded), L});
    return;
  }
  for (const CompositeStorage::Part &Part : L.getComposite()->Parts) {
    const BitCount From = std::max(Part.Begin, L.Offset);
    const BitCount To = std::min(Part.End, L.Offset + Size);
    if (From >= To)
      continue;
    Location Place = Part.Place;
    Place.Offset += From - Part.Begin;
    flatten(Place, To - From, Begin + From - L.Offset, Ranges, Left);
  }
}

std::vector<StorageRange> wavelane::location::getRanges(const Location &L) {
  std::vector<StorageRange> Ranges;
  unsigned Left = 1 << 16;
  Location Whole = L;
  // A composite starts at its byte 0, another location at its offset.
  if (L.Kind == StorageKind::Composite)
    Whole.Offset = 0;
  flatten(Whole, CompositeStorage::Unbounded, 0, Ranges, Left);
  return Ranges;
}

const char *wavelane::location::getStorageName(const Location &L) {
  switch (L.Kind) {
  case StorageKind::Undefined:
    return "undefined";
  case StorageKind::Memory:
    return "memory";
  case StorageKind::Register:
    return "register";
  case StorageKind::Implicit:
    return "implicit";
  case StorageKind::ImplicitPointer:
    return "implicit_pointer";
  case StorageKind::Composite:
    return "composite";
  case StorageKind::Multi:
    return "multi";
  }
  llvm_unreachable("a kind of storage");
}
