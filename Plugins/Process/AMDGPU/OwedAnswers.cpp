//===-- OwedAnswers.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OwedAnswers.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

void SharedMessage::Print(Debugger &debugger, llvm::StringRef text) {
  constexpr steady_clock::duration interval = std::chrono::seconds(3);
  const steady_clock::rep now = steady_clock::now().time_since_epoch().count();
  if (now - m_last.exchange(now) > interval.count())
    debugger.GetAsyncErrorStream()->PutCString(text);
}

Status OwedAnswers::CheckResume() const {
  if (!are_owed)
    return Status();
  return Status::FromErrorString("lldb-server still doesn't answer: wait, or "
                                 "end the program with `process "
                                 "kill`");
}

void OwedAnswers::LookAt(Process &process) {
  if (!have_come.exchange(false))
    return;
  process.Flush();
  // An editor shows what was read.
  if (ThreadSP thread_sp = process.GetThreadList().GetSelectedThread())
    thread_sp->BroadcastEvent(
        Thread::eBroadcastBitStackChanged,
        std::make_shared<Thread::ThreadEventData>(thread_sp));
  static SharedMessage message;
  message.Print(process.GetTarget().GetDebugger(),
                "lldb-server answers again\n");
}

bool OwedAnswers::WaitUntil(milliseconds limit,
                            llvm::function_ref<bool()> is_over) {
  std::unique_lock<std::mutex> lock(m_change_mutex);
  return m_change.wait_for(lock, limit, is_over);
}

void OwedAnswers::Changed() {
  {
    // Who waits has looked already, or is waiting.
    std::lock_guard<std::mutex> guard(m_change_mutex);
  }
  m_change.notify_all();
}

std::string OwedAnswers::GetEnd() const {
  std::lock_guard<std::mutex> guard(m_end_mutex);
  return m_end;
}

void OwedAnswers::SetEnd(llvm::StringRef packet) {
  std::lock_guard<std::mutex> guard(m_end_mutex);
  m_end = packet.str();
}
