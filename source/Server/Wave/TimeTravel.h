//===-- TimeTravel.h - Waves in a recording ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A simulated device records what its waves do (simulator::HistoryAnswerLimit).
// Here, resuming waves backwards, or forward in the past, becomes positions in
// the recording.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_WAVE_TIMETRAVEL_H
#define WAVELANE_SERVER_WAVE_TIMETRAVEL_H

#include "GPUMemory.h"
#include "Server/Condition/BreakpointConditions.h"
#include "lldb/Utility/Status.h"
#include "wavelane/Protocol/Device/HistoryMessages.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace wavelane::server {

class TimeTravel {
public:
  TimeTravel(GPUSession &session, const GPUMemory &memory,
             const BreakpointConditions &conditions)
      : m_session(session), m_memory(memory), m_conditions(conditions) {}

  /// Success if the library can record; the error says why not.
  llvm::Error CheckPossible() const;
  /// Lets the device record, if the library can go back.
  void Record();
  /// Whether the waves are in the past.
  bool IsAway() const { return m_away; }
  /// In non-stop mode waves run, which then can't be moved.
  void SetNonStop(bool on) { m_non_stop = on; }
  llvm::Error CheckAllHeld() const;
  /// An error if the waves are in the past, where nothing can be written.
  lldb_private::Status CheckPresent() const;
  /// How many of the bytes at \p address are as they were at the waves' time:
  /// in the past, the host's own aren't.
  size_t CountRecorded(uint64_t address, size_t size);
  /// Where the waves are.
  llvm::Expected<protocol::HistoryState> GetState();
  /// Answers packets::Time.
  llvm::Expected<llvm::json::Value> Answer(const llvm::json::Object &arguments);

  /// A resume of the waves. Waves are those of the library.
  struct Travel {
    bool back = false;
    std::optional<uint64_t> step; ///< only this wave, by one instruction
    /// The waves whose stops count; all if it isn't set.
    std::optional<llvm::DenseSet<uint64_t>> waves;
  };
  struct Arrival {
    std::optional<uint64_t> wave; ///< that has stopped
    uint32_t reasons = 0;         ///< AMD_DBGAPI_WAVE_STOP_REASON_*
    uint64_t lanes = 0;
    std::string boundary; ///< why it can't go further
  };
  /// Whether a condition of the breakpoint at which a wave stands holds, and
  /// for which lanes.
  using Test =
      llvm::function_ref<bool(uint64_t wave, uint64_t pc, uint64_t &lanes)>;
  void Begin(Travel travel);
  /// Whether the travel has been of this wave only.
  bool IsAlone(uint64_t wave) const {
    return m_travel.waves && m_travel.waves->size() == 1 &&
           m_travel.waves->contains(wave);
  }
  /// Goes on for a short time. \return nullopt if the travel isn't over.
  std::optional<Arrival> Advance(Test test);
  /// The client wants to stop: the travel ends where it is.
  Arrival Interrupt();
  /// Shows the present again. Does nothing there.
  void ReturnToPresent();

private:
  /// Sends one of protocol::HistoryRequest to the device.
  template <typename T> llvm::Expected<typename T::Answer> Ask(T request);
  using Hit = protocol::HistoryHit;
  std::vector<protocol::HistoryTrap> GetTraps() const;
  template <typename T>
  static constexpr bool TakesTraps = std::is_same_v<T, protocol::GoRequest> ||
                                     std::is_same_v<T, protocol::ScanRequest> ||
                                     std::is_same_v<T, protocol::BackRequest> ||
                                     std::is_same_v<T, protocol::OriginRequest>;
  llvm::Expected<std::string> Send(const std::string &request);
  /// Most requests of a client are the device's.
  template <typename T>
  llvm::Expected<typename T::Answer> Answer(const T &request) {
    return Ask(request);
  }
  llvm::Expected<protocol::Empty>
  Answer(const protocol::TargetRequest &request);
  llvm::Expected<protocol::Empty> Answer(const protocol::PresentRequest &);
  /// Asks for what moves the waves, and moves them back to \a position.
  template <typename T>
  llvm::Expected<typename T::Answer> AskAndReturn(const T &request,
                                                  int64_t position);
  llvm::Expected<protocol::BackAnswer>
  Answer(const protocol::BackRequest &request);
  llvm::Expected<protocol::OriginAnswer>
  Answer(const protocol::OriginRequest &request);
  llvm::Expected<Arrival> Step();
  llvm::Expected<std::optional<Arrival>> Search(Test test);
  /// Moves the waves. \return The library's wave with that number, if it is
  /// there.
  llvm::Expected<std::optional<uint64_t>>
  Go(int64_t position, std::optional<uint32_t> number = std::nullopt,
     uint32_t watches = 0);
  llvm::Expected<Arrival> GoToStop(const Hit &hit);
  llvm::Expected<Arrival> GoToBoundary();
  bool Counts(const Hit &hit) const;
  void Note(const protocol::HistoryState &state);

  GPUSession &m_session;
  const GPUMemory &m_memory;
  const BreakpointConditions &m_conditions;
  bool m_away = false;
  bool m_non_stop = false;
  int64_t m_begin = 0, m_now = 0, m_position = 0;
  bool m_dropped = false;
  bool m_unread = false;
  /// Where the client wants the next travel to end, and with which wave.
  struct Target {
    int64_t position;
    uint64_t wave;
    std::optional<uint32_t> number; ///< of another wave, which is shown
  };
  std::optional<Target> m_target;

  bool m_wants_present = false; ///< so the next travel forward ends there
  Travel m_travel;
  int64_t m_start = 0; ///< of the travel
  int64_t m_edge = 0;  ///< up to where it has been searched
  /// The wave that stands at a stop at the present position.
  std::optional<uint32_t> m_stopped_number;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_TIMETRAVEL_H
