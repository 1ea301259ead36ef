//===-- Lanes.h - one variable in all lanes ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LOCATION_LANES_H
#define WAVELANE_LOCATION_LANES_H

#include "Evaluator.h"

namespace wavelane::location {

/// Reads the object that \a Expression describes in each of the lanes from 0 to
/// \a Lanes - 1.
///
/// Most expressions only use the lane to select an element: the location moves
/// by the same step from lane to lane. These are evaluated once for all lanes,
/// and their elements are read at once; others are evaluated in every lane.
/// \param ContextOf  Returns the context of a lane, which is its current lane.
///     It may be a single object that changes. Contexts of one call differ in
///     nothing else.
/// \param Size  The number of bytes to read in each lane.
/// \param[out] Into  Lanes * Size bytes: those of lane 0, of lane 1 and so on.
/// \param Failed  Called for each lane in which the object can't be read, in
///     order; the lane's bytes in Into are undefined then.
void readLanes(
    llvm::ArrayRef<uint8_t> Expression, uint32_t Lanes,
    llvm::function_ref<Context &(uint32_t Lane)> ContextOf, size_t Size,
    llvm::MutableArrayRef<uint8_t> Into,
    llvm::function_ref<void(uint32_t Lane, llvm::Error Reason)> Failed,
    const EvaluationOptions &Options = {});

} // namespace wavelane::location

#endif
