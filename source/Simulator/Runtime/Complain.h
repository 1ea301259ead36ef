//===-- Complain.h - messages to the user of a program ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_RUNTIME_COMPLAIN_H
#define WAVELANE_SIMULATOR_RUNTIME_COMPLAIN_H

namespace wavelane {
namespace runtime {

/// Prints "wavelane: ..." on stderr.
void complain(const char *Format, ...) __attribute__((format(printf, 1, 2)));

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_COMPLAIN_H
