//===-- Rounds.h - how long random tests are --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TEST_UNIT_ROUNDS_H
#define WAVELANE_TEST_UNIT_ROUNDS_H

#include "llvm/Support/Compiler.h"

namespace wavelane::test {

/// How many rounds a random test has that usually has \a Count: a quarter under
/// AddressSanitizer, where each takes several times as long. Another seed tries
/// others: --gtest_random_seed=N.
constexpr unsigned rounds(unsigned Count) {
  return LLVM_ADDRESS_SANITIZER_BUILD ? Count / 4 : Count;
}

} // namespace wavelane::test

#endif // WAVELANE_TEST_UNIT_ROUNDS_H
