//===-- HistoryStreams.h - where a recording is written to ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_HISTORYSTREAMS_H
#define WAVELANE_SIMULATOR_DEVICE_HISTORYSTREAMS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace wavelane::simulator {

/// Calls the function with each address of a page of the device's mapping.
using HistoryPlaces =
    std::function<void(uint64_t Page, llvm::function_ref<void(uint64_t)>)>;
/// The page of the device's mapping at an address.
using HistoryHosts = std::function<std::optional<uint64_t>(uint64_t Address)>;
using HistoryOutput = std::function<llvm::Error(const void *, size_t)>;
/// \return false if the file ends before.
using HistoryInput =
    std::function<bool(uint64_t Offset, void *To, size_t Size)>;

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_HISTORYSTREAMS_H
