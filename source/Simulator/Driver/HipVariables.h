//===-- HipVariables.h - a program's __constant__ variables -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DRIVER_HIPVARIABLES_H
#define WAVELANE_SIMULATOR_DRIVER_HIPVARIABLES_H

namespace wavelane::driver::variables {

/// \param Symbol The host's variable, as for hipMemcpyToSymbol.
bool isConstant(const void *Symbol);
/// Before a launch: where these are on the thread's device, once for each.
void noteConstants();

} // namespace wavelane::driver::variables

#endif // WAVELANE_SIMULATOR_DRIVER_HIPVARIABLES_H
