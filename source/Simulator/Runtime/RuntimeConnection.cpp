//===-- RuntimeConnection.cpp - starting the device and talking to it -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeConnection.h"
#include "Complain.h"

#include "Simulator/Common/Agent.h"
#include "Simulator/Common/StartDevice.h"

#include "wavelane/GPU/VisibleDevices.h"

#include <climits>
#include <csignal>
#include <cstring>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace wavelane::runtime;

/// Our own threads block signals, which are for the program.
template <typename Function> static void startThread(Function F) {
  sigset_t All, Old;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  std::thread(F).detach();
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
}

bool Connection::start(Arena &A, const char *Processor, Listener L,
                       std::string &Error) {
  Memory = &A;
  Callbacks = std::move(L);
  if (!startDevice("--arena", A.fd(), Processor, Fd, Device, Error))
    return false;
  std::vector<uint64_t> UniqueIds;
  for (unsigned I = 0; I < Device.agent_count; ++I)
    UniqueIds.push_back(uniqueId(I));
  Visible = gpu::visibleDevices(UniqueIds, environmentVariable);
  if (Visible.empty())
    complain("ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES leave none of the "
             "%u simulated GPUs",
             Device.agent_count);
  Alive = true;
  A.header()->process = uint32_t(getpid());
  A.header()->own_threads = 2;
  startThread([this] { readLoop(); });
  startThread([this] { Callbacks.Serve(); });
  return true;
}

void Connection::readLoop() {
  Message M;
  while (receiveMessage(Fd, M)) {
    if (M.Header.type == MessageType::QueueError) {
      QueueErrorEvent E;
      if (M.as(E)) {
        E.instruction[sizeof(E.instruction) - 1] = 0;
        Callbacks.QueueError(E);
      }
      continue;
    }
    std::lock_guard<std::mutex> Guard(ReplyLock);
    if (Awaited.count(M.Header.sequence))
      Replies[M.Header.sequence] = std::move(M);
    ReplyReady.notify_all();
  }
  Callbacks.Lost();
  {
    std::lock_guard<std::mutex> Guard(ReplyLock);
    Alive = false;
  }
  ReplyReady.notify_all();
  wakeAll();
}

int Connection::request(MessageType Type, const void *Data, size_t Size,
                        Message *Reply, int PassFd) {
  std::unique_lock<std::mutex> Guard(ReplyLock);
  if (!Alive)
    return -EPIPE;
  const uint32_t Mine = ++Sequence;
  Awaited.insert(Mine);
  Guard.unlock();
  bool IsSent;
  {
    std::lock_guard<std::mutex> Send(SendLock);
    IsSent = sendMessage(Fd, Type, Mine, 0, Data, Size, PassFd);
  }
  Guard.lock();
  // A program may have closed the socket, with all that it doesn't know.
  if (IsSent)
    ReplyReady.wait(Guard, [&] { return !Alive || Replies.count(Mine); });
  Awaited.erase(Mine);
  auto It = Replies.find(Mine);
  if (It == Replies.end())
    return -EPIPE;
  const int Result = It->second.Header.result;
  if (Reply)
    *Reply = std::move(It->second);
  Replies.erase(It);
  return Result;
}

void Connection::doorbell(uint32_t QueueId) {
  QueueRequest R = {QueueId, 0};
  std::lock_guard<std::mutex> Send(SendLock);
  sendMessage(Fd, MessageType::Doorbell, 0, 0, &R, sizeof(R));
}

void Connection::wakeAll() {
  ArenaHeader *H = Memory->header();
  __atomic_add_fetch(&H->interrupts, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &H->interrupts, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool Connection::waitFor(const std::function<bool()> &Done) {
  uint32_t &Count = Memory->header()->waiting_threads;
  __atomic_add_fetch(&Count, 1, __ATOMIC_SEQ_CST);
  const bool Result = serveUntil(Done);
  __atomic_sub_fetch(&Count, 1, __ATOMIC_SEQ_CST);
  return Result;
}

bool Connection::serveUntil(const std::function<bool()> &Done) {
  ArenaHeader *H = Memory->header();
  __atomic_add_fetch(&H->waiters, 1, __ATOMIC_SEQ_CST);
  bool Result = true;
  for (;;) {
    const uint32_t Seen = __atomic_load_n(&H->interrupts, __ATOMIC_SEQ_CST);
    if (Done())
      break;
    if (!Alive) {
      Result = false;
      break;
    }
    syscall(SYS_futex, &H->interrupts, FUTEX_WAIT, Seen, nullptr, nullptr, 0);
  }
  __atomic_sub_fetch(&H->waiters, 1, __ATOMIC_SEQ_CST);
  return Result;
}

void Connection::disown() {
  Alive = false;
  if (Fd >= 0)
    close(Fd);
  Fd = -1;
}
