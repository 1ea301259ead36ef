//===-- BreakpointKinds.h - what LLDB's own breakpoints are for -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_SUPPORT_BREAKPOINTKINDS_H
#define WAVELANE_CORE_SUPPORT_BREAKPOINTKINDS_H

namespace lldb_private::wavelane {

/// Where the GPU's runtime reports code objects that it loads.
inline constexpr char kCodeObjectsBreakpoint[] = "GPU code objects";

} // namespace lldb_private::wavelane

#endif
