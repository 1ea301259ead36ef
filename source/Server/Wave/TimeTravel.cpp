//===-- TimeTravel.cpp - Waves in a recording -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TimeTravel.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "wavelane/Formats/JSON/Parse.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

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

void TimeTravel::Record() {
  if (!m_session.fn().ask_history)
    return;
  if (auto answer = Ask(Object{{"do", "record"}}); !answer)
    LLDB_LOG_ERROR(GetLog(lldb_private::LLDBLog::Process), answer.takeError(),
                   "beginning a recording: {0}");
}

void TimeTravel::Note(const Object &answer) {
  m_away = answer.getBoolean("past").value_or(false);
  m_begin = answer.getInteger("begin").value_or(0);
  m_now = answer.getInteger("now").value_or(0);
  m_position = answer.getInteger("position").value_or(0);
  m_dropped = answer.getBoolean("dropped").value_or(false);
  m_unread = answer.getBoolean("unread").value_or(false);
}

llvm::json::Array TimeTravel::GetTraps() const {
  llvm::json::Array traps;
  m_memory.ForEachTrap([&](uint64_t address, const GPUMemory::Trap &trap) {
    if (trap.inserted)
      traps.push_back(Object{{"address", int64_t(address)},
                             {"bytes", llvm::toHex(trap.original)}});
  });
  return traps;
}

llvm::Expected<llvm::json::Object> TimeTravel::Ask(Object request) {
  if (llvm::Error error = CheckPossible())
    return std::move(error);
  const StringRef what = request.getString("do").value_or("");
  // Questions don't let a core run on.
  if (m_session.GetCore() && !m_session.HasRecording() &&
      (what == "where" || what == "record"))
    return Object{{"recording", false}};
  if (llvm::Error error = m_session.Simulate())
    return std::move(error);
  if (what == "go" || what == "scan" || what == "origin")
    request["breakpoints"] = GetTraps();
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(request));
  char *answer = nullptr;
  const amd_dbgapi_status_t status =
      m_session.fn().ask_history(m_session.id(), text.c_str(), &answer);
  if (!m_session.Ok(status, "asking for the recording"))
    return Fail("the simulated GPU doesn't answer");
  text = answer;
  std::free(answer);
  llvm::Expected<llvm::json::Value> value = wavelane::parseJSON(text);
  if (!value)
    return value.takeError();
  Object *object = value->getAsObject();
  if (!object)
    return Fail("the device's answer isn't an object");
  if (auto error = object->getString("error"))
    return Fail(*error);
  Note(*object);
  return std::move(*object);
}

llvm::Expected<llvm::json::Value> TimeTravel::Answer(const Object &request) {
  const StringRef what = request.getString("do").value_or("");
  if (what == "target") {
    auto position = request.getInteger("position");
    auto thread = request.getInteger("thread");
    if (!position || !thread)
      return Fail("a target needs \"position\" and \"thread\"");
    m_target = {*position, uint64_t(*thread), request.getInteger("number")};
    return llvm::json::Value(Object{});
  }
  if (what == "present") {
    m_wants_present = true;
    return llvm::json::Value(Object{});
  }
  if (what == "trace") {
    // The wave's number, then its instructions.
    llvm::Expected<Object> step = Ask(Object{
        {"do", "step"}, {"wave", request.getInteger("thread").value_or(0)}});
    if (!step)
      return step.takeError();
    llvm::Expected<Object> trace = Ask(
        Object{{"do", "scan"},
               {"before", request.getInteger("before").value_or(m_position)},
               {"most", request.getInteger("most").value_or(1 << 16)},
               {"trace", step->getInteger("number").value_or(-1)}});
    // Back to where the client is, also if it has failed.
    const int64_t position = step->getInteger("position").value_or(m_now);
    auto back = Go(position);
    if (!trace) {
      if (!back)
        llvm::consumeError(back.takeError());
      return trace.takeError();
    }
    if (!back)
      return back.takeError();
    (*trace)["position"] = position;
    return llvm::json::Value(std::move(*trace));
  }
  if (what == "origin")
    return FindOrigin(request);
  if (what == "where" || what == "record" || what == "crossed" ||
      what == "covers" || what == "fork") {
    llvm::Expected<Object> answer = Ask(Object(request));
    if (!answer)
      return answer.takeError();
    return llvm::json::Value(std::move(*answer));
  }
  return Fail("unknown request '" + what + "' for the recording");
}

llvm::Expected<llvm::json::Value>
TimeTravel::FindOrigin(const Object &request) {
  llvm::Expected<Object> where = Ask(Object{{"do", "where"}});
  if (!where)
    return where.takeError();
  const std::optional<int64_t> position = where->getInteger("position");
  if (!position)
    return Fail("nothing has been recorded");
  Object search(request);
  if (auto thread = request.getInteger("thread"))
    search["wave"] = *thread;
  search.erase("thread");
  llvm::Expected<Object> answer = Ask(std::move(search));
  // Back to where the client is, also if the search has failed.
  const std::optional<int64_t> stopped = m_stopped_number;
  auto back = Go(*position);
  m_stopped_number = stopped;
  if (!back) {
    if (!answer)
      llvm::consumeError(answer.takeError());
    return back.takeError();
  }
  if (!answer)
    return answer.takeError();
  (*answer)["position"] = *position;
  return llvm::json::Value(std::move(*answer));
}

//===-- Journeys ----------------------------------------------------------===//

void TimeTravel::Begin(Journey journey) {
  m_journey = std::move(journey);
  m_start = m_edge = -1; // asked first
}

