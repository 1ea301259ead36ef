//===-- LaneExpression.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneExpression.h"
#include "Core/Lane/Provenance.h"
#include "Core/Support/InlinedFunctions.h"
#include "Core/Support/WavelaneLog.h"
#include "ValueText.h"
#include "lldb/Expression/DiagnosticManager.h"
#include "lldb/Expression/ExpressionVariable.h"
#include "lldb/Expression/UserExpression.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/Scalar.h"
#include "lldb/ValueObject/ValueObject.h"
#include "wavelane/GPU/SmallFloat.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::gpu::SmallFloat;

static EvaluateExpressionOptions GetOptions() {
  EvaluateExpressionOptions options;
  options.SetSuppressPersistentResult(true);
  options.SetUnwindOnError(true);
  options.SetIgnoreBreakpoints(true);
  return options;
}

/// LLDB's error without the notes before it, which name the expression's
/// language, and without what LLDB's interpreter was about to do.
static llvm::Error MakeError(llvm::StringRef text) {
  const size_t at = text.find("error: ");
  text =
      text.drop_front(at == llvm::StringRef::npos ? 0 : at + strlen("error: "));
  text.consume_front("Interpreter couldn't read from memory: ");
  text.consume_front("Interpreter couldn't write to memory: ");
  if (text.consume_front(
          "Couldn't materialize: couldn't get the value of variable "))
    text = text.split('\n').first;
  return llvm::createStringError(text.trim());
}

/// Whether \a text has an index that isn't a number. LLDB takes one without a
/// value, such as a variable that is optimized out, for 0.
static bool HasComputedIndex(llvm::StringRef text) {
  for (size_t at = text.find('['); at != llvm::StringRef::npos;
       at = text.find('[', at + 1))
    if (const llvm::StringRef index = text.drop_front(at + 1).ltrim();
        index.empty() || !llvm::isDigit(index.front()))
      return true;
  return false;
}

ValueObjectSP LaneExpression::EvaluateAsPath(StackFrame &frame,
                                             llvm::StringRef text) {
  if (HasComputedIndex(text))
    return nullptr;
  VariableSP var_sp;
  Status error;
  ValueObjectSP value_sp = frame.GetValueForVariableExpressionPath(
      text, eDynamicDontRunTarget,
      StackFrame::eExpressionPathOptionCheckPtrVsMember |
          StackFrame::eExpressionPathOptionsAllowDirectIVarAccess,
      var_sp, error);
  // Text that isn't a path gives an object with an error and no variable.
  return value_sp && error.Success() &&
                 (var_sp || value_sp->GetError().Success())
             ? value_sp
             : nullptr;
}

LaneExpression::Compiled &LaneExpression::Compile(StackFrame &frame) {
  TargetSP target_sp = frame.CalculateTarget();
  Compiled &compiled =
      m_compiled[frame.GetFrameCodeAddress().GetLoadAddress(target_sp.get())];
  ExecutionContext exe_ctx(frame.shared_from_this());
  if (std::exchange(compiled.was_tried, true) &&
      (!compiled.expression_sp ||
       compiled.expression_sp->MatchesContext(exe_ctx)))
    return compiled;
  const bool can_run = exe_ctx.GetProcessRef().CanJIT();
  Status error;
  DiagnosticManager diagnostics;
  compiled.expression_sp.reset(target_sp->GetUserExpressionForLanguage(
      m_text, target_sp->GetExpressionPrefixContents(), frame.GetLanguage(),
      Expression::eResultTypeAny, GetOptions(), /*ctx_obj=*/nullptr, error));
  UserExpressionSP &expression_sp = compiled.expression_sp;
  ThreadList::ExpressionExecutionThreadPusher pusher(exe_ctx.GetThreadSP());
  if (!expression_sp ||
      !expression_sp->Parse(diagnostics, exe_ctx,
                            can_run ? eExecutionPolicyOnlyWhenNeeded
                                    : eExecutionPolicyNever,
                            /*keep_result_in_memory=*/true,
                            /*generate_debug_info=*/false)) {
    expression_sp.reset();
    return compiled;
  }
  compiled.is_not_interpretable = !can_run && !expression_sp->CanInterpret();
  if (compiled.is_not_interpretable || !expression_sp->IsParseCacheable())
    expression_sp.reset();
  LLDB_LOG(GetLog(WavelaneLog::Expressions), "'{0}' is compiled {1}", m_text,
           expression_sp ? "once for this place" : "for each lane");
  return compiled;
}

void LaneExpression::ReadMemory(StackFrame &frame) {
  if (ValueObjectSP value_sp = EvaluateAsPath(frame, m_text))
    llvm::consumeError(FormatValue(*value_sp).takeError());
}

llvm::Expected<ValueObjectSP> LaneExpression::Evaluate(StackFrame &frame) {
  ProvenanceScope scope;
  llvm::Expected<ValueObjectSP> value = EvaluateNow(frame);
  m_stale.insert(scope.GetStale().begin(), scope.GetStale().end());
  return value;
}

