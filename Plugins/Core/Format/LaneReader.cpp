//===-- LaneReader.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneReader.h"
#include "Core/Lane/LaneSource.h"
#include "LaneExpression.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

bool LaneReader::Visit(uint32_t lane,
                       llvm::function_ref<void(StackFrame &)> look) {
  auto *memory = dynamic_cast<ReadsTogether *>(m_thread.GetProcess().get());
  const uint64_t before = memory ? memory->GetReadCount() : 0;
  m_scope.Select(lane);
  StackFrameSP frame_sp = m_thread.GetStackFrameAtIndex(m_frame_index);
  if (!frame_sp)
    return false;
  look(*frame_sp);
  // Don't count the first lane: it may have read memory that all lanes share.
  if (memory && memory->GetReadCount() != before && ++m_needy == 2)
    ReadAhead(lane);
  return true;
}

void LaneReader::ReadAhead(uint32_t lane) {
  auto *memory = dynamic_cast<ReadsTogether *>(m_thread.GetProcess().get());
  // Each step can follow one more pointer, since a pointer must be read first.
  constexpr int MaxSteps = 8;
  size_t got = 1;
  for (int step = 0; step < MaxSteps && got; ++step) {
    memory->BeginNoting();
    for (int next = m_lanes.find_next(lane); next >= 0;
         next = m_lanes.find_next(next)) {
      m_scope.Select(next);
      if (StackFrameSP frame_sp = m_thread.GetStackFrameAtIndex(m_frame_index))
        m_expression.ReadMemory(*frame_sp);
    }
    got = memory->ReadNoted();
  }
}
