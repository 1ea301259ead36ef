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

/// The names before parentheses.
static std::vector<llvm::StringRef> FindCalls(llvm::StringRef expression) {
  std::vector<llvm::StringRef> names;
  for (size_t open = expression.find('('); open != llvm::StringRef::npos;
       open = expression.find('(', open + 1)) {
    llvm::StringRef before = expression.take_front(open).rtrim();
    // Behind a template's name are its arguments.
    if (before.ends_with(">"))
      before = before.rsplit('<').first.rtrim();
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
      ("(__device__|__forceinline__|inline)[^({=;]*[^A-Za-z0-9_]" + name +
       "[ ]*\\(")
          .str());
  std::vector<uint32_t> lines;
  target.GetSourceManager().FindLinesMatchingRegex(line.file_sp, definition, 1,
                                                   UINT32_MAX, lines);
  return !lines.empty();
}

/// Whether the GPU has code for a template of that name, which LLDB only finds
/// with its arguments.
static bool HasTemplate(Target &target, llvm::StringRef name) {
  ModuleFunctionSearchOptions options;
  options.include_inlines = false;
  options.include_symbols = false;
  SymbolContextList found;
  target.GetImages().FindFunctions(RegularExpression(("^" + name + "<").str()),
                                   options, found);
  return !found.IsEmpty();
}

/// Why an expression can't call \a name; empty if it can, or if the program has
/// no such function.
static std::string DescribeObstacle(Target &target, StackFrame *frame,
                                    llvm::StringRef name) {
  ModuleFunctionSearchOptions options;
  options.include_inlines = true;
  options.include_symbols = false;
  SymbolContextList found;
  target.GetImages().FindFunctions(ConstString(name), eFunctionNameTypeAuto,
                                   options, found);
  for (const SymbolContext &context : found) {
    Block *block =
        context.block ? context.block->GetContainingInlinedBlock() : nullptr;
    const InlineFunctionInfo *info =
        block ? block->GetInlinedFunctionInfo() : nullptr;
    if (!info || IsLibraryFile(info->GetDeclaration().GetFile()))
      return "";
  }
  if (found.IsEmpty() && !IsInSource(target, frame, name))
    return "";
  if (found.IsEmpty() && HasTemplate(target, name))
    return llvm::formatv("{0} is a template, and expressions can't call one: "
                         "call a function that calls it, or write what it does",
                         name);
  return llvm::formatv(
      "{0} is inlined wherever it is called{1}, so there is no function that "
      "an expression can call: compile it with -O0, or as "
      "__attribute__((noinline))",
      name, found.IsEmpty() ? ", or never called" : "");
}

std::string
lldb_private::wavelane::DescribeInlinedCall(const ExecutionContext &exe_ctx,
                                            llvm::StringRef expression) {
  Target *target = exe_ctx.GetTargetPtr();
  if (!target || target->GetArchitecture().GetMachine() != llvm::Triple::amdgcn)
    return "";
  for (llvm::StringRef name : FindCalls(expression))
    if (std::string why =
            DescribeObstacle(*target, exe_ctx.GetFramePtr(), name);
        !why.empty())
      return why;
  return "";
}
