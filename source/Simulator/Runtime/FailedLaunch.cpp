//===-- FailedLaunch.cpp - launches that fail without a word --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// k<<<...>>>() has no result: a program learns that it has failed by asking for
// the last error, or never.
//
//===----------------------------------------------------------------------===//

#include "Complain.h"
#include "HipApi.h"
#include "Simulator/Common/StartDevice.h"

#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <mutex>
#include <optional>
#include <pthread.h>

using namespace wavelane;
using namespace wavelane::runtime;
using simulator::FailedLaunchNote;

namespace {
/// The first one of which no one has asked for the error.
struct FailedLaunch {
  pthread_t Thread = {};
  const char *Error = "";
  std::string Kernel;
  uint64_t Descriptor = 0;
  std::vector<uint64_t> Callers;
};
struct Unread {
  std::mutex Lock;
  std::optional<FailedLaunch> First;
};
} // namespace

static Unread &unread() {
  // Never destroyed: other libraries' destructors may call HIP.
  static auto *TheUnread = new Unread;
  return *TheUnread;
}

/// The program exits.
static void reportUnread() {
  std::optional<FailedLaunch> F;
  {
    Unread &U = unread();
    std::lock_guard<std::mutex> Guard(U.Lock);
    F.swap(U.First);
  }
  Runtime &R = Runtime::get();
  // A debugger reports it itself.
  if (!F || R.Forked || !R.Device.isAlive() || simulator::isTraced())
    return;
  if (!R.Device.isChecked()) {
    complain("kernel %s couldn't be launched (%s), and the program didn't ask "
             "for the error; 'wavelane check' shows where",
             F->Kernel.c_str(), F->Error);
    return;
  }
  FailedLaunchNote N = {};
  N.kernel = F->Descriptor;
  strncpy(N.error, F->Error, sizeof(N.error) - 1);
  std::vector<uint8_t> Bytes(sizeof(N) + F->Callers.size() * 8);
  memcpy(Bytes.data(), &N, sizeof(N));
  memcpy(Bytes.data() + sizeof(N), F->Callers.data(), F->Callers.size() * 8);
  R.Device.request(simulator::MessageType::FailedLaunch, Bytes.data(),
                   Bytes.size());
}

void wavelane::runtime::noteFailedLaunch(const Kernel &K, hipError_t E) {
  static const int Registered = atexit(reportUnread);
  (void)Registered;
  constexpr int Depth = 24;
  void *Callers[Depth];
  const int Count = backtrace(Callers, Depth);
  Unread &U = unread();
  std::lock_guard<std::mutex> Guard(U.Lock);
  if (U.First)
    return;
  FailedLaunch F{
      pthread_self(), hipGetErrorName(E), plainName(K.Name), K.Descriptor, {}};
  for (int I = 0; I < Count; ++I)
    F.Callers.push_back(reinterpret_cast<uint64_t>(Callers[I]));
  U.First = std::move(F);
}

void wavelane::runtime::forgetFailedLaunch() {
  Unread &U = unread();
  std::lock_guard<std::mutex> Guard(U.Lock);
  if (U.First && pthread_equal(U.First->Thread, pthread_self()))
    U.First.reset();
}
