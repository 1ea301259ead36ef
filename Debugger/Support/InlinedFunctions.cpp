//===-- InlinedFunctions.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InlinedFunctions.h"
#include "LibraryCode.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/RegularExpression.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <vector>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static bool IsNameCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The names in front of parentheses.
static std::vector<llvm::StringRef> FindCalls(llvm::StringRef expression) {
  std::vector<llvm::StringRef> names;
  for (size_t open = expression.find('('); open != llvm::StringRef::npos;
       open = expression.find('(', open + 1)) {
    const llvm::StringRef before = expression.take_front(open).rtrim();
    size_t begin = before.size();
    while (begin > 0 && IsNameCharacter(before[begin - 1]))
      --begin;
    if (begin < before.size() && !llvm::isDigit(before[begin]))
      names.push_back(before.drop_front(begin));
  }
  return names;
}

/// Whether the frame's file defines a function of the GPU with that name.
static bool IsInSource(Target &target, StackFrame *frame,
                       llvm::StringRef name) {
  const LineEntry line =
      frame ? frame->GetSymbolContext(eSymbolContextLineEntry).line_entry
            : LineEntry();
  if (!line.IsValid())
    return false;
  RegularExpression definition(
      ("(__device__|__forceinline__|inline).*[^A-Za-z0-9_]" + name + "[ ]*\\(")
          .str());
  std::vector<uint32_t> lines;
  target.GetSourceManager().FindLinesMatchingRegex(line.file_sp, definition, 1,
                                                   UINT32_MAX, lines);
  return !lines.empty();
}

/// Whether a function of the program is called \a name, and each is inlined.
static bool IsInlinedEverywhere(Target &target, StackFrame *frame,
                                llvm::StringRef name) {
  ModuleFunctionSearchOptions options;
  options.include_inlines = true;
  options.include_symbols = false;
  SymbolContextList found;
  target.GetImages().FindFunctions(ConstString(name), eFunctionNameTypeAuto,
                                   options, found);
  bool is_inlined = false;
  for (const SymbolContext &context : found) {
    Block *block =
        context.block ? context.block->GetContainingInlinedBlock() : nullptr;
    const InlineFunctionInfo *info =
        block ? block->GetInlinedFunctionInfo() : nullptr;
    if (!info || IsLibraryFile(info->GetDeclaration().GetFile()))
      return false;
    is_inlined = true;
  }
  return is_inlined || (found.IsEmpty() && IsInSource(target, frame, name));
}

std::string
lldb_private::wavelane::DescribeInlinedCall(const ExecutionContext &exe_ctx,
                                            llvm::StringRef expression) {
  Target *target = exe_ctx.GetTargetPtr();
  if (!target || target->GetArchitecture().GetMachine() != llvm::Triple::amdgcn)
    return "";
  for (llvm::StringRef name : FindCalls(expression))
    if (IsInlinedEverywhere(*target, exe_ctx.GetFramePtr(), name))
      return llvm::formatv(
          "{0} is inlined wherever it is called, so there is no function that "
          "an expression can call: compile it with -O0, or as "
          "__attribute__((noinline))",
          name);
  return "";
}
