//===-- StepBack.h - steps to earlier lines ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB steps forward only. A step back is one request to the device, which
// looks at what the wave has executed before (Device/BackSearch.h), with what
// LLDB knows of the code; then the wave goes there.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_STEPBACK_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_STEPBACK_H

#include "ThreadAMDGPU.h"

#include "wavelane/Protocol/Device/HistoryMessages.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>

namespace lldb_private {
namespace wavelane {

class WaveProcess;

enum class BackStep {
  Instruction,
  InstructionOver, ///< Calls are one instruction.
  Into,            ///< To the beginning of this line, or of the line before.
  Over,            ///< The same, not into functions that were called.
  Out,             ///< To the call of this function, or the kernel's beginning.
};

/// Asks the server about the recording (packets::Time).
llvm::Expected<llvm::json::Value>
SendTimePacket(WaveProcess &process,
               const ::wavelane::protocol::TimeRequest &request);
/// Asks about what is recorded, by one of protocol::TimeRequest.
template <typename T>
llvm::Expected<typename T::Answer> AskTime(WaveProcess &process,
                                           const T &request) {
  llvm::Expected<llvm::json::Value> answer = SendTimePacket(process, request);
  if (!answer)
    return answer.takeError();
  return ::wavelane::protocol::read<typename T::Answer>(*answer,
                                                        "the server's answer");
}

/// Prepares a wave to go back when its process is resumed next. The error says
/// why it can't.
llvm::Error PrepareStepBack(WaveProcess &process, ThreadAMDGPU &wave,
                            BackStep kind);

/// Prepares a wave to go to a position of the recording before the present
/// one.
/// \param number  The recording's number of the wave that stops there.
llvm::Error PrepareTravel(WaveProcess &process, ThreadAMDGPU &wave,
                          int64_t position, const char *name,
                          std::optional<int64_t> number);

} // namespace wavelane
} // namespace lldb_private

#endif
