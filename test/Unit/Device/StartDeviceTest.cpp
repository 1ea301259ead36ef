//===-- StartDeviceTest.cpp - debuggers that a runtime waits for ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Common/StartDevice.h"
#include "Simulator/Common/Wire.h"

#include "gtest/gtest.h"

using namespace wavelane::simulator;

namespace {

/// How long this process waits while a lock for \p Pid is held.
uint32_t patienceWith(pid_t Pid) {
  std::string Error;
  const std::string Folder = runtimeDirectory(getpid(), Error);
  EXPECT_EQ(Error, "");
  const int Debugger = open(Folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct flock Lock = debuggerLock(Pid, F_RDLCK);
  EXPECT_EQ(fcntl(Debugger, F_OFD_SETLK, &Lock), 0);
  const uint32_t Patience = debuggerPatience();
  close(Debugger);
  return Patience;
}

TEST(DebuggerPatience, IsForOnesOwnDebugger) {
  EXPECT_EQ(debuggerPatience(), 0u);
  EXPECT_EQ(patienceWith(getpid()), 10000u);
  EXPECT_EQ(patienceWith(getpid() + 1), 0u);
  EXPECT_EQ(debuggerPatience(), 0u);
}

} // namespace
