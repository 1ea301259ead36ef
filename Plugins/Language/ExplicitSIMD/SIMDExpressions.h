//===-- SIMDExpressions.h - elements in C++ expressions ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of std::experimental::simd are inlined everywhere, so that a
// program has no code that an expression could call. A subscript of such an
// object becomes one of the member that holds the element: t[2] is
// t._M_data._M_data[2], which can be read and assigned to.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_LANGUAGE_EXPLICITSIMD_SIMDEXPRESSIONS_H
#define WAVELANE_PLUGINS_LANGUAGE_EXPLICITSIMD_SIMDEXPRESSIONS_H

namespace lldb_private {
namespace wavelane {

/// Makes C++ expressions know the elements, in every target made from now on.
void InitializeSIMDExpressions();

} // namespace wavelane
} // namespace lldb_private

#endif
