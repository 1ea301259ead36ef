//===-- StoppedWaves.h - the waves of a stop, folded ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of packets::WavesKey in a stop reply. Thousands of waves stop
// at few addresses for few reasons, so it has a fold for each of these:
//
//   fold     = [address] ["," signal "," reason "," description] "=" waves
//   waves    = step ["+" more] ["," waves]
//
// Folds are separated by "|". A description is its bytes in hexadecimal digits.
// A step is the difference to the fold's wave before, or to 0, and is followed
// by as many more waves with consecutive numbers. Numbers are hexadecimal.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_SERVER_STOPPEDWAVES_H
#define WAVELANE_PROTOCOL_SERVER_STOPPEDWAVES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::server {

/// Waves that have stopped at the same address for the same reason.
struct StoppedWaves {
  /// None if it can't be read.
  std::optional<uint64_t> address;
  /// As in a stop reply; empty, and 0, for waves that stopped with the others.
  std::string reason, description;
  uint8_t signal = 0;
  /// Ascending.
  std::vector<uint64_t> threads;

  bool HasReason() const { return signal || !reason.empty(); }
};

inline std::string FormatStoppedWaves(llvm::ArrayRef<StoppedWaves> folds) {
  std::string text;
  auto hex = [](uint64_t number) { return llvm::utohexstr(number, true); };
  for (const StoppedWaves &fold : folds) {
    if (!text.empty())
      text += '|';
    if (fold.address)
      text += hex(*fold.address);
    if (fold.HasReason())
      text += "," + hex(fold.signal) + "," + fold.reason + "," +
              llvm::toHex(fold.description, /*LowerCase=*/true);
    char separator = '=';
    uint64_t last = 0;
    for (size_t i = 0; i < fold.threads.size();) {
      const size_t first = i++;
      while (i < fold.threads.size() &&
             fold.threads[i] == fold.threads[i - 1] + 1)
        ++i;
      text += separator + hex(fold.threads[first] - last);
      if (i - first > 1)
        text += "+" + hex(i - first - 1);
      last = fold.threads[i - 1];
      separator = ',';
    }
  }
  return text;
}

inline llvm::Expected<std::vector<StoppedWaves>>
ParseStoppedWaves(llvm::StringRef text) {
  // More than GPUs have.
  constexpr uint64_t MaxWaves = 1 << 22;
  const auto malformed = [whole = text] {
    return llvm::createStringError("malformed waves in a stop reply: " + whole);
  };
  std::vector<StoppedWaves> folds;
  uint64_t count = 0;
  while (!text.empty()) {
    auto [fold_text, rest] = text.split('|');
    text = rest;
    auto [stop, waves] = fold_text.split('=');
    StoppedWaves &fold = folds.emplace_back();
    auto [address, why] = stop.split(',');
    uint64_t number;
    if (!address.empty()) {
      if (address.getAsInteger(16, number))
        return malformed();
      fold.address = number;
    }
    if (!why.empty()) {
      auto [signal, reason_text] = why.split(',');
      auto [reason, description] = reason_text.split(',');
      if (signal.getAsInteger(16, fold.signal) ||
          !llvm::tryGetFromHex(description, fold.description))
        return malformed();
      fold.reason = reason.str();
    }
    uint64_t last = 0;
    llvm::SmallVector<llvm::StringRef> runs;
    waves.split(runs, ',');
    for (llvm::StringRef run : runs) {
      auto [step_text, more_text] = run.split('+');
      uint64_t step, more = 0;
      if (step_text.getAsInteger(16, step) ||
          (run.contains('+') && more_text.getAsInteger(16, more)) ||
          more >= MaxWaves || (count += more + 1) > MaxWaves)
        return malformed();
      last += step;
      if (last + more > INT64_MAX)
        return malformed();
      fold.threads.push_back(last);
      for (; more; --more)
        fold.threads.push_back(++last);
    }
  }
  return folds;
}

} // namespace wavelane::server

#endif // WAVELANE_PROTOCOL_SERVER_STOPPEDWAVES_H
