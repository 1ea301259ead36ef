//===-- SmallFloatFormatters.h - numbers of 4 to 16 bits --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP's headers have classes for floating-point numbers without a C++ type: a
// number is shown as a number, and several in one object as a list.
//   __half, __hip_fp8_e4m3, __hip_fp8x4_e5m2_fnuz, __hip_fp4_e2m1, ...
//   (hip_fp8.h and so on) __hipext_ocp_fp6x32_e2m3, ... (hip_ext_ocp.h)
//   hip_bfloat16, __hip_bfloat16
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_LANGUAGE_SMALLFLOAT_SMALLFLOATFORMATTERS_H
#define WAVELANE_PLUGINS_LANGUAGE_SMALLFLOAT_SMALLFLOATFORMATTERS_H

namespace lldb_private {
namespace wavelane {

/// Adds the formatters, as category "hip", for every debugger.
void InitializeSmallFloatFormatters();

} // namespace wavelane
} // namespace lldb_private

#endif
