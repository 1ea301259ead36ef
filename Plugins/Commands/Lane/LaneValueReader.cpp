//===-- LaneValueReader.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneValueReader.h"
#include "Core/Format/LaneExpression.h"
#include "lldb/Target/Thread.h"
#include "lldb/ValueObject/ValueObject.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

LaneValueReader::LaneValueReader(Thread &thread, uint32_t frame_index,
                                 LaneExpression &expression,
                                 const llvm::BitVector &lanes, bool with_bytes)
    : m_thread(thread), m_expression(expression), m_with_bytes(with_bytes),
      m_evaluation(expression.GetText()),
      m_reader(thread, frame_index, expression, lanes) {
  if (frame_index == 0)
    m_evaluation.AskValues(thread, lanes);
}

LaneValue LaneValueReader::Describe(uint64_t bits) {
  if (m_plain)
    return m_plain->Describe(bits, m_with_bytes, &m_thread);
  ValueObjectSP value_sp = m_evaluation.MakeValue(m_thread, bits);
  LaneValue value = m_expression.Describe(*value_sp, m_with_bytes);
  if (!std::exchange(m_has_described, true))
    m_plain = PlainValues::Make(*value_sp, value);
  return value;
}

std::optional<LaneValue> LaneValueReader::Read(uint32_t lane) {
  LaneValue value;
  if (std::optional<uint64_t> bits = m_evaluation.FindValue(m_thread, lane))
    value = Describe(*bits);
  else if (!m_reader.Visit(lane, [&](StackFrame &frame) {
             value = m_expression.Read(frame, m_with_bytes);
           }))
    return std::nullopt;
  value.lane = lane;
  return value;
}
