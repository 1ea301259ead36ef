//===-- InstructionTable.h - which instructions are modeled -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TEST_UNIT_ISA_INSTRUCTIONTABLE_H
#define WAVELANE_TEST_UNIT_ISA_INSTRUCTIONTABLE_H

#include "wavelane/GPU/Processors.h"

#include "llvm/ADT/StringRef.h"

#include <set>
#include <string>

namespace isatest {

/// The instructions of a GPU, as written in assembly: those of LLVM's tables
/// that its assembler accepts for the GPU.
std::set<std::string> instructionsOf(const wavelane::gpu::Processor &P);
/// Whether the simulated GPU executes one.
bool isModeled(const wavelane::gpu::Processor &P, llvm::StringRef Name);
/// Without what names the encoding: "_e32".
llvm::StringRef withoutEncoding(llvm::StringRef Mnemonic);
/// The text of docs/instructions.md.
std::string instructionPage();

} // namespace isatest

#endif // WAVELANE_TEST_UNIT_ISA_INSTRUCTIONTABLE_H
