//===-- LaneValues.h - an expression in lanes of waves ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_GPU_LANEVALUES_H
#define WAVELANE_SERVER_GPU_LANEVALUES_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace wavelane::server {

class GPUProcess;

/// The answer to packets::Evaluate. Fails if the expression is ill-formed.
llvm::Expected<llvm::json::Value>
EvaluateInLanes(GPUProcess &process, const llvm::json::Object &arguments);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPU_LANEVALUES_H
