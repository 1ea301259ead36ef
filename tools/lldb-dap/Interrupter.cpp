//===-- Interrupter.cpp - Asks a process to stop until it does ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Interrupter.h"
#include <chrono>
#include <utility>

using namespace lldb_dap::wavelane;

Interrupter::~Interrupter() {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_is_ending = true;
  }
  m_changed.notify_all();
  if (m_thread.joinable())
    m_thread.join();
}

void Interrupter::SetProcess(lldb::SBProcess process) {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_process = process;
}

void Interrupter::Start(lldb::tid_t thread) {
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_pending = thread;
    if (!m_thread.joinable())
      m_thread = std::thread([this] { Run(); });
  }
  m_changed.notify_all();
}

std::optional<lldb::tid_t> Interrupter::Stop() {
  std::lock_guard<std::mutex> guard(m_mutex);
  return std::exchange(m_pending, std::nullopt);
}

void Interrupter::Run() {
  std::unique_lock<std::mutex> lock(m_mutex);
  while (!m_is_ending) {
    if (!m_pending) {
      m_changed.wait(lock);
      continue;
    }
    lldb::SBProcess process = m_process;
    lock.unlock();
    process.SendAsyncInterrupt();
    lock.lock();
    m_changed.wait_for(lock, std::chrono::seconds(1));
  }
}
