//===-- LibraryFrames.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LibraryFrames.h"
#include "Core/Support/LibraryCode.h"

#include "lldb/Target/StackFrame.h"
#include "lldb/Target/StackFrameRecognizer.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static constexpr char kRecognizer[] = "Code of libraries' headers";

namespace {
class LibraryFrame : public RecognizedStackFrame {
public:
  explicit LibraryFrame(StackFrameSP own_sp) : m_own_sp(std::move(own_sp)) {}
  StackFrameSP GetMostRelevantFrame() override { return m_own_sp; }
  bool ShouldHide() override { return true; }

private:
  StackFrameSP m_own_sp;
};

/// LLDB looks for the symbol of an inlined function's caller one byte before
/// the PC, which is outside at the first instruction, and asks no recognizer
/// about a frame without a symbol.
static void GiveSymbol(StackFrame &inlined, StackFrame &caller) {
  const SymbolContext &context =
      caller.GetSymbolContext(eSymbolContextFunction | eSymbolContextSymbol);
  const SymbolContext &known =
      inlined.GetSymbolContext(eSymbolContextFunction | eSymbolContextSymbol);
  if (!context.symbol && known.symbol && context.function == known.function &&
      caller.GetFrameCodeAddress() == inlined.GetFrameCodeAddress())
    const_cast<SymbolContext &>(context).symbol = known.symbol;
}

class LibraryFrameRecognizer : public StackFrameRecognizer {
public:
  std::string GetName() override { return kRecognizer; }

  RecognizedStackFrameSP RecognizeFrame(StackFrameSP frame_sp) override {
    constexpr uint32_t kMaxFrames = 64;
    ThreadSP thread_sp = frame_sp->GetThread();
    if (!thread_sp || !IsLibraryCode(*frame_sp))
      return nullptr;
    const uint32_t index = frame_sp->GetFrameIndex();
    for (uint32_t i = 1; i <= kMaxFrames; ++i) {
      StackFrameSP caller_sp = thread_sp->GetStackFrameAtIndex(index + i);
      if (!caller_sp)
        break;
      GiveSymbol(*frame_sp, *caller_sp);
      if (!IsLibraryCode(*caller_sp))
        return std::make_shared<LibraryFrame>(caller_sp);
    }
    return nullptr;
  }
};
} // namespace

void lldb_private::wavelane::HideLibraryFrames(Target &target) {
  StackFrameRecognizerManager &recognizers = target.GetFrameRecognizerManager();
  bool known = false;
  recognizers.ForEach([&](uint32_t, bool, std::string name, std::string,
                          llvm::ArrayRef<ConstString>, Mangled::NamePreference,
                          bool) { known |= name == kRecognizer; });
  if (!known)
    recognizers.AddRecognizer(std::make_shared<LibraryFrameRecognizer>(),
                              /*module=*/RegularExpressionSP(),
                              /*symbol=*/RegularExpressionSP(),
                              Mangled::ePreferDemangled,
                              /*first_instruction_only=*/false);
}
