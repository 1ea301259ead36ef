//===-- StopKinds.cpp - Reasons of stops in LLDB's words ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StopKinds.h"
#include "wavelane/Protocol/Library/amd-dbgapi.h"
#include <csignal>

namespace wavelane::server {

using Kind = protocol::StopKind;

static constexpr StopKind Kinds[] = {
    {AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR, SIGBUS, Kind::AddressError, "",
     AMD_DBGAPI_EXCEPTION_WAVE_ADDRESS_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION, SIGSEGV,
     Kind::MemoryViolation, "", AMD_DBGAPI_EXCEPTION_WAVE_MEMORY_VIOLATION},
    {AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION, SIGILL,
     Kind::IllegalInstruction, "",
     AMD_DBGAPI_EXCEPTION_WAVE_ILLEGAL_INSTRUCTION},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_INPUT_DENORMAL, SIGFPE,
     Kind::FloatingPointException, "denormal operand",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_DIVIDE_BY_0, SIGFPE,
     Kind::FloatingPointException, "division by zero",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_OVERFLOW, SIGFPE,
     Kind::FloatingPointException, "overflow",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_UNDERFLOW, SIGFPE,
     Kind::FloatingPointException, "underflow",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_INEXACT, SIGFPE,
     Kind::FloatingPointException, "inexact result",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_FP_INVALID_OPERATION, SIGFPE,
     Kind::FloatingPointException, "invalid operation",
     AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_INT_DIVIDE_BY_0, SIGFPE, Kind::DivisionByZero,
     "", AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR},
    {AMD_DBGAPI_WAVE_STOP_REASON_ASSERT_TRAP, SIGABRT, Kind::AssertionOrAbort,
     "", AMD_DBGAPI_EXCEPTION_WAVE_ABORT},
    {AMD_DBGAPI_WAVE_STOP_REASON_ECC_ERROR, SIGBUS, Kind::MemoryError, "", 0},
    {AMD_DBGAPI_WAVE_STOP_REASON_FATAL_HALT, SIGABRT, Kind::FatalHalt, "", 0},
    {AMD_DBGAPI_WAVE_STOP_REASON_DEBUG_TRAP, SIGTRAP, Kind::DebugTrap, "", 0},
    {AMD_DBGAPI_WAVE_STOP_REASON_TRAP, SIGTRAP, Kind::Trap, "", 0},
};

llvm::ArrayRef<StopKind> GetStopKinds() { return Kinds; }

const StopKind *GetStopKind(uint32_t reasons) {
  for (const StopKind &kind : Kinds)
    if (reasons & kind.reasons)
      return &kind;
  return nullptr;
}

} // namespace wavelane::server
