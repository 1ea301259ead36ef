//===-- PrintInstructions.cpp - prints docs/instructions.md ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InstructionTable.h"

#include "llvm/Support/raw_ostream.h"

int main() { llvm::outs() << isatest::instructionPage(); }
