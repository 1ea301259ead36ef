//===-- HipErrors.h - a debugger hears of HIP's errors ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debuggers set breakpoints on two functions. __hipOnError is called by each
// function of HIP that fails, as in AMD's runtime since HIP 6.
// wavelane_on_silent_error is called with each mistake that shows in nothing
// but wrong results. A debugger knows better than a runtime whether a
// function's result is used, so such an error is reported with its callers.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_COMMON_HIPERRORS_H
#define WAVELANE_SIMULATOR_COMMON_HIPERRORS_H

#include <cstdint>

namespace wavelane::simulator {

/// What the debugger reads.
struct SilentError {
  static constexpr unsigned Depth = 8;
  uint32_t Number = 0; ///< hipError_t, or hipSuccess for a mistake without one
  uint32_t Reserved = 0;
  const char *Text = nullptr;
  uint64_t Callers[Depth] = {}; ///< return addresses, innermost first; 0 after
                                ///< the last
};

void addCallers(SilentError &E);
void report(const SilentError &E);

/// A function of HIP fails: calls __hipOnError.
void reportError(uint32_t Number, const char *Name, const char *Text);

/// A function of HIP has failed in this thread. The first such error is
/// reported when the program exits, unless it asks for it.
/// \param Name  hipGetErrorName's; must stay.
void noteError(uint32_t Number, const char *Name);
/// The thread asks for its last error.
void forgetError();
/// The program exits.
void reportUnreadError();

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_COMMON_HIPERRORS_H
