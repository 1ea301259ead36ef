//===-- SIMDExpressions.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SIMDExpressions.h"
#include "SIMDLayout.h"

#include "SymbolFile/LaneDWARF/FrameTypes.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static bool IsWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

/// Where the path of variable and members begins that ends at \a end: "h.n" of
/// "1 + h.n". \return \a end if there is none.
static size_t FindPath(llvm::StringRef text, size_t end) {
  size_t begin = end;
  while (true) {
    size_t at = begin;
    // A constant subscript.
    if (at && text[at - 1] == ']') {
      size_t open = at - 1;
      while (open && llvm::isDigit(text[open - 1]))
        --open;
      if (!open || text[open - 1] != '[' || open == at - 1)
        return begin == end ? end : begin;
      at = open - 1;
      begin = at;
      continue;
    }
    while (at && IsWord(text[at - 1]))
      --at;
    if (at == begin || llvm::isDigit(text[at]))
      return end;
    begin = at;
    llvm::StringRef before = text.take_front(begin);
    if (before.consume_back("->") || before.consume_back(".")) {
      begin = before.size();
      continue;
    }
    return before.ends_with("::") ? end : begin;
  }
}

/// Behind the bracket that closes the one at \a open; npos if none does.
static size_t FindEnd(llvm::StringRef text, size_t open) {
  unsigned depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (text[at] == '[')
      ++depth;
    else if (text[at] == ']' && --depth == 0)
      return at + 1;
  }
  return llvm::StringRef::npos;
}

static bool IsSIMD(ValueObject &value) {
  const CompilerType type =
      value.GetCompilerType().GetNonReferenceType().GetCanonicalType();
  llvm::StringRef name = type.GetTypeName().GetStringRef();
  return name.consume_front("std::experimental::") &&
         (name.consume_front("parallelism_v2::") || true) &&
         (name.starts_with("simd<") || name.starts_with("simd_mask<"));
}

/// \a expression with the subscripts of vector objects of \a frame replaced.
static std::string ReplaceSubscripts(llvm::StringRef expression,
                                     StackFrame &frame) {
  std::string result;
  size_t copied = 0;
  for (size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (c == '"' || c == '\'') {
      for (++at; at < expression.size() && expression[at] != c; ++at)
        at += expression[at] == '\\';
      continue;
    }
    if (c != '[')
      continue;
    const size_t path_end = expression.take_front(at).rtrim().size();
    const size_t begin = FindPath(expression, path_end);
    const size_t end = FindEnd(expression, at);
    if (begin == path_end || begin < copied || end == llvm::StringRef::npos)
      continue;
    llvm::StringRef path = expression.slice(begin, path_end);
    VariableSP variable_sp;
    Status error;
    ValueObjectSP value_sp = frame.GetValueForVariableExpressionPath(
        path, eNoDynamicValues,
        StackFrame::eExpressionPathOptionsNoSyntheticChildren, variable_sp,
        error);
    if (!value_sp || error.Fail() || !IsSIMD(*value_sp))
      continue;
    std::optional<SIMDLayout> layout = SIMDLayout::Create(*value_sp);
    if (!layout)
      continue;
    llvm::StringRef index = expression.slice(at + 1, end - 1).trim();
    std::string element = layout->GetElementExpression(
        index, ReplaceSubscripts(index, frame), path);
    if (element.empty())
      continue;
    result += expression.slice(copied, begin);
    result += element;
    copied = end;
    at = end - 1;
  }
  return result + expression.substr(copied).str();
}

static std::string RewriteElements(llvm::StringRef expression, Target &target) {
  if (!expression.contains('['))
    return expression.str();
  ProcessSP process_sp = target.GetProcessSP();
  ThreadSP thread_sp =
      process_sp ? process_sp->GetThreadList().GetSelectedThread() : nullptr;
  // The frame isn't known here. Another frame's object of the same name has the
  // same member, or clang complains.
  StackFrameSP frame_sp =
      thread_sp ? thread_sp->GetSelectedFrame(DoNoSelectMostRelevantFrame)
                : nullptr;
  return frame_sp ? ReplaceSubscripts(expression, *frame_sp) : expression.str();
}

void lldb_private::wavelane::InitializeSIMDExpressions() {
  AddExpressionRewriter(RewriteElements);
}
