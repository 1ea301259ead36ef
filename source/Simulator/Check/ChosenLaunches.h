//===-- ChosenLaunches.h - the numbers of launches --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_CHOSENLAUNCHES_H
#define WAVELANE_SIMULATOR_CHECK_CHOSENLAUNCHES_H

#include "Options.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Regex.h"

namespace wavelane::check {

/// Numbers launches, and says which of them --kernel and --launches choose.
class ChosenLaunches {
public:
  explicit ChosenLaunches(const Options &Wanted)
      : Kernel(Wanted.Kernel), HasKernel(!Wanted.Kernel.empty()),
        Ranges(Wanted.Launches) {}

  /// Sets Number and IsChecked of \a L, whose kernel is called \a Name. A
  /// runtime's own kernels have numbers of their own, so that those of the
  /// program's don't depend on the runtime; they are always chosen.
  void add(Launch &L, llvm::function_ref<std::string()> Name);
  /// Those of the program.
  uint64_t count() const { return Count; }
  /// "2 of 3 launches, by --kernel": those that aren't chosen; empty without.
  std::string describeLeftOut() const;

private:
  bool isChosen(const Launch &L, llvm::function_ref<std::string()> Name);

  llvm::Regex Kernel;
  bool HasKernel;
  LaunchRanges Ranges;
  uint64_t Count = 0, RuntimesCount = 0;
  uint64_t LeftOut = 0; ///< of Count
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_CHOSENLAUNCHES_H
