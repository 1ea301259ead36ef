//===-- RuntimeHelp.h - what help says of the runtimes ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What choose() does, for the help of each program that lets a user choose.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_RUNTIMECHOICE_RUNTIMEHELP_H
#define WAVELANE_RUNTIMECHOICE_RUNTIMEHELP_H

namespace wavelane::runtimechoice {

inline constexpr char AutoHelp[] =
    "Wavelane's for HIP; AMD's for HSA and OpenCL, or if the program's own "
    "path (DT_RPATH) leads to it.";
inline constexpr char AmdHelp[] =
    "The runtime that the program would use on hardware.";
inline constexpr char WavelaneHelp[] =
    "Wavelane's own, for programs that use HIP.";

} // namespace wavelane::runtimechoice

#endif // WAVELANE_RUNTIMECHOICE_RUNTIMEHELP_H
