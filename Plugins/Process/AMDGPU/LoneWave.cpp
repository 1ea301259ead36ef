//===-- LoneWave.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoneWave.h"
#include "Core/Support/WavelaneLog.h"
#include "HeldWaves.h"
#include "ThreadAMDGPU.h"

#include "GDBRemoteCommunicationClient.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include <vector>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

// A wave runs alone for this long; then the others run, too. No event says that
// it waits for them: hardware has none, and a count of what waves execute
// doesn't grow while all that run wait, as at a barrier of the grid.
static constexpr auto kAlone = std::chrono::seconds(1);

static int64_t Now() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

void LoneWave::WillResume(ThreadList &threads, bool by_user,
                          bool others_may_run) {
  if (by_user)
    m_resumed_by_user = std::chrono::steady_clock::now();
  std::vector<std::pair<ThreadAMDGPU *, bool>>
      waves; // and whether it wants to run alone
  bool alone = false, at_sleep = false;
  m_wave = LLDB_INVALID_THREAD_ID;
  bool holds_some = false;
  std::lock_guard<std::recursive_mutex> guard(threads.GetMutex());
  for (const ThreadSP &thread_sp : threads.Threads()) {
    auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get());
    const bool is_held = wave && wave->GetResumeState() == eStateSuspended;
    holds_some |= is_held;
    if (!wave || is_held)
      continue;
    waves.emplace_back(wave, wave->WantsToRunAlone());
    if (waves.back().second) {
      alone = true;
      m_wave = wave->GetID();
      m_name = wave->GetWaveName();
      at_sleep |= wave->StandsAtSleep();
    }
  }
  // The user holds the others: 'thread continue'.
  if (holds_some && !waves.empty()) {
    m_wave = waves.front().first->GetID();
    m_name = waves.size() == 1 ? waves.front().first->GetWaveName() : "";
  }
  // Thread::SetupForResume is called next for these waves.
  for (auto [wave, wants_alone] : waves)
    if (!alone || wants_alone)
      wave->LeaveStepOverToServer();
  m_is_alone = alone;
  m_others_run_along =
      alone && others_may_run &&
      (at_sleep ||
       std::chrono::steady_clock::now() - m_resumed_by_user > kAlone);
  m_since = alone && others_may_run && !m_others_run_along ? Now() : 0;
}

Timeout<std::micro> LoneWave::Check(ThreadList &threads, HeldWaves &held,
                                    GDBRemoteCommunicationClient &client) {
  const int64_t since = m_since;
  if (!since)
    return std::nullopt;
  const auto time = std::chrono::steady_clock::duration(Now() - since);
  if (time < kAlone)
    return std::chrono::ceil<std::chrono::microseconds>(kAlone - time);
  m_since = 0;
  LLDB_LOG(GetLog(WavelaneLog::Waves),
           "the selected wave ran alone for too long; resuming the other waves "
           "as well");
  {
    std::lock_guard<std::recursive_mutex> guard(threads.GetMutex());
    held.LetGo();
    held.NotePlans();
    for (const ThreadSP &thread_sp : threads.Threads())
      if (auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get()))
        if (wave->GetTemporaryResumeState() == eStateSuspended &&
            wave->GetResumeState() != eStateSuspended)
          wave->RunAlong();
  }
  // Taking the connection from a running process makes the client continue it
  // with all its threads.
  GDBRemoteClientBase::Lock lock(client, std::chrono::seconds(5));
  return std::nullopt;
}

namespace {
/// A stop reason for another wave than the one that ended. It isn't an
/// exception, so a script of commands continues.
class WaveEnded : public StopInfo {
public:
  WaveEnded(Thread &thread, const std::string &text) : StopInfo(thread, 0) {
    SetDescription(text.c_str());
  }
  StopReason GetStopReason() const override { return eStopReasonThreadExiting; }
};
} // namespace

ThreadSP LoneWave::Find(ThreadList &threads) const {
  return m_wave == LLDB_INVALID_THREAD_ID ? nullptr
                                          : threads.FindThreadByID(m_wave);
}

void LoneWave::ShowEnd(Process &process,
                       llvm::function_ref<bool(tid_t)> runs_on) {
  ThreadList &threads = process.GetThreadList();
  if (m_wave == LLDB_INVALID_THREAD_ID || threads.FindThreadByID(m_wave) ||
      runs_on(m_wave))
    return;
  auto is_released = [](const ThreadSP &thread_sp) {
    return thread_sp->GetResumeState() != eStateSuspended;
  };
  // Of several that the user has let go, some still run.
  if (!m_is_alone && llvm::any_of(threads.Threads(), is_released))
    return;
  m_wave = LLDB_INVALID_THREAD_ID;
  const std::string text = m_name.empty() ? "the waves that ran have ended"
                                          : "wave " + m_name + " has ended";
  // The wave's plan is gone with it, so nothing would stop the held waves: they
  // would run past their places.
  ThreadAMDGPU *next = nullptr, *held = nullptr;
  for (const ThreadSP &thread_sp : threads.Threads())
    if (auto *wave = dynamic_cast<ThreadAMDGPU *>(thread_sp.get())) {
      ThreadAMDGPU *&first =
          wave->GetResumeState() != eStateSuspended ? next : held;
      if (!first)
        first = wave;
    }
  if (!next && !held) {
    StreamSP stream_sp =
        process.GetTarget().GetDebugger().GetAsyncOutputStream();
    stream_sp->Printf(
        "%s, and there is no other%s\n", text.c_str(),
        process.GetCoreFile() ? "" : ": 'continue' resumes the program");
    stream_sp->Flush();
    return;
  }
  if (!next) {
    // The user has held all that are left, and nothing could go on. LLDB asks
    // no held thread whether to stop.
    for (const ThreadSP &thread_sp : threads.Threads())
      thread_sp->SetResumeState(eStateRunning, /*override_suspend=*/true);
    next = held;
  }
  next->RunAlong();
  next->SetStopInfo(std::make_shared<WaveEnded>(*next, text));
}
