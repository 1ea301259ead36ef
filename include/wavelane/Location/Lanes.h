//===-- Lanes.h - one variable in all lanes --------------------*- C++ -*-===//

#ifndef WAVELANE_LOCATION_LANES_H
#define WAVELANE_LOCATION_LANES_H

#include "wavelane/Location/Evaluator.h"

namespace wavelane::location {

/// Reads what \a Expression describes in each of \a Lanes lanes.
///
/// Most expressions use the lane only to find an element: where an object is grows
/// by the same step from lane to lane. Those are evaluated in three lanes, and
/// neighbouring elements are read at once; others are evaluated in every lane.
/// \param ContextOf  The context of a lane; it may be one object that changes.
/// \param Size  Bytes to read in each lane.
/// \param Found  Told each lane's bytes, or why it has none, in order.
void readLanes(
    llvm::ArrayRef<uint8_t> Expression, uint32_t Lanes,
    llvm::function_ref<Context &(uint32_t Lane)> ContextOf, size_t Size,
    llvm::function_ref<void(uint32_t Lane,
                            llvm::Expected<llvm::ArrayRef<uint8_t>> Bytes)>
        Found,
    const EvaluationOptions &Options = {});

/// Whether \a Expression's location moves by the same step from each lane to the
/// next, as far as its operations tell. False is always a safe answer.
bool isLinearInLane(llvm::ArrayRef<uint8_t> Expression,
                    const DecodeOptions &Options = {});

} // namespace wavelane::location

#endif
