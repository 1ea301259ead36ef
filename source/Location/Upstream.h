//===-- Upstream.h - what upstream clang means ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_LOCATION_UPSTREAM_H
#define WAVELANE_SOURCE_LOCATION_UPSTREAM_H

#include <cstdint>

namespace wavelane::location {

// AMDGPU's address spaces in upstream clang's expressions.
constexpr uint64_t SpaceLocal = 3;
constexpr uint64_t SpacePrivateLane = 5;

} // namespace wavelane::location

#endif
