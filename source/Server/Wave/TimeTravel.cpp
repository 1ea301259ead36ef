//===-- TimeTravel.cpp - Waves in a recording -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TimeTravel.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"

namespace wavelane::server {

static llvm::Error Fail(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Error TimeTravel::CheckPossible() const {
  if (llvm::Error error = m_session.CheckSimulation())
    return error;
  if (!m_session.fn().ask_history)
    return Fail(m_session.IsSimulated()
                    ? "nothing has been recorded"
                    : "nothing has been recorded: AMD's debug library can't; "
                      "Wavelane's can, for the simulated GPU");
  return llvm::Error::success();
}

llvm::Error TimeTravel::CheckAllHeld() const {
  return m_non_stop
             ? Fail("in non-stop mode, waves can't go back: others run on")
             : llvm::Error::success();
}

lldb_private::Status TimeTravel::CheckPresent() const {
  return m_away
             ? lldb_private::Status::FromErrorString(
                   "discard the recording from here before changing anything")
             : lldb_private::Status();
}

void TimeTravel::Record() {
  if (!m_session.fn().ask_history)
    return;
  if (auto answer = Ask(protocol::RecordRequest()); !answer)
    LLDB_LOG_ERROR(GetLog(lldb_private::LLDBLog::Process), answer.takeError(),
                   "beginning a recording: {0}");
}

void TimeTravel::Note(const protocol::HistoryState &state) {
  m_away = state.InPast;
  m_begin = int64_t(state.Begin);
  m_now = int64_t(state.Now);
  m_position = int64_t(state.Position);
  m_dropped = state.Dropped;
  m_unread = state.Unread;
}

std::vector<protocol::HistoryTrap> TimeTravel::GetTraps() const {
  std::vector<protocol::HistoryTrap> traps;
  m_memory.ForEachTrap([&](uint64_t address, const GPUMemory::Trap &trap) {
    if (!trap.inserted)
      return;
    protocol::HistoryTrap &one = traps.emplace_back();
    one.Address = address;
    one.Original.Data.assign(trap.original.begin(), trap.original.end());
  });
  return traps;
}

llvm::Expected<std::string> TimeTravel::Send(const std::string &request) {
  if (llvm::Error error = m_session.Simulate())
    return std::move(error);
  char *answer = nullptr;
  const amd_dbgapi_status_t status =
      m_session.fn().ask_history(m_session.id(), request.c_str(), &answer);
  if (!m_session.Ok(status, "asking for the recording"))
    return Fail("the simulated GPU doesn't answer");
  std::string text = answer;
  std::free(answer);
  return text;
}

template <typename T>
llvm::Expected<typename T::Answer> TimeTravel::Ask(T request) {
  if (llvm::Error error = CheckPossible())
    return std::move(error);
  if constexpr (TakesTraps<T>)
    if (llvm::Error error = CheckAllHeld())
      return std::move(error);
  // Questions don't let a core run on.
  if constexpr (std::is_same_v<typename T::Answer, protocol::HistoryState>)
    if ((T::Do == protocol::WhereRequest::Do ||
         T::Do == protocol::RecordRequest::Do) &&
        m_session.GetCore() && !m_session.HasRecording())
      return protocol::HistoryState();
  if constexpr (TakesTraps<T>)
    request.Breakpoints = GetTraps();
  llvm::Expected<std::string> text =
      Send(protocol::getText(protocol::HistoryRequest(std::move(request))));
  if (!text)
    return text.takeError();
  auto answer = protocol::parseAnswer<typename T::Answer>(*text, "answer");
  if (answer)
    Note(*answer);
  return answer;
}

size_t TimeTravel::CountRecorded(uint64_t address, size_t size) {
  if (!m_away || size == 0)
    return size;
  const auto is_recorded = [&](uint64_t from, size_t count) {
    protocol::CoversRequest request;
    request.Address = from;
    request.Size = count;
    auto answer = Ask(request);
    if (answer)
      return answer->Covers;
    LLDB_LOG_ERROR(GetLog(lldb_private::LLDBLog::Process), answer.takeError(),
                   "asking for recorded memory: {0}");
    return false;
  };
  if (is_recorded(address, size))
    return size;
  // Pages are recorded.
  constexpr size_t page = 4096;
  size_t count = 0;
  while (count < size) {
    const size_t part =
        std::min(size - count, page - size_t((address + count) % page));
    if (!is_recorded(address + count, part))
      break;
    count += part;
  }
  return count;
}

llvm::Expected<protocol::HistoryState> TimeTravel::GetState() {
  return Ask(protocol::WhereRequest());
}

llvm::Expected<protocol::Empty>
TimeTravel::Answer(const protocol::TargetRequest &request) {
  m_target = {int64_t(request.Position), request.Wave, request.Number};
  return protocol::Empty();
}

llvm::Expected<protocol::Empty>
TimeTravel::Answer(const protocol::PresentRequest &) {
  m_wants_present = true;
  return protocol::Empty();
}

template <typename T>
llvm::Expected<typename T::Answer> TimeTravel::AskAndReturn(const T &request,
                                                            int64_t position) {
  llvm::Expected<typename T::Answer> answer = Ask(request);
  const std::optional<uint32_t> stopped = m_stopped_number;
  auto back = Go(position);
  m_stopped_number = stopped;
  if (!back) {
    if (!answer)
      llvm::consumeError(answer.takeError());
    return back.takeError();
  }
  if (answer)
    answer->Position = uint64_t(position);
  return answer;
}

llvm::Expected<protocol::BackAnswer>
TimeTravel::Answer(const protocol::BackRequest &request) {
  llvm::Expected<protocol::HistoryState> where = Ask(protocol::WhereRequest());
  if (!where)
    return where.takeError();
  llvm::Expected<protocol::BackAnswer> answer =
      AskAndReturn(request, int64_t(where->Position));
  if (answer && answer->Target)
    m_target = {int64_t(*answer->Target), request.Wave, std::nullopt};
  return answer;
}

llvm::Expected<protocol::OriginAnswer>
TimeTravel::Answer(const protocol::OriginRequest &request) {
  llvm::Expected<protocol::HistoryState> where = Ask(protocol::WhereRequest());
  if (!where)
    return where.takeError();
  if (!where->Recording)
    return Fail("nothing has been recorded");
  return AskAndReturn(request, int64_t(where->Position));
}

llvm::Expected<llvm::json::Value>
TimeTravel::Answer(const llvm::json::Object &arguments) {
  auto request = protocol::read<protocol::TimeRequest>(
      llvm::json::Value(llvm::json::Object(arguments)), "request");
  if (!request)
    return request.takeError();
  return std::visit(
      [&](const auto &one) -> llvm::Expected<llvm::json::Value> {
        auto answer = Answer(one);
        if (!answer)
          return answer.takeError();
        return toJSON(*answer);
      },
      *request);
}

//===-- Journeys ----------------------------------------------------------===//

void TimeTravel::Begin(Travel travel) {
  m_travel = std::move(travel);
  m_start = m_edge = -1; // asked first
}

llvm::Expected<std::optional<uint64_t>>
TimeTravel::Go(int64_t position, std::optional<uint32_t> number,
               uint32_t watches) {
  protocol::GoRequest request;
  request.Position = uint64_t(std::max<int64_t>(position, 0));
  request.Number = number;
  request.Watches = watches;
  llvm::Expected<protocol::GoAnswer> answer = Ask(request);
  if (!answer)
    return answer.takeError();
  m_stopped_number.reset();
  return answer->Wave;
}

llvm::Expected<TimeTravel::Arrival> TimeTravel::GoToBoundary() {
  Arrival arrival;
  if (auto went = Go(m_travel.back ? m_begin : m_now); !went)
    return went.takeError();
  arrival.boundary = !m_travel.back ? "this is the present: the recording ends"
                     : m_unread     ? "what was before can't be read: the "
                                      "recording is cut short or damaged"
                     : m_dropped    ? "what was before has been dropped from "
                                      "the recording, which is full"
                                    : "the recording begins here";
  return arrival;
}

llvm::Expected<TimeTravel::Arrival> TimeTravel::Step() {
  Arrival arrival;
  arrival.wave = m_travel.step;
  arrival.reasons = AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP;
  protocol::StepRequest request;
  request.Wave = *m_travel.step;
  request.Forward = !m_travel.back;
  llvm::Expected<protocol::StepAnswer> step = Ask(request);
  if (!step)
    return step.takeError();
  std::optional<int64_t> position, target;
  if (step->Step)
    position = int64_t(*step->Step);
  uint32_t number = step->Number;
  if (m_target && m_target->wave == *m_travel.step) {
    target = m_target->position;
    if (m_target->number)
      number = *m_target->number;
  }
  m_target.reset();
  if (!position && !target) {
    // Nothing of this wave is there: it has just begun, or is where it is now.
    if (m_travel.back && step->Begins) {
      arrival.reasons = 0;
      arrival.boundary = "the wave begins here";
      return arrival;
    }
    llvm::Expected<Arrival> boundary = GoToBoundary();
    if (boundary)
      boundary->wave = m_travel.step;
    return boundary;
  }
  llvm::Expected<std::optional<uint64_t>> went =
      Go(target ? *target : *position + !m_travel.back, number);
  if (!went)
    return went.takeError();
  // A breakpoint that a step has gone back to isn't hit again from there.
  if (m_travel.back)
    m_stopped_number = number;
  arrival.wave = *went;
  return arrival;
}

bool TimeTravel::Counts(const Hit &hit) const {
  const auto position = int64_t(hit.Position);
  if (m_travel.back ? position >= m_start : position < m_start)
    return false;
  // The others stop after their instruction.
  if (!m_travel.back && position == m_start &&
      hit.Why == protocol::HitKind::Breakpoint &&
      m_stopped_number == hit.Number)
    return false;
  return !m_travel.waves || m_travel.waves->contains(hit.Wave);
}

/// The reasons of a stop in the recording.
static uint32_t GetReasons(protocol::HitKind why, uint32_t code) {
  if (why == protocol::HitKind::Breakpoint)
    return AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT;
  if (why == protocol::HitKind::Watch)
    return AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT;
  if (why == protocol::HitKind::Trap)
    return code == 2   ? AMD_DBGAPI_WAVE_STOP_REASON_ASSERT_TRAP
           : code == 3 ? AMD_DBGAPI_WAVE_STOP_REASON_DEBUG_TRAP
                       : AMD_DBGAPI_WAVE_STOP_REASON_TRAP;
  // In the order of the flags' bits.
  static constexpr uint32_t Arithmetic[] = {
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INVALID_OPERATION,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INPUT_DENORMAL,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_DIVIDE_BY_0,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_OVERFLOW,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_UNDERFLOW,
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INEXACT,
      AMD_DBGAPI_WAVE_STOP_REASON_INT_DIVIDE_BY_0};
  uint32_t reasons = 0;
  for (unsigned i = 0; i < std::size(Arithmetic); ++i)
    if (code >> i & 1)
      reasons |= Arithmetic[i];
  return reasons;
}

llvm::Expected<TimeTravel::Arrival> TimeTravel::GoToStop(const Hit &hit) {
  Arrival arrival;
  // A watchpoint or an exception stops after its instruction, but going back
  // undoes it.
  const bool is_after =
      !m_travel.back && hit.Why != protocol::HitKind::Breakpoint;
  auto wave = Go(int64_t(hit.Position) + is_after, hit.Number,
                 hit.Why == protocol::HitKind::Watch ? hit.Code : 0);
  if (!wave)
    return wave.takeError();
  m_stopped_number = hit.Number;
  arrival.wave = *wave;
  arrival.reasons = GetReasons(hit.Why, hit.Code);
  arrival.lanes = hit.Lanes.Bits;
  return arrival;
}

llvm::Expected<std::optional<TimeTravel::Arrival>>
TimeTravel::Search(Test test) {
  if (m_edge < 0) {
    if (auto where = Ask(protocol::WhereRequest()); !where)
      return where.takeError();
    m_start = m_edge = m_position;
  }
  const bool is_called = std::exchange(m_wants_present, false);
  if (m_travel.back ? m_edge <= m_begin
                    : m_edge >= m_now || !m_away || is_called) {
    llvm::Expected<Arrival> boundary = GoToBoundary();
    if (!boundary)
      return boundary.takeError();
    return std::optional<Arrival>(std::move(*boundary));
  }
  protocol::ScanRequest scan;
  (m_travel.back ? scan.Before : scan.After) = uint64_t(m_edge);
  llvm::Expected<protocol::ScanAnswer> part = Ask(scan);
  if (!part)
    return part.takeError();
  m_edge = int64_t(m_travel.back ? part->From : part->To);
  std::vector<Hit> hits;
  for (Hit &hit : part->Hits)
    if (Counts(hit))
      hits.push_back(std::move(hit));
  // In the order of time, because going forward is cheap. Backwards, the last
  // stop counts.
  std::optional<Arrival> last;
  const Hit *last_hit = nullptr;
  for (const Hit &hit : hits) {
    Arrival arrival;
    if (hit.Why == protocol::HitKind::Breakpoint && m_conditions.Has(hit.PC)) {
      auto wave = Go(int64_t(hit.Position), hit.Number);
      if (!wave)
        return wave.takeError();
      if (!*wave || !test(**wave, hit.PC, arrival.lanes))
        continue;
    }
    last_hit = &hit;
    last = arrival;
    if (!m_travel.back)
      break;
  }
  if (!last_hit)
    return std::nullopt;
  llvm::Expected<Arrival> arrival = GoToStop(*last_hit);
  if (!arrival)
    return arrival.takeError();
  arrival->lanes |= last->lanes;
  return std::optional<Arrival>(std::move(*arrival));
}

std::optional<TimeTravel::Arrival> TimeTravel::Advance(Test test) {
  llvm::Error error = llvm::Error::success();
  if (m_travel.step) {
    llvm::Expected<Arrival> arrival = Step();
    if (arrival)
      return std::move(*arrival);
    error = arrival.takeError();
  } else {
    llvm::Expected<std::optional<Arrival>> arrival = Search(test);
    if (arrival)
      return std::move(*arrival);
    error = arrival.takeError();
  }
  Arrival arrival;
  arrival.wave = m_travel.step;
  arrival.boundary = llvm::toString(std::move(error));
  // The waves may be between two places.
  if (auto went = Go(m_now); !went)
    llvm::consumeError(went.takeError());
  return arrival;
}

TimeTravel::Arrival TimeTravel::Interrupt() {
  Arrival arrival;
  if (m_edge >= 0)
    if (auto went = Go(m_edge); !went)
      arrival.boundary = llvm::toString(went.takeError());
  return arrival;
}

void TimeTravel::ReturnToPresent() {
  if (!m_away)
    return;
  if (auto went = Go(m_now); !went)
    llvm::consumeError(went.takeError());
}

} // namespace wavelane::server