llvm::Expected<ValueObjectSP> LaneExpression::EvaluateNow(StackFrame &frame) {
  m_is_hopeless = false;
  // A path to a variable needs no compiler.
  ValueObjectSP value_sp;
  TargetSP target_sp = frame.CalculateTarget();
  Compiled &known =
      m_compiled[frame.GetFrameCodeAddress().GetLoadAddress(target_sp.get())];
  if (!known.is_no_path)
    value_sp = EvaluateAsPath(frame, m_text);
  m_is_path = value_sp != nullptr;
  // The frame may have read its variable before.
  if (m_is_path)
    if (std::optional<Provenance> from = GetProvenance(*value_sp))
      ProvenanceScope::Note(GetRootVariable(*value_sp).GetName().GetStringRef(),
                            *from);
  if (!value_sp) {
    // LLDB's compiler assumes that the frame has a list of variables.
    if (frame.IsSynthetic() && !frame.GetInScopeVariableList(false))
      return llvm::createStringError(
          "the frame was made by a script, and has no variables");
    known.is_no_path = true;
    ExecutionContext exe_ctx(frame.shared_from_this());
    Compiled &compiled = Compile(frame);
    if (UserExpressionSP expression_sp = compiled.expression_sp) {
      DiagnosticManager diagnostics;
      ExpressionVariableSP result_sp;
      ThreadList::ExpressionExecutionThreadPusher pusher(exe_ctx.GetThreadSP());
      const ExpressionResults results = expression_sp->Execute(
          diagnostics, exe_ctx, GetOptions(), expression_sp, result_sp);
      if (results != eExpressionCompleted) {
        // The expression keeps state of its first evaluation, so drop it.
        compiled = {};
        compiled.is_no_path = true;
        return MakeError(llvm::toString(diagnostics.GetAsError(results)));
      }
      if (result_sp)
        value_sp = result_sp->GetValueObject();
    } else {
      if (const std::string why = DescribeInlinedCall(exe_ctx, m_text);
          !why.empty()) {
        m_is_hopeless = true;
        return llvm::createStringError(why);
      }
      // LLDB's usual evaluation has the best errors, and applies fix-its.
      const ExpressionResults results = target_sp->EvaluateExpression(
          m_text, &frame, value_sp, GetOptions(), &m_fixed);
      m_is_hopeless =
          results == eExpressionParseError ||
          (results != eExpressionCompleted && compiled.is_not_interpretable);
    }
  }
  if (!value_sp)
    return llvm::createStringError("the expression gives no value");
  if (value_sp->GetError().Fail())
    return MakeError(value_sp->GetError().AsCString());
  return value_sp;
}

static std::optional<double> GetSmallNumber(ValueObject &value) {
  const std::optional<SmallFloat> kind = SmallFloat::ofClass(
      value.GetCompilerType().GetCanonicalType().GetTypeName().GetStringRef());
  if (!kind || kind->Count != 1)
    return std::nullopt;
  DataExtractor data;
  Status error;
  value.GetData(data, error);
  offset_t offset = 0;
  if (error.Fail() || data.GetByteSize() > 2)
    return std::nullopt;
  const double number =
      kind->decode(uint32_t(data.GetMaxU64(&offset, data.GetByteSize())));
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

static std::optional<double> GetNumber(ValueObject &value) {
  Scalar scalar;
  const uint32_t info = value.GetCompilerType().GetTypeInfo();
  if (info & eTypeIsStructUnion)
    return GetSmallNumber(value);
  if (!(info & (eTypeIsScalar | eTypeIsPointer | eTypeIsEnumeration)) ||
      (info & eTypeIsComplex))
    return std::nullopt;
  if (!value.ResolveValue(scalar) || !scalar.IsValid())
    return std::nullopt;
  const double number = scalar.Double();
  return std::isfinite(number) ? std::optional<double>(number) : std::nullopt;
}

/// The bytes of a value, or of what a reference refers to, in hexadecimal.
static std::string GetBytes(ValueObject &value) {
  constexpr uint64_t MaxBytes = 1 << 16;
  const uint64_t size =
      llvm::expectedToOptional(value.GetByteSize()).value_or(0);
  DataExtractor data;
  Status error;
  if (value.IsBitfield()) {
    // The value's bytes also hold neighboring bit-fields.
    const uint64_t number = value.GetValueAsUnsigned(0);
    return llvm::toHex(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&number),
                       std::min<uint64_t>(size, sizeof(number))),
        /*LowerCase=*/true);
  }
  if (size > MaxBytes || value.GetData(data, error) > MaxBytes || error.Fail())
    return {};
  return llvm::toHex(data.GetData(), /*LowerCase=*/true);
}

LaneValue LaneExpression::Read(StackFrame &frame, bool with_bytes) {
  ProvenanceScope scope;
  if (llvm::Expected<ValueObjectSP> value = Evaluate(frame)) {
    LaneValue result = Describe(**value, with_bytes);
    result.stale = scope.Describe();
    return result;
  } else {
    LaneValue failed;
    failed.is_error = true;
    failed.text = llvm::toString(value.takeError());
    return failed;
  }
}

LaneValue LaneExpression::Describe(ValueObject &value, bool with_bytes) {
  LaneValue result;
  ValueObjectSP value_sp = value.GetSP();
  llvm::Expected<std::string> text = FormatValue(*value_sp);
  if (!text) {
    result.is_error = true;
    result.text = llvm::toString(text.takeError());
    return result;
  }
  result.text = std::move(*text);
  result.number = GetNumber(*value_sp);
  if (!with_bytes)
    return result;
  ValueObjectSP object_sp = value_sp;
  Status error;
  if (value_sp->GetCompilerType().IsReferenceType())
    object_sp = value_sp->Dereference(error);
  if (object_sp && error.Success()) {
    result.bytes = GetBytes(*object_sp);
    m_type = object_sp->GetTypeName().AsCString("");
  }
  return result;
}
