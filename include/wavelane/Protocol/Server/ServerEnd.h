//===-- ServerEnd.h - Why a server has ended by itself ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PROTOCOL_SERVER_SERVEREND_H
#define WAVELANE_PROTOCOL_SERVER_SERVEREND_H

namespace wavelane::server {

/// The variable with the MiB that a server may take for itself, and the status
/// with which it ends when it has taken more.
inline constexpr char MemoryLimitVariable[] = "WAVELANE_SERVER_MEMORY_LIMIT";
inline constexpr int MemoryLimitStatus = 75;

} // namespace wavelane::server

#endif // WAVELANE_PROTOCOL_SERVER_SERVEREND_H
