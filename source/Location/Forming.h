//===-- Forming.h - addresses and registers in a context --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_LOCATION_FORMING_H
#define WAVELANE_SOURCE_LOCATION_FORMING_H

#include "wavelane/Location/Evaluator.h"

namespace wavelane::location {

/// Makes \a L, which must be undefined, memory of an address space, for the
/// current lane and thread.
llvm::Error formAddress(Context &C, uint64_t Space, uint64_t Address,
                        Location &L);
/// The frame base plus \a Distance bytes.
llvm::Error formFrameRelative(Context &C, const EvaluationOptions &O,
                              uint64_t Distance, Location &L);
/// Makes \a L, which must be undefined, a register of the current lane and
/// thread.
void formRegister(Context &C, uint64_t Number, Location &L);
/// The contents of a register, as an address or number.
/// \param AddressBits  The size of addresses in the space that it addresses.
llvm::Error readRegister(Context &C, const EvaluationOptions &O,
                         uint64_t Number, unsigned AddressBits, uint64_t &V);
/// Upstream clang: whether it is the current lane's element of a vector
/// register.
bool isVectorElement(Context &C, uint64_t Number, Location &L);

} // namespace wavelane::location

#endif
