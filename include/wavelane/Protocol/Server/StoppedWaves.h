//===-- StoppedWaves.h - the waves of a stop, folded ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of packets::WavesKey in a stop reply. Thousands of waves stop
// at few addresses for few reasons, so it has a fold for each of these:
//
//   fold     = [address] ["," stop] "=" waves
//   waves    = step ["+" more] ["," waves]
//
// Folds are separated by "|". A stop is a protocol::Stop as JSON, its bytes in
// hexadecimal digits; without it, the waves have stopped with the others.
// A step is the difference to the fold's wave before, or to 0, and is followed
// by as many more waves with consecutive numbers. Numbers are hexadecimal.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_SERVER_STOPPEDWAVES_H
#define WAVELANE_PROTOCOL_SERVER_STOPPEDWAVES_H

#include "wavelane/Protocol/Server/Stop.h"
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
  /// None for waves that stopped with the others.
  std::optional<protocol::Stop> stop;
  /// Ascending.
  std::vector<uint64_t> threads;
};

inline std::string FormatStoppedWaves(llvm::ArrayRef<StoppedWaves> folds) {
  std::string text;
  auto hex = [](uint64_t number) { return llvm::utohexstr(number, true); };
  for (const StoppedWaves &fold : folds) {
    if (!text.empty())
      text += '|';
    if (fold.address)
      text += hex(*fold.address);
    if (fold.stop)
      text +=
          "," + llvm::toHex(protocol::getText(*fold.stop), /*LowerCase=*/true);
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
    auto [place, waves] = fold_text.split('=');
    StoppedWaves &fold = folds.emplace_back();
    auto [address, why] = place.split(',');
    uint64_t number;
    if (!address.empty()) {
      if (address.getAsInteger(16, number))
        return malformed();
      fold.address = number;
    }
    if (!why.empty()) {
      std::string record;
      if (!llvm::tryGetFromHex(why, record))
        return malformed();
      auto read = protocol::parse<protocol::Stop>(record, "stop");
      if (!read)
        return read.takeError();
      fold.stop = std::move(*read);
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
