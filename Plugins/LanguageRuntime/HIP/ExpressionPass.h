//===-- ExpressionPass.h - makes expressions interpretable ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGERUNTIME_HIP_EXPRESSIONPASS_H
#define WAVELANE_PLUGINS_LANGUAGERUNTIME_HIP_EXPRESSIONPASS_H

#include "llvm/Pass.h"

namespace lldb_private {
class Process;

namespace wavelane {
class FunctionCalls;

/// Rewrites the code of an expression for LLDB's interpreter, which has one
/// function, no vectors and no calls: functions of the expression are inlined,
/// calls of the program's functions go through FunctionCalls, vectors become
/// their elements.
class ExpressionPass : public llvm::ModulePass {
public:
  static char ID;

  ExpressionPass(Process &process, FunctionCalls &calls)
      : llvm::ModulePass(ID), m_process(process), m_calls(calls) {}

  llvm::StringRef getPassName() const override {
    return "Calls of GPU functions in expressions";
  }
  bool runOnModule(llvm::Module &module) override;

private:
  Process &m_process;
  FunctionCalls &m_calls;
};

} // namespace wavelane
} // namespace lldb_private

#endif
