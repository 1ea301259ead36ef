//===-- UnheldConditions.h - breakpoints whose condition fails --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_COUPLING_UNHELDCONDITIONS_H
#define WAVELANE_SESSION_COUPLING_UNHELDCONDITIONS_H

namespace lldb_private {
class Process;

namespace wavelane {

/// LLDB evaluates no conditions at a stop that was an interrupt. A thread that
/// was interrupted at a breakpoint would then seem to have hit it. Evaluates
/// the conditions, and takes the stop reason from threads at breakpoints none
/// of which stops there.
void ForgetUnheldConditions(Process &process);

} // namespace wavelane
} // namespace lldb_private

#endif
