//===-- CallLowering.h - calls in the code of an expression -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_LANGUAGERUNTIME_HIP_CALLLOWERING_H
#define WAVELANE_PLUGINS_LANGUAGERUNTIME_HIP_CALLLOWERING_H

#include "Core/Call/FunctionCalls.h"
#include "llvm/IR/IRBuilder.h"

namespace clang {
class FunctionDecl;
}

namespace lldb_private {
class Process;

namespace wavelane {

/// Rewrites calls as accesses of memory, see FunctionCalls.h.
class CallLowering {
public:
  CallLowering(Process &process, FunctionCalls &calls, llvm::Module &module,
               llvm::Function &function)
      : m_process(process), m_calls(calls), m_module(module),
        m_function(function) {}

  /// Calls of functions that the expression only declares.
  bool Run();
  /// Calls of <math.h>, as functions or as LLVM's intrinsics.
  bool LowerMath();

private:
  bool Lower(llvm::CallInst &inst);
  bool LowerMath(llvm::CallInst &inst);
  void Resolve(llvm::StringRef name, const clang::FunctionDecl &decl,
               FunctionCall &call);
  bool ResolveUnnamed(const clang::FunctionDecl &decl, FunctionCall &call);
  const clang::FunctionDecl *FindDeclaration(const llvm::Function &function);
  bool LowerTrivialMember(llvm::CallInst &inst,
                          const clang::FunctionDecl &decl);
  bool LowerStructLoad(llvm::LoadInst &load);
  bool LowerSmallFloat(llvm::CallInst &inst, const clang::FunctionDecl &decl);
  /// \return The result, of the arguments' type.
  llvm::Value *CallMath(llvm::IRBuilder<> &builder, const MathFunction &math,
                        llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Constant *GetAddress(uint64_t offset);

  Process &m_process;
  FunctionCalls &m_calls;
  llvm::Module &m_module;
  llvm::Function &m_function;
};

} // namespace wavelane
} // namespace lldb_private

#endif
