//===-- StopKinds.cpp - Reasons of stops as LLDB tells them ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StopKinds.h"
#include "wavelane/Protocol/Library/amd-dbgapi.h"
#include "wavelane/Protocol/Server/Packets.h"
#include <csignal>

namespace wavelane::server {

static constexpr StopKind Kinds[] = {
    {AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR, SIGBUS, packets::AddressError,
     AMD_DBGAPI_EXCEPTION_WAVE_ADDRESS_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION, SIGSEGV,
     packets::MemoryViolation, AMD_DBGAPI_EXCEPTION_WAVE_MEMORY_VIOLATION},
    {AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION, SIGILL,
     packets::IllegalInstruction,
     AMD_DBGAPI_EXCEPTION_WAVE_ILLEGAL_INSTRUCTION},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_INPUT_DENORMAL, SIGFPE,
     "floating-point exception: denormal operand",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_DIVIDE_BY_0, SIGFPE,
     "floating-point exception: division by zero",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_OVERFLOW, SIGFPE,
     "floating-point exception: overflow",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_UNDERFLOW, SIGFPE,
     "floating-point exception: underflow",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_INEXACT, SIGFPE,
     "floating-point exception: inexact result",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_INVALID_OPERATION, SIGFPE,
     "floating-point exception: invalid operation",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_INT_DIVIDE_BY_0, SIGFPE,
     packets::DivisionByZero, AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_ASSERT_TRAP, SIGABRT,
     packets::AssertionOrAbort, AMD_DBGAPI_EXCEPTION_WAVE_ABORT},
    {AMD_DBGAPI_WAVE_STOP_REASON_ECC_ERROR, SIGBUS, packets::MemoryError, 0},
    {AMD_DBGAPI_WAVE_STOP_REASON_FATAL_HALT, SIGABRT, packets::FatalHalt, 0},
    {AMD_DBGAPI_WAVE_STOP_REASON_DEBUG_TRAP, SIGTRAP, packets::DebugTrap, 0},
    {AMD_DBGAPI_WAVE_STOP_REASON_TRAP, SIGTRAP, packets::Trap, 0},
};

llvm::ArrayRef<StopKind> GetStopKinds() { return Kinds; }

const StopKind *GetStopKind(uint32_t reasons) {
  for (const StopKind &kind : Kinds)
    if (reasons & kind.reasons)
      return &kind;
  return nullptr;
}

} // namespace wavelane::server
