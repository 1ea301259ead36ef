//===-- DispatchFact.h - a number about a wave's dispatch -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_DISPATCHFACT_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_DISPATCHFACT_H

#include <cstdint>
#include <optional>

namespace lldb_private {
namespace wavelane {

class WaveProcess;
class WaveThread;

/// A number that the server knows of the dispatch of \a wave.
/// \param[in] key  One of those in ObjectLists::GetDispatches.
/// \return nullopt if it is unknown.
std::optional<uint64_t> GetDispatchFact(WaveProcess &process, WaveThread &wave,
                                        const char *key);

} // namespace wavelane
} // namespace lldb_private

#endif
