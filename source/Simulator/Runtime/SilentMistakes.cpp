//===-- SilentMistakes.cpp - mistakes that a program doesn't notice -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Those that aren't errors of a function of HIP (HipErrors.h): kernels that
// nobody waits for, and argument blocks of a wrong size.
//
//===----------------------------------------------------------------------===//

#include "HipApi.h"
#include "Simulator/Common/HipErrors.h"
#include "Simulator/Common/StartDevice.h"

#include <cstdlib>
#include <cxxabi.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace wavelane::runtime;
using wavelane::simulator::SilentError;

static void reportUnfinished() {
  static std::atomic<bool> IsReported{false};
  if (IsReported.exchange(true))
    return;
  // A packet may be retired a little after what the program waited for. A
  // debugger gets more time: the kernel's faults and breakpoints are reported
  // in it. Time at a stop doesn't count.
  const unsigned Tries = wavelane::simulator::isTraced() ? 300 : 20;
  Runtime &R = Runtime::get();
  std::string Kernel;
  for (unsigned I = 0; I < Tries; ++I) {
    if (R.Forked || !R.Device.isAlive())
      return;
    Kernel = R.findUnfinished();
    if (Kernel.empty())
      return;
    usleep(5000);
  }
  const std::string Text =
      "the program ends before kernel " + Kernel +
      ", whose results and faults are lost: hipDeviceSynchronize() waits for "
      "it";
  SilentError E;
  E.Text = Text.c_str();
  wavelane::simulator::report(E);
}

void wavelane::runtime::reportUnfinishedAtExit() {
  static const int Registered = atexit(reportUnfinished);
  (void)Registered;
}

/// A debugger lets the program run this instead of the C library's _exit, which
/// calls no function of a library.
extern "C" __attribute__((visibility("default"), noreturn)) void
wavelane_exit(int Status) {
  // Neither the child of a program nor its threads have the device.
  if (!Runtime::get().Forked) {
    wavelane::simulator::reportUnreadError();
    reportUnfinished();
  }
  syscall(SYS_exit_group, Status);
  __builtin_trap();
}

std::string wavelane::runtime::plainName(const std::string &Name) {
  int Status = 0;
  char *Plain = abi::__cxa_demangle(Name.c_str(), nullptr, nullptr, &Status);
  std::string Result = Status == 0 && Plain ? Plain : Name;
  free(Plain);
  return Result;
}

void wavelane::runtime::checkArgumentBlock(const Kernel &K, size_t Size) {
  size_t End = 0;
  for (const KernelArgument &A : K.Arguments)
    if (A.Kind.compare(0, 7, "hidden_") != 0)
      End = std::max<size_t>(End, A.Offset + A.Size);
  // A struct's size is a multiple of its alignment.
  if (Size >= End && Size <= (End + 15) / 16 * 16)
    return;
  SilentError E;
  const std::string Text = "the argument block has " + std::to_string(Size) +
                           " bytes, but the arguments of kernel " +
                           plainName(K.Name) + " take " + std::to_string(End);
  E.Text = Text.c_str();
  addCallers(E);
  wavelane::simulator::report(E);
}
