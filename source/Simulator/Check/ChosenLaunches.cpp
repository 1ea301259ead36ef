//===-- ChosenLaunches.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChosenLaunches.h"

using namespace wavelane::check;

bool ChosenLaunches::isChosen(const Launch &L,
                              llvm::function_ref<std::string()> Name) {
  bool In = Ranges.empty();
  for (const auto &[First, Last] : Ranges)
    In |= L.Number >= First && L.Number <= Last;
  return In && (!HasKernel || Kernel.match(Name()));
}

void ChosenLaunches::add(Launch &L, llvm::function_ref<std::string()> Name) {
  L.Number = L.IsRuntimes ? uint64_t(1) << 63 | ++RuntimesCount : ++Count;
  L.IsChecked = L.IsRuntimes || isChosen(L, Name);
  LeftOut += !L.IsChecked;
}

std::string ChosenLaunches::describeLeftOut() const {
  if (!LeftOut)
    return "";
  return std::to_string(LeftOut) + " of " + std::to_string(Count) +
         " launches, by " +
         (!HasKernel       ? "--launches"
          : Ranges.empty() ? "--kernel"
                           : "--kernel and --launches");
}
