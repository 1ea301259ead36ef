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
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace wavelane::server {

class TimeTravel {
public:
  using Object = llvm::json::Object;

  TimeTravel(GPUSession &session, const GPUMemory &memory,
             const BreakpointConditions &conditions)
      : m_session(session), m_memory(memory), m_conditions(conditions) {}

  /// Success if the library can record; the error says why not.
  llvm::Error CheckPossible() const;
  /// Lets the device record, if the library can go back.
  void Record();
  /// Whether the waves are in the past.
  bool IsAway() const { return m_away; }
  /// Sends a request to the device.
  llvm::Expected<Object> Ask(Object request);
  /// Answers packets::Time.
  llvm::Expected<llvm::json::Value> Answer(const Object &request);

  /// A resume of the waves. Waves are those of the library.
  struct Journey {
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
  void Begin(Journey journey);
  /// Goes on for a short time. \return nullopt if the journey isn't over.
  std::optional<Arrival> Advance(Test test);
  /// The client wants to stop: the journey ends where it is.
  Arrival Interrupt();
  /// Shows the present again. Does nothing there.
  void ReturnToPresent();

private:
  struct Hit {
    int64_t position;
    int64_t number;
    uint64_t wave; ///< 0 if the library hasn't seen it yet
    uint64_t pc;
    std::string why;
    uint64_t lanes;
    uint32_t code;
  };
  llvm::json::Array GetTraps() const;
  llvm::Expected<llvm::json::Value> FindOrigin(const Object &request);
  llvm::Expected<Arrival> Step();
  llvm::Expected<std::optional<Arrival>> Search(Test test);
  /// Moves the waves. \return The library's wave with that number, if it is
  /// there.
  llvm::Expected<std::optional<uint64_t>>
  Go(int64_t position, std::optional<int64_t> number = std::nullopt,
     uint32_t watches = 0);
  llvm::Expected<Arrival> GoToStop(const Hit &hit);
  llvm::Expected<Arrival> GoToBoundary();
  bool Counts(const Hit &hit) const;
  void Note(const Object &answer);

  GPUSession &m_session;
  const GPUMemory &m_memory;
  const BreakpointConditions &m_conditions;
  bool m_away = false;
  int64_t m_begin = 0, m_now = 0, m_position = 0;
  bool m_dropped = false;
  bool m_unread = false;
  /// Where the client wants the next journey to end, and with which wave.
  struct Target {
    int64_t position;
    uint64_t wave;
    std::optional<int64_t> number; ///< of another wave, which is shown
  };
  std::optional<Target> m_target;

  bool m_wants_present = false; ///< so the next journey forward ends there
  Journey m_journey;
  int64_t m_start = 0; ///< of the journey
  int64_t m_edge = 0;  ///< up to where it has been searched
  /// The wave that stands at a stop at the present position.
  std::optional<int64_t> m_stopped_number;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_TIMETRAVEL_H
