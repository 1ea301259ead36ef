//===-- WideRegisters.h - AVX-512 registers of the host's threads ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WIDEREGISTERS_H
#define WAVELANE_SERVER_WIDEREGISTERS_H

namespace wavelane::server {

/// From now on a thread's register context has AVX-512's registers, where the
/// processor has them.
void UseWideRegisters();

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WIDEREGISTERS_H
