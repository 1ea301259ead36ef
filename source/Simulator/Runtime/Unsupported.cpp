//===-- Unsupported.cpp - functions that exist and say that they do nothing =//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that imports one of these can be loaded; calling it is an error
// that names it. They ignore their arguments, so they are declared without
// parameters.
//
//===----------------------------------------------------------------------===//

#include "HipApi.h"

using namespace wavelane::runtime;

static hipError_t refuse(const char *Name) {
  complain("%s is not supported by the simulated device's runtime", Name);
  return done(hipErrorNotSupported);
}

#define WAVELANE_HIP_UNSUPPORTED(Name)                                         \
  extern "C" HIP_EXPORT int unsupported_##Name() __asm__(#Name);               \
  int unsupported_##Name() { return refuse(#Name); }
#include "wavelane/RuntimeChoice/UnsupportedHip.def"
