//===-- HipHeader.h - HIP's declarations ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_RUNTIME_HIPHEADER_H
#define WAVELANE_SIMULATOR_RUNTIME_HIPHEADER_H

#define __HIP_PLATFORM_AMD__ 1
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include <hip/hip_runtime_api.h>
#pragma clang diagnostic pop

#endif // WAVELANE_SIMULATOR_RUNTIME_HIPHEADER_H
