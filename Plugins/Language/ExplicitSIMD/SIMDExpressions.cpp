//===-- SIMDExpressions.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SIMDExpressions.h"
#include "SIMDLayout.h"

#include "Plugins/ExpressionParser/Clang/ClangASTSource.h"
#include "Plugins/ExpressionParser/Clang/ClangPersistentVariables.h"
#include "Plugins/TypeSystem/Clang/TypeSystemClang.h"
#include "lldb/Core/PluginManager.h"
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

namespace {
class SIMDExpressionTypes : public ScratchTypeSystemClang {
public:
  SIMDExpressionTypes(Target &target, llvm::Triple triple)
      : ScratchTypeSystemClang(target, std::move(triple)),
        m_target_wp(target.shared_from_this()) {}

  UserExpression *GetUserExpression(llvm::StringRef expression,
                                    llvm::StringRef prefix,
                                    SourceLanguage language,
                                    Expression::ResultType desired_type,
                                    const EvaluateExpressionOptions &options,
                                    ValueObject *context_object) override {
    TargetSP target_sp = m_target_wp.lock();
    ProcessSP process_sp = target_sp ? target_sp->GetProcessSP() : nullptr;
    ThreadSP thread_sp = process_sp && expression.contains('[')
                             ? process_sp->GetThreadList().GetSelectedThread()
                             : nullptr;
    // The frame isn't known here. Another frame's object of the same name has
    // the same member, or clang complains.
    StackFrameSP frame_sp =
        thread_sp ? thread_sp->GetSelectedFrame(DoNoSelectMostRelevantFrame)
                  : nullptr;
    const std::string text = frame_sp && !context_object
                                 ? ReplaceSubscripts(expression, *frame_sp)
                                 : expression.str();
    return ScratchTypeSystemClang::GetUserExpression(
        text, prefix, language, desired_type, options, context_object);
  }

private:
  TargetWP m_target_wp;
};
} // namespace

static TypeSystemSP CreateTypeSystem(LanguageType language, Module *module,
                                     Target *target) {
  // One type system does all of them.
  static const LanguageSet languages =
      TypeSystemClang::GetSupportedLanguagesForTypes();
  const bool is_for_expressions = !module && target && target->IsValid() &&
                                  target->GetArchitecture().IsValid();
  if (!is_for_expressions || !languages[language])
    return TypeSystemClang::CreateInstance(language, module, target);
  return std::make_shared<SIMDExpressionTypes>(
      *target, target->GetArchitecture().GetTriple());
}

void lldb_private::wavelane::InitializeSIMDExpressions() {
  PluginManager::UnregisterPlugin(TypeSystemClang::CreateInstance);
  PluginManager::RegisterPlugin(
      TypeSystemClang::GetPluginNameStatic(),
      "clang's types, with the elements of explicit SIMD types",
      CreateTypeSystem, TypeSystemClang::GetSupportedLanguagesForTypes(),
      TypeSystemClang::GetSupportedLanguagesForExpressions());
}
