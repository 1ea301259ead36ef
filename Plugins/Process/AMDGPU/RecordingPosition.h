//===-- RecordingPosition.h - where waves are in a recording ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_RECORDINGPOSITION_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_RECORDINGPOSITION_H

#include "wavelane/Protocol/Device/HistoryMessages.h"

#include "lldb/lldb-types.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace lldb_private {
namespace wavelane {

/// Where the waves of a process are in the recording of its run, and whether a
/// resume moves them there, without the host, or in the present.
class RecordingPosition {
public:
  /// Sends the server a question about the recording (packets::Time).
  using Send = std::function<llvm::Expected<llvm::json::Value>(
      const ::wavelane::protocol::TimeRequest &)>;
  explicit RecordingPosition(Send send) : m_send(std::move(send)) {}

  /// Whether the waves are in the past of a recording. The host stands still
  /// there.
  bool IsInThePast() const { return m_is_past; }
  /// Whether the last resume, or the one that is prepared, is in the recording.
  bool Travels() const { return m_travels; }
  /// Whether memory is as it was at the waves' time. The host's own isn't.
  bool IsRecorded(lldb::addr_t addr) const;

  /// Says what to record, if that is new; in the past, nothing is.
  /// \param[in] record Unset for the default, which records.
  /// \param[in] limit  Bytes.
  void SendSettings(std::optional<bool> record, uint64_t limit);
  /// Makes the waves' time the present; what was recorded of the time after it
  /// is discarded.
  /// \return False if it is the present already.
  llvm::Expected<bool> Fork();

  // In the order of a resume and its stop:

  /// \param[in] is_reverse The process, or one of its threads, goes back.
  void WillResume(bool is_reverse) { m_travels = m_is_past || is_reverse; }
  /// The resume's packet is about to be sent.
  void Resumes();
  /// Asks where the waves have come to.
  /// \return The positions at the resume and now, if they have moved in the
  ///     recording.
  std::optional<std::pair<int64_t, int64_t>> DidStop();
  /// The stop is shown.
  void WillShow(bool was_reverse) { m_went_back = was_reverse; }
  /// Whether the waves went back to the stop that was shown last; once.
  bool TakeWentBack() { return m_went_back.exchange(false); }

  /// A travel to another wave, which may not be listed before.
  struct Destination {
    std::optional<uint32_t> lane;
    std::string name; ///< of the stop's reason
  };
  /// What to show if the next travel ends with its step.
  void SetDestination(Destination destination) {
    m_destination = std::move(destination);
  }
  /// Once; nothing if the last resume wasn't in the recording.
  std::optional<Destination> TakeDestination();

private:
  template <typename T>
  llvm::Expected<typename T::Answer> Ask(const T &request) const {
    llvm::Expected<llvm::json::Value> answer = m_send(request);
    if (!answer)
      return answer.takeError();
    return ::wavelane::protocol::read<typename T::Answer>(
        *answer, "the server's answer");
  }
  /// \param[out] position  In the recording; unchanged if nobody knows.
  /// \return Whether the waves are in the past.
  bool AskWhere(int64_t &position) const;

  const Send m_send;
  std::optional<bool> m_record;
  uint64_t m_limit = uint64_t(1) << 30; ///< a server's own
  std::atomic<bool> m_is_past{false};
  std::atomic<bool> m_travels{false};
  std::atomic<bool> m_went_back{false}; ///< to the stop
  int64_t m_left_at = 0;                ///< where a travel began
  std::optional<Destination> m_destination;
};

} // namespace wavelane
} // namespace lldb_private

#endif
