//===-- SIMDFormatters.h - values written as vectors ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In explicit SIMD, the source uses vectors and the thread has one lane, so the
// vector is shown. Summaries and children for
//   std::experimental::simd and simd_mask      (libstdc++, Parallelism TS 2)
//   sycl::ext::intel::esimd::simd, simd_mask and simd_view
//   HIP's vector classes (float4, half2, ...)
// Vectors of GCC, clang and <immintrin.h> are types of the compiler, which LLDB
// shows as vectors by itself.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_LANGUAGE_EXPLICITSIMD_SIMDFORMATTERS_H
#define WAVELANE_PLUGINS_LANGUAGE_EXPLICITSIMD_SIMDFORMATTERS_H

namespace lldb_private {
namespace wavelane {

/// Adds the formatters, as category "simd", for every debugger.
void InitializeSIMDFormatters();

} // namespace wavelane
} // namespace lldb_private

#endif
