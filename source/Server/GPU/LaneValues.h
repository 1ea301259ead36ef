//===-- LaneValues.h - an expression in lanes of waves ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_GPU_LANEVALUES_H
#define WAVELANE_SERVER_GPU_LANEVALUES_H

#include "wavelane/Protocol/Server/WaveMessages.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace wavelane::server {

class GPUProcess;

/// The answer to packets::Evaluate. Fails if the expression is ill-formed.
llvm::Expected<std::vector<protocol::EvaluatedWave>>
EvaluateInLanes(GPUProcess &process, const protocol::EvaluateRequest &request);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPU_LANEVALUES_H
