//===-- MathFunctions.h - C's functions of numbers --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_CALL_MATHFUNCTIONS_H
#define WAVELANE_CORE_CALL_MATHFUNCTIONS_H

#include "wavelane/GPU/SmallFloat.h"
#include "llvm/ADT/StringRef.h"

namespace lldb_private {
namespace wavelane {

/// A function of <math.h>, computed by the debugger's host. A GPU's own result
/// can differ in the last digits.
struct MathFunction {
  const char *name;
  unsigned arguments; ///< 1 to 3
  double (*wide)(const double *arguments);
  float (*narrow)(const float *arguments);
};

/// \param[in] name "sqrt" for either width.
/// \return null if there is none of that name.
const MathFunction *FindMathFunction(llvm::StringRef name);

/// A number from the bits of a small one, and the bits of the nearest small
/// one. The second argument is the kind, from GetSmallFloatKind. Both are
/// doubles: there is no narrow form.
const MathFunction &GetSmallFloatDecoder();
const MathFunction &GetSmallFloatEncoder();
double GetSmallFloatKind(const ::wavelane::gpu::SmallFloat &kind);

} // namespace wavelane
} // namespace lldb_private

#endif
