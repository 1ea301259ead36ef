//===-- AmdHipErrors.cpp - errors of AMD's HIP runtime --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HipFunction.h"
#include "Simulator/Common/HipErrors.h"

#include <sys/syscall.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::driver;

void driver::heardError(hipError_t E) {
  using Get = const char *(hipError_t);
  static auto *const Name = reinterpret_cast<Get *>(findHip("hipGetErrorName"));
  static auto *const Text =
      reinterpret_cast<Get *>(findHip("hipGetErrorString"));
  static const bool ReportsItself = findHip("__hipOnError");
  if (!Name || !Text)
    return;
  if (!ReportsItself)
    simulator::reportError(uint32_t(E), Name(E), Text(E));
  simulator::noteError(uint32_t(E), Name(E));
}

/// The result is the error of an earlier call.
#define ASK(NAME)                                                              \
  FACE hipError_t NAME() {                                                     \
    using Function = hipError_t();                                             \
    static auto *const Next = reinterpret_cast<Function *>(findHip(__func__)); \
    simulator::forgetError();                                                  \
    return Next ? Next() : hipErrorSharedObjectSymbolNotFound;                 \
  }
ASK(hipExtGetLastError)
ASK(hipGetLastError)
ASK(hipGetLastError_spt)
ASK(hipPeekAtLastError)
ASK(hipPeekAtLastError_spt)
#undef ASK

/// A debugger lets the program run this instead of the C library's _exit, which
/// calls no function of a library.
extern "C" __attribute__((visibility("default"), noreturn)) void
wavelane_exit(int Status) {
  simulator::reportUnreadError();
  syscall(SYS_exit_group, Status);
  __builtin_trap();
}
