//===-- GPUObjects.h - agents, queues, dispatches, waves --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_GPU_GPUOBJECTS_H
#define WAVELANE_COMMANDS_GPU_GPUOBJECTS_H

#include "Core/Record/DispatchProgress.h"
#include "Core/Record/LaneText.h"
#include "lldb/Utility/StructuredData.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace lldb_private {
namespace wavelane {

class ProcessAMDGPU;

/// The objects of a kind ("agent", "queue", "dispatch", "workgroup", "wave") as
/// the server reports them, each a dictionary; docs/json.md describes the keys.
/// Waves also have the "label" that the user gave.
/// \param ids
///     The waves that are wanted, as ranges of ids; all if empty.
/// \param[out] is_sample
///     If not null, the objects are listed also while the waves run, and this
///     is whether they do: then the waves are in the state "running", and where
///     they were a moment ago.
llvm::Expected<StructuredData::ArraySP>
ListObjects(ProcessAMDGPU &process, llvm::StringRef kind,
            llvm::ArrayRef<std::pair<uint64_t, uint64_t>> ids = {},
            bool *is_sample = nullptr);

/// What is said below a list that is a sample.
inline constexpr char SampleNote[] =
    "(the GPU runs on: this is how it was a moment ago)";

/// Calls \a function with each dictionary of an array.
void ForEachObject(
    const StructuredData::Array &objects,
    llvm::function_ref<void(StructuredData::Dictionary &object)> function);

/// \return Empty if there is no such text.
std::string GetText(const StructuredData::Dictionary &object,
                    llvm::StringRef key);
std::optional<uint64_t> GetNumber(const StructuredData::Dictionary &object,
                                  llvm::StringRef key);
std::optional<Triple> GetTriple(const StructuredData::Dictionary &object,
                                llvm::StringRef key);
/// The progress of a dispatch.
std::optional<DispatchProgress>
GetProgress(const StructuredData::Dictionary &object);

} // namespace wavelane
} // namespace lldb_private

#endif
