//===-- DispatchProgress.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DispatchProgress.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace lldb_private::wavelane;

std::string DispatchProgress::Format() const {
  return llvm::formatv(
      "{0}{1} of {2} workgroups done, {3} running, {4}{5} waiting",
      exact ? "" : "at least ", done, workgroups, running,
      exact || !waiting ? "" : "at most ", waiting);
}

std::string DispatchProgress::DrawBar() const {
  constexpr unsigned Width = 20;
  // Any count above zero gets at least one mark in the bar.
  auto part = [&](uint64_t count) -> unsigned {
    return workgroups && count
               ? std::max(1u,
                          unsigned(double(count) / double(workgroups) * Width))
               : 0;
  };
  const unsigned ended =
      std::min(part(done), Width - (running ? 1 : 0) - (waiting ? 1 : 0));
  const unsigned left =
      std::min(part(waiting), Width - ended - (running ? 1 : 0));
  const unsigned now = running ? Width - ended - left : 0;
  return "[" + std::string(ended, '=') + std::string(now, '-') +
         std::string(Width - ended - now, '.') + "]";
}
