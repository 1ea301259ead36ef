//===-- Rank.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rank.h"
#include "Core/Record/LaneText.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"

#include <unistd.h>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

Rank::~Rank() {
  if (fd >= 0)
    ::close(fd);
}

ProcessSP Rank::GetProcess() const {
  TargetSP target_sp = GetTarget();
  return target_sp ? target_sp->GetProcessSP() : nullptr;
}

ProcessSP Rank::GetGPU() const {
  std::shared_ptr<ProcessAMDGPU> gpu_sp =
      coupling_sp ? coupling_sp->GetGPU() : nullptr;
  return gpu_sp && gpu_sp->IsAlive() ? gpu_sp : nullptr;
}

TargetSP Rank::GetShownTarget() const {
  ProcessSP gpu_sp = shows_gpu ? GetGPU() : nullptr;
  return gpu_sp ? gpu_sp->CalculateTarget() : GetTarget();
}

std::string
lldb_private::wavelane::FormatRanks(const std::vector<uint32_t> &numbers) {
  return FormatRuns(numbers);
}

std::string
lldb_private::wavelane::NameRanks(const std::vector<uint32_t> &numbers) {
  return (numbers.size() == 1 ? "rank " : "ranks ") + FormatRanks(numbers);
}
