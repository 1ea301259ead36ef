//===-- EvaluationContext.h - a frame as its values see it ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_EVALUATIONCONTEXT_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_EVALUATIONCONTEXT_H

#include "Core/Lane/FrameFacts.h"
#include "EntryAttributes.h"
#include "wavelane/Location/Evaluator.h"
#include "llvm/Support/SaveAndRestore.h"
#include <memory>

namespace lldb_private {
namespace wavelane {

/// The context of a frame and lane, as those see it that FrameContext needs
/// itself: objects behind addresses, and the values that a call has passed.
class EvaluationContext : public location::Context {
public:
  virtual const FrameFacts &GetFacts() const = 0;
  /// The options for evaluating \a expression of this unit.
  virtual location::EvaluationOptions
  GetOptions(llvm::ArrayRef<uint8_t> expression) const = 0;

  /// The number of frames, from callee to caller, that were left on the way to
  /// this one by evaluations that need the caller's values.
  virtual unsigned GetCallDepth() const = 0;
  /// The context of \a caller, which has called this frame's function, for
  /// expressions in the unit of \a in_unit.
  virtual std::shared_ptr<EvaluationContext>
  MakeCaller(StackFrame &caller,
             const plugin::dwarf::DWARFDIE &in_unit) const = 0;

  /// While it exists, implicit pointers read as pointers to their pointees;
  /// only needed for expressions.
  class PointerScope {
  public:
    explicit PointerScope(EvaluationContext &context)
        : m_given(context.m_gives_pointers, true) {}

  private:
    llvm::SaveAndRestore<bool> m_given;
  };

protected:
  bool m_gives_pointers = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
