//===-- DeviceCall.h - a device function called for a lane ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_CALL_DEVICECALL_H
#define WAVELANE_CORE_CALL_DEVICECALL_H

#include "CallMemory.h"
#include "FunctionCall.h"
#include "llvm/Support/Error.h"

namespace lldb_private {
namespace wavelane {

/// Interprets the machine code of a function for one lane of a stopped wave, in
/// a wave of its own: the program's one isn't touched, so that a call works on
/// hardware and on a core file as well, and one that fails leaves nothing
/// after. What the function has written goes to the program's memory when it
/// returns.
class DeviceCall {
public:
  /// \param[in] call Without an obstacle.
  DeviceCall(Process &process, Wave &wave, uint32_t lane,
             const FunctionCall &call);

  /// \param[in,out] memory The arguments and results, see FunctionCall.
  llvm::Error Run(llvm::MutableArrayRef<uint8_t> memory);

private:
  /// \return Where in private memory \a size bytes were reserved.
  llvm::Expected<uint32_t> Reserve(uint64_t size, uint64_t alignment);
  /// An object of the debugger, for the time of the call.
  llvm::Expected<uint32_t> Place(llvm::ArrayRef<uint8_t> bytes,
                                 uint64_t alignment);
  llvm::Error PassArguments(llvm::MutableArrayRef<uint8_t> memory);
  llvm::Error PassObject(const FunctionCall::Value &argument,
                         llvm::MutableArrayRef<uint8_t> memory);
  void PassWord(uint32_t word);
  void PassPosition();
  std::vector<uint8_t> MakePacket();
  llvm::Error Execute();
  llvm::Error DescribeEnd(const ::wavelane::isa::StepResult &end);
  void TakeResults(llvm::MutableArrayRef<uint8_t> memory);

  Process &m_process;
  Wave &m_wave;
  const uint32_t m_lane;
  const FunctionCall &m_call;
  CallMemory m_memory;
  ::wavelane::isa::WaveState m_state;
  /// The next free byte of the stack, and the words that registers have no room
  /// for.
  uint32_t m_stack;
  uint32_t m_next_register = 0;
  std::vector<uint32_t> m_stack_words;
  /// Where the objects of arguments are, as generic addresses.
  std::vector<uint64_t> m_objects;
  uint32_t m_result_address = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
