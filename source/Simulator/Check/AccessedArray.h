//===-- AccessedArray.h - which array an instruction accesses ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An address alone doesn't show that tile[32] was meant where next[0] is. The
// line and the column of an instruction do, if the source there names an
// array, and debug information knows its place.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_ACCESSEDARRAY_H
#define WAVELANE_SIMULATOR_CHECK_ACCESSEDARRAY_H

#include "CallStacks.h"
#include "Check.h"
#include "Symbols.h"

#include "wavelane/Simulator/ISA/Observer.h"

#include "llvm/ADT/DenseMap.h"

namespace wavelane::check {

class ArrayBounds {
public:
  ArrayBounds(Symbols &Names, const CallStacks &Calls)
      : Names(Names), Calls(Calls) {}

  /// The array that an instruction means, when it accesses \a In; null if it
  /// isn't known.
  const ArrayObject *find(const Launch &Kernel, uint64_t PC,
                          isa::LaneAccess::Space In);
  /// Where the array begins, for a wave that is in its function.
  static uint64_t begin(const ArrayObject &Of, const isa::WaveState &Wave);
  /// What is at the address of a finding in an array's memory; empty if it
  /// isn't known.
  std::string nameOf(const Finding &F, const ArrayObject &Of, uint64_t Begin);
  /// What an access of global memory means, by a pointer that the source names.
  /// Empty if it isn't known.
  std::string meantElement(const WaveInfo &Wave, uint64_t PC,
                           const isa::LaneAccess &A) {
    return Names.meantElement(*Wave.Kernel, *Wave.State, PC,
                              Calls.returns(Wave.Stack), A);
  }
  /// Code has been loaded or unloaded.
  void forget() {
    Known.clear();
    LastKey = {};
  }

private:
  Symbols &Names;
  const CallStacks &Calls;
  using Key = std::pair<uint64_t, uint64_t>;
  llvm::DenseMap<Key, std::unique_ptr<ArrayObject>> Known;
  Key LastKey = {};
  const ArrayObject *Last = nullptr;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_ACCESSEDARRAY_H
