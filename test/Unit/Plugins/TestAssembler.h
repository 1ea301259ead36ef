// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_UNIT_PLUGINS_TESTASSEMBLER_H
#define WAVELANE_UNIT_PLUGINS_TESTASSEMBLER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

/// The bytes of a function written in assembly; if it is wrong, the test fails
/// and the result is empty.
std::vector<uint8_t> Assemble(llvm::StringRef text,
                              const char *processor = "gfx90a");

#endif
