//===-- Straight.h - expressions that need no machine -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_LOCATION_STRAIGHT_H
#define WAVELANE_SOURCE_LOCATION_STRAIGHT_H

#include "wavelane/Location/Evaluator.h"

namespace wavelane::location {

/// Evaluates, without a machine, an expression of a single register or address,
/// or one that computes an address or a value of the generic type: most are.
/// \param[out] Result  Must be new.
/// \return False, for any other expression and on errors, which the machine
///     reports. Result is useless then.
bool evaluateStraight(llvm::ArrayRef<uint8_t> Expression, Context &C,
                      ResultKind Kind, const EvaluationOptions &O,
                      Entry &Result);

} // namespace wavelane::location

#endif
