//===-- StopInstruction.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StopInstruction.h"
#include "Core/Support/StopRecord.h"
#include "LoadedCode.h"

#include "lldb/Target/StopInfo.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::protocol::StopKind;

std::optional<StopInstruction>
lldb_private::wavelane::FindStopInstruction(Target &target, StopInfo &info,
                                            addr_t pc) {
  if (info.GetStopReason() != eStopReasonException)
    return std::nullopt;
  const ::wavelane::protocol::Stop *stop = GetStopRecord(info);
  if (stop && stop->PC) {
    switch (stop->Kind) {
    case StopKind::MemoryViolation:
    case StopKind::AddressError: {
      if (pc == *stop->PC)
        return std::nullopt;
      std::optional<AMDGPUMachineCode::Instruction> failed =
          DecodeAt(target, *stop->PC);
      return StopInstruction{*stop->PC,
                             failed && pc == *stop->PC + failed->size};
    }
    case StopKind::FloatingPointException:
    case StopKind::DivisionByZero:
      // The record has the address after.
      if (pc == *stop->PC)
        return StopInstruction{pc - 1, true};
      return std::nullopt;
    default:
      break;
    }
  }
  constexpr addr_t kTrapSize = 4;
  std::optional<AMDGPUMachineCode::Instruction> before =
      DecodeAt(target, pc - kTrapSize);
  if (before && before->facts->IsTrap)
    return StopInstruction{pc - kTrapSize, true};
  return std::nullopt;
}
