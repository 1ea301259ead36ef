//===-- LogOnce.h - features that aren't modeled ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DRIVER_LOGONCE_H
#define WAVELANE_SIMULATOR_DRIVER_LOGONCE_H

#include <string>

namespace wavelane::driver {

/// Reports an unmodeled feature on standard error, once each, if WAVELANE_LOG
/// is set.
void logOnce(const std::string &What);

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_LOGONCE_H