llvm::Expected<std::optional<uint64_t>>
TimeTravel::Go(int64_t position, std::optional<int64_t> number,
               uint32_t watches) {
  Object request{{"do", "go"}, {"position", position}};
  if (number)
    request["number"] = *number;
  if (watches)
    request["watches"] = watches;
  llvm::Expected<Object> answer = Ask(std::move(request));
  if (!answer)
    return answer.takeError();
  m_stopped_number.reset();
  auto wave = answer->getInteger("wave");
  return wave ? std::optional<uint64_t>(uint64_t(*wave)) : std::nullopt;
}

llvm::Expected<TimeTravel::Arrival> TimeTravel::GoToBoundary() {
  Arrival arrival;
  if (auto went = Go(m_journey.back ? m_begin : m_now); !went)
    return went.takeError();
  arrival.boundary = !m_journey.back ? "this is the present: the recording ends"
                     : m_unread      ? "what was before can't be read: the "
                                       "recording is cut short or damaged"
                     : m_dropped     ? "what was before has been dropped from "
                                       "the recording, which is full"
                                     : "the recording begins here";
  return arrival;
}

llvm::Expected<TimeTravel::Arrival> TimeTravel::Step() {
  Arrival arrival;
  arrival.wave = m_journey.step;
  arrival.reasons = AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP;
  llvm::Expected<Object> step = Ask(Object{{"do", "step"},
                                           {"wave", int64_t(*m_journey.step)},
                                           {"forward", !m_journey.back}});
  if (!step)
    return step.takeError();
  const std::optional<int64_t> position = step->getInteger("step");
  std::optional<int64_t> target, number = step->getInteger("number");
  if (m_target && m_target->wave == *m_journey.step) {
    target = m_target->position;
    if (m_target->number)
      number = m_target->number;
  }
  m_target.reset();
  if (!position && !target) {
    // Nothing of this wave is there: it has just begun, or is where it is now.
    if (m_journey.back && step->getBoolean("begins").value_or(false)) {
      arrival.reasons = 0;
      arrival.boundary = "the wave begins here";
      return arrival;
    }
    if (m_journey.back && step->getBoolean("past") == false && m_begin == m_now)
      return GoToBoundary();
    llvm::Expected<Arrival> boundary = GoToBoundary();
    if (boundary)
      boundary->wave = m_journey.step;
    return boundary;
  }
  llvm::Expected<std::optional<uint64_t>> went =
      Go(target ? *target : *position + !m_journey.back, number);
  if (!went)
    return went.takeError();
  arrival.wave = *went;
  return arrival;
}

bool TimeTravel::Counts(const Hit &hit) const {
  if (m_journey.back ? hit.position >= m_start : hit.position < m_start)
    return false;
  // The others stop after their instruction.
  if (!m_journey.back && hit.position == m_start && hit.why == "breakpoint" &&
      m_stopped_number == hit.number)
    return false;
  return !m_journey.waves || m_journey.waves->contains(hit.wave);
}

/// The reasons of a stop in the recording.
static uint32_t GetReasons(StringRef why, uint32_t code) {
  if (why == "breakpoint")
    return AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT;
  if (why == "watch")
    return AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT;
  if (why == "trap")
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
  const bool is_after = !m_journey.back && hit.why != "breakpoint";
  auto wave = Go(hit.position + is_after, hit.number,
                 hit.why == "watch" ? hit.code : 0);
  if (!wave)
    return wave.takeError();
  m_stopped_number = hit.number;
  arrival.wave = *wave;
  arrival.reasons = GetReasons(hit.why, hit.code);
  arrival.lanes = hit.lanes;
  return arrival;
}

llvm::Expected<std::optional<TimeTravel::Arrival>>
TimeTravel::Search(Test test) {
  if (m_edge < 0) {
    if (auto where = Ask(Object{{"do", "where"}}); !where)
      return where.takeError();
    m_start = m_edge = m_position;
  }
  const bool is_called = std::exchange(m_wants_present, false);
  if (m_journey.back ? m_edge <= m_begin
                     : m_edge >= m_now || !m_away || is_called) {
    llvm::Expected<Arrival> boundary = GoToBoundary();
    if (!boundary)
      return boundary.takeError();
    return std::optional<Arrival>(std::move(*boundary));
  }
  llvm::Expected<Object> part = Ask(
      Object{{"do", "scan"}, {m_journey.back ? "before" : "after", m_edge}});
  if (!part)
    return part.takeError();
  m_edge = part->getInteger(m_journey.back ? "from" : "to").value_or(m_begin);
  std::vector<Hit> hits;
  if (const llvm::json::Array *found = part->getArray("hits"))
    for (const llvm::json::Value &value : *found) {
      const Object &each = *value.getAsObject();
      uint64_t lanes = 0;
      (void)each.getString("lanes").value_or("0").getAsInteger(16, lanes);
      Hit hit{each.getInteger("position").value_or(0),
              each.getInteger("number").value_or(0),
              uint64_t(each.getInteger("wave").value_or(0)),
              uint64_t(each.getInteger("pc").value_or(0)),
              each.getString("why").value_or("").str(),
              lanes,
              uint32_t(each.getInteger("code").value_or(0))};
      if (Counts(hit))
        hits.push_back(std::move(hit));
    }
  // In the order of time, because going forward is cheap. Backwards, the last
  // stop counts.
  std::optional<Arrival> last;
  const Hit *last_hit = nullptr;
  for (const Hit &hit : hits) {
    Arrival arrival;
    if (hit.why == "breakpoint" && m_conditions.Has(hit.pc)) {
      auto wave = Go(hit.position, hit.number);
      if (!wave)
        return wave.takeError();
      if (!*wave || !test(**wave, hit.pc, arrival.lanes))
        continue;
    }
    last_hit = &hit;
    last = arrival;
    if (!m_journey.back)
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
  if (m_journey.step) {
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
