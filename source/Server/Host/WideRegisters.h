//===-- WideRegisters.h - AVX-512 registers of the host's threads ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_HOST_WIDEREGISTERS_H
#define WAVELANE_SERVER_HOST_WIDEREGISTERS_H

namespace wavelane::server {

/// Adds AVX-512's registers to threads' register contexts, if the processor has
/// them.
void UseWideRegisters();

} // namespace wavelane::server

#endif // WAVELANE_SERVER_HOST_WIDEREGISTERS_H
