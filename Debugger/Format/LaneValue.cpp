//===-- LaneValue.cpp -------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneValue.h"
#include "Lane/LaneSource.h"
#include "lldb/DataFormatters/DumpValueObjectOptions.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/Scalar.h"
#include "lldb/Utility/StreamString.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// \param compiles  Whether what is no path to a variable is compiled.
static llvm::Expected<ValueObjectSP> Evaluate(StackFrame &frame,
                                              llvm::StringRef expression,
                                              bool compiles, bool &hopeless) {
  hopeless = false;
  // What names a variable needs no compiler.
  VariableSP var_sp;
  Status error;
  ValueObjectSP value_sp = frame.GetValueForVariableExpressionPath(
      expression, eDynamicDontRunTarget,
      StackFrame::eExpressionPathOptionCheckPtrVsMember |
          StackFrame::eExpressionPathOptionsAllowDirectIVarAccess,
      var_sp, error);
  // What can't be read as a path is an object with an error, of no variable.
  if (!value_sp || error.Fail() || (!var_sp && value_sp->GetError().Fail())) {
    if (!compiles)
      return llvm::createStringError("it is no path to a variable");
    // LLDB's compiler takes it for granted that there is a list.
    if (frame.IsSynthetic() && !frame.GetInScopeVariableList(false))
      return llvm::createStringError(
          "the frame was made by a script, and has no variables");
    EvaluateExpressionOptions options;
    options.SetSuppressPersistentResult(true);
    options.SetUnwindOnError(true);
    options.SetIgnoreBreakpoints(true);
    TargetSP target_sp = frame.CalculateTarget();
    hopeless = target_sp->EvaluateExpression(expression, &frame, value_sp,
                                             options) == eExpressionParseError;
  }
  if (!value_sp)
    return llvm::createStringError("the expression gives no value");
  if (value_sp->GetError().Fail()) {
    llvm::StringRef text = value_sp->GetError().AsCString();
    // Notes come first: which language the expression was read in.
    const size_t at = text.find("error: ");
    text = text.drop_front(
        at == llvm::StringRef::npos ? 0 : at + strlen("error: "));
    return llvm::createStringError(text.trim());
  }
  return value_sp;
}

llvm::Expected<ValueObjectSP>
wavelane::EvaluateInFrame(StackFrame &frame, llvm::StringRef expression,
                          bool &hopeless) {
  return Evaluate(frame, expression, /*compiles=*/true, hopeless);
}

static std::optional<double> GetNumber(ValueObject &value) {
  Scalar scalar;
  const uint32_t info = value.GetCompilerType().GetTypeInfo();
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
  DataExtractor data;
  Status error;
  if (value.IsBitfield()) {
    // Its bytes hold its neighbours as well.
    const uint64_t number = value.GetValueAsUnsigned(0);
    return llvm::toHex(
        llvm::ArrayRef(
            reinterpret_cast<const uint8_t *>(&number),
            std::min<uint64_t>(
                llvm::expectedToOptional(value.GetByteSize()).value_or(0),
                sizeof(number))),
        /*LowerCase=*/true);
  }
  if (llvm::expectedToOptional(value.GetByteSize()).value_or(0) > MaxBytes ||
      value.GetData(data, error) > MaxBytes || error.Fail())
    return {};
  return llvm::toHex(data.GetData(), /*LowerCase=*/true);
}

static LaneValue ReadValue(StackFrame &frame, llvm::StringRef expression,
                           bool with_bytes, bool compiles, bool &hopeless) {
  llvm::Expected<ValueObjectSP> value =
      Evaluate(frame, expression, compiles, hopeless);
  if (!value)
    return {llvm::toString(value.takeError()), true};
  ValueObjectSP value_sp = *value;
  DumpValueObjectOptions options(*value_sp);
  options.SetHideRootType(true);
  options.SetHideRootName(true);
  options.SetHideName(true);
  options.SetHidePointerValue(false);
  options.SetRootValueObjectName("");
  StreamString text;
  if (llvm::Error failure = value_sp->Dump(text, options))
    return {llvm::toString(std::move(failure)), true};
  llvm::StringRef shown = text.GetString().trim();
  if (shown.starts_with("<") && shown.ends_with(">") &&
      !value_sp->GetValueAsCString() && !value_sp->MightHaveChildren())
    return {shown.drop_front().drop_back().str(), true};
  LaneValue result{shown.str(), false};
  result.number = GetNumber(*value_sp);
  if (with_bytes) {
    ValueObjectSP object_sp = value_sp;
    Status error;
    if (value_sp->GetCompilerType().IsReferenceType())
      object_sp = value_sp->Dereference(error);
    if (object_sp && error.Success()) {
      result.bytes = GetBytes(*object_sp);
      result.type = object_sp->GetTypeName().AsCString("");
    }
  }
  return result;
}

LaneValue wavelane::ReadLaneValue(StackFrame &frame, llvm::StringRef expression,
                                  bool with_bytes, bool &hopeless) {
  return ReadValue(frame, expression, with_bytes, /*compiles=*/true, hopeless);
}

LaneReader::LaneReader(Thread &thread, uint32_t frame_index,
                       llvm::StringRef expression, bool with_bytes,
                       llvm::BitVector lanes)
    : m_thread(thread), m_frame_index(frame_index), m_expression(expression),
      m_with_bytes(with_bytes), m_lanes(std::move(lanes)), m_scope(thread) {}

std::optional<LaneValue> LaneReader::Read(uint32_t lane, bool &hopeless) {
  auto *memory = dynamic_cast<ReadsTogether *>(m_thread.GetProcess().get());
  const uint64_t before = memory ? memory->GetReadCount() : 0;
  m_scope.Select(lane);
  StackFrameSP frame_sp = m_thread.GetStackFrameAtIndex(m_frame_index);
  if (!frame_sp)
    return std::nullopt;
  LaneValue value =
      ReadLaneValue(*frame_sp, m_expression, m_with_bytes, hopeless);
  // The first lane may have read what all share.
  if (memory && memory->GetReadCount() != before && ++m_needy == 2)
    ReadAhead(lane);
  return value;
}

void LaneReader::ReadAhead(uint32_t lane) {
  auto *memory = dynamic_cast<ReadsTogether *>(m_thread.GetProcess().get());
  // A pointer's target is known once the pointer has been read.
  constexpr int kMaxSteps = 8;
  size_t got = 1;
  for (int step = 0; step < kMaxSteps && got; ++step) {
    memory->BeginNoting();
    for (int next = m_lanes.find_next(lane); next >= 0;
         next = m_lanes.find_next(next)) {
      m_scope.Select(next);
      bool hopeless = false;
      if (StackFrameSP frame_sp = m_thread.GetStackFrameAtIndex(m_frame_index))
        ReadValue(*frame_sp, m_expression, m_with_bytes, /*compiles=*/false,
                  hopeless);
    }
    got = memory->ReadNoted();
  }
}
