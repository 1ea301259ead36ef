//===-- Lanes.h - one variable in all lanes ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LOCATION_LANES_H
#define WAVELANE_LOCATION_LANES_H

#include "wavelane/Location/Evaluator.h"

namespace wavelane::location {

/// Reads the object that \a Expression describes in each of \a Lanes lanes.
///
/// Most expressions only use the lane to select an element: the location moves
/// by the same step from lane to lane. These are evaluated in three lanes, and
/// neighbouring elements are read at once; others are evaluated in every lane.
/// \param ContextOf  Returns the context of a lane; it may be a single object
/// that
///     changes.
/// \param Size  The number of bytes to read in each lane.
/// \param Found  Called for each lane in order, with its bytes (valid during
///     the call) or an error.
void readLanes(
    llvm::ArrayRef<uint8_t> Expression, uint32_t Lanes,
    llvm::function_ref<Context &(uint32_t Lane)> ContextOf, size_t Size,
    llvm::function_ref<void(uint32_t Lane,
                            llvm::Expected<llvm::ArrayRef<uint8_t>> Bytes)>
        Found,
    const EvaluationOptions &Options = {});

/// Whether the location of \a Expression moves by the same step from each lane
/// to the next, judged by its operations. False is always a safe answer.
bool isLinearInLane(llvm::ArrayRef<uint8_t> Expression,
                    const DecodeOptions &Options = {});

} // namespace wavelane::location

#endif
