//===-- RecordingPosition.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordingPosition.h"

using namespace lldb_private::wavelane;
namespace protocol = ::wavelane::protocol;

bool RecordingPosition::IsRecorded(lldb::addr_t addr) const {
  protocol::CoversRequest request;
  request.Address = addr;
  request.Size = 1;
  auto answer = Ask(request);
  if (answer)
    return answer->Covers;
  llvm::consumeError(answer.takeError());
  return true;
}

void RecordingPosition::SendSettings(std::optional<bool> record,
                                     uint64_t limit) {
  if (m_is_past || (record == m_record && limit == m_limit))
    return;
  m_record = record;
  m_limit = limit;
  protocol::RecordRequest request;
  request.On = record.value_or(true);
  request.Limit = limit;
  auto answer = Ask(request);
  // On hardware, nothing is recorded whatever the settings say.
  if (!answer)
    llvm::consumeError(answer.takeError());
}

llvm::Expected<bool> RecordingPosition::Fork() {
  if (!m_is_past)
    return false;
  auto answer = Ask(protocol::ForkRequest());
  if (!answer)
    return answer.takeError();
  m_is_past = false;
  return true;
}

bool RecordingPosition::AskWhere(int64_t &position) const {
  auto state = Ask(protocol::WhereRequest());
  if (!state) {
    llvm::consumeError(state.takeError());
    return false;
  }
  position = int64_t(state->Position);
  return state->InPast;
}

void RecordingPosition::Resumes() {
  if (m_travels)
    AskWhere(m_left_at);
}

std::optional<std::pair<int64_t, int64_t>> RecordingPosition::DidStop() {
  if (!m_travels)
    return std::nullopt;
  int64_t position = m_left_at;
  m_is_past = AskWhere(position);
  if (position == m_left_at)
    return std::nullopt;
  return std::pair(m_left_at, position);
}

std::optional<RecordingPosition::Destination>
RecordingPosition::TakeDestination() {
  std::optional<Destination> destination =
      std::exchange(m_destination, std::nullopt);
  return m_travels ? destination : std::nullopt;
}
