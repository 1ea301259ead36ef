//===-- LaneReader.h - an expression in lane after lane ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_FORMAT_LANEREADER_H
#define WAVELANE_CORE_FORMAT_LANEREADER_H

#include "Core/Lane/LaneFocus.h"
#include "lldb/lldb-forward.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lldb_private {
namespace wavelane {

class LaneExpression;

/// Visits lanes of a thread, one after the other, to evaluate an expression. If
/// each lane needs memory of its own, reads the memory for all later lanes at
/// once.
class LaneReader {
public:
  /// \param lanes The lanes that will be visited, in ascending order.
  LaneReader(Thread &thread, uint32_t frame_index, LaneExpression &expression,
             llvm::BitVector lanes)
      : m_thread(thread), m_frame_index(frame_index), m_expression(expression),
        m_lanes(std::move(lanes)), m_scope(thread) {}

  /// Calls \a look with the frame as \a lane sees it.
  /// \return False if the frame no longer exists.
  bool Visit(uint32_t lane, llvm::function_ref<void(StackFrame &frame)> look);

private:
  void ReadAhead(uint32_t lane);

  Thread &m_thread;
  const uint32_t m_frame_index;
  LaneExpression &m_expression;
  const llvm::BitVector m_lanes;
  FocusLaneScope m_scope;
  /// How many lanes needed memory that LLDB hadn't cached.
  unsigned m_needy = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
