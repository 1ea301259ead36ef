//===-- LaneValueReader.h - an expression's values in lanes -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_LANE_LANEVALUEREADER_H
#define WAVELANE_COMMANDS_LANE_LANEVALUEREADER_H

#include "Core/Format/LaneReader.h"
#include "Core/Format/PlainValues.h"
#include "Core/Record/LaneRecord.h"
#include "LaneEvaluation.h"
#include <optional>

namespace lldb_private {
namespace wavelane {

/// Reads an expression in lanes of a stopped thread: the server's values where
/// it has them, else LLDB's.
class LaneValueReader {
public:
  /// \param lanes The lanes that will be read, in ascending order.
  /// \param with_bytes Whether LaneValue::bytes and the type are wanted.
  LaneValueReader(Thread &thread, uint32_t frame_index,
                  LaneExpression &expression, const llvm::BitVector &lanes,
                  bool with_bytes);

  /// \return nullopt if the frame no longer exists.
  std::optional<LaneValue> Read(uint32_t lane);

private:
  LaneValue Describe(uint64_t bits);

  Thread &m_thread;
  LaneExpression &m_expression;
  const bool m_with_bytes;
  LaneEvaluation m_evaluation;
  LaneReader m_reader;
  /// How the server's values are described, if they are plain.
  std::optional<PlainValues> m_plain;
  bool m_has_described = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
