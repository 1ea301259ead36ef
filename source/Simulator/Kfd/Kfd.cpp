//===-- Kfd.cpp - a stand-in for /dev/kfd ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening /dev/kfd succeeds, and debug operations are sent to the device of the
// process that they name (DebugClient.h).
//
//===----------------------------------------------------------------------===//

#include "wavelane/Simulator/Kfd.h"
#include "wavelane/Formats/OffloadBundle/OffloadBundle.h"
#include "wavelane/GPU/VisibleDevices.h"

#include "Simulator/Common/Agent.h"
#include "Simulator/Common/DebugClient.h"
#include "Simulator/Common/Wire.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <dlfcn.h>
#include <fcntl.h>
#include <optional>
#include <vector>

using namespace wavelane;
using namespace wavelane::simulator;

static constexpr unsigned long GetVersion = 0x80084b01, DebugTrap = 0xc0204b26;

namespace {

/// The GPU that the process's runtime will choose for its code.
const Processor &chooseDevice(uint32_t Pid) {
  auto Program = llvm::MemoryBuffer::getFile(
      "/proc/" + std::to_string(Pid) + "/exe", /*IsText=*/false,
      /*RequiresNullTerminator=*/false);
  return gpu::chooseDevice(Program
                               ? offload::readTargets((*Program)->getBuffer())
                               : std::vector<std::vector<std::string>>());
}

/// The agents of the device that the process will start.
std::vector<kfd::DeviceSnapshotEntry> agents(uint32_t Pid) {
  const unsigned long GivenUnits =
      strtoul(programVariable(pid_t(Pid), "WAVELANE_CUS").value_or("").c_str(),
              nullptr, 10);
  const unsigned Units = GivenUnits >= 1 && GivenUnits <= MostComputeUnits
                             ? unsigned(GivenUnits)
                             : DefaultComputeUnits;
  std::vector<const Processor *> Found;
  std::string Error;
  const std::optional<std::string> Given =
      programVariable(pid_t(Pid), "WAVELANE_PROCESSOR");
  const std::string Names =
      Given && !Given->empty()
          ? *Given
          : gpu::enoughDevices(chooseDevice(Pid).Name, [&](const char *Name) {
              return programVariable(pid_t(Pid), Name);
            });
  if (!parseProcessors(Names, Found, Error))
    Found = {&chooseDevice(Pid)};
  std::vector<kfd::DeviceSnapshotEntry> All;
  for (const Processor *P : Found)
    All.push_back(describeAgent(*P, Units, unsigned(All.size())));
  return All;
}

std::atomic<bool> OnlyWithoutDevice{false};

/// The descriptors for the device file. Lock-free, because forked children
/// close descriptors, and another thread may have held a lock.
class Descriptors {
public:
  bool add(int Fd) { return change(None, Fd); }
  void remove(int Fd) { change(Fd, None); }
  bool contains(int Fd) const {
    for (const std::atomic<int> &Slot : Slots)
      if (Fd >= 0 && Slot == Fd)
        return true;
    return false;
  }

private:
  static constexpr int None = -1;
  bool change(int From, int To) {
    for (std::atomic<int> &Slot : Slots)
      if (int Expected = From; Slot.compare_exchange_strong(Expected, To))
        return true;
    return false;
  }
  std::atomic<int> Slots[16] = {None, None, None, None, None, None, None, None,
                                None, None, None, None, None, None, None, None};
};
Descriptors KfdFds;

/// The C library's function.
template <typename F> F *next(const char *Name) {
  return reinterpret_cast<F *>(dlsym(RTLD_NEXT, Name));
}
using OpenFunction = int(const char *, int, ...);

/// The result of open(2) for \a Path; nullopt if the C library must handle it.
std::optional<int> openKfd(const char *Path) {
  if (strcmp(Path, "/dev/kfd") != 0 ||
      (OnlyWithoutDevice && access(Path, F_OK) == 0))
    return std::nullopt;
  const int Fd = next<OpenFunction>("open")("/dev/null", O_RDWR | O_CLOEXEC);
  if (Fd >= 0 && !KfdFds.add(Fd)) {
    close(Fd);
    errno = EMFILE;
    return -1;
  }
  return Fd;
}

} // namespace

void wavelane::simulator::standInOnlyWithoutDevice() {
  OnlyWithoutDevice = true;
}

extern "C" {

#define OPEN(NAME)                                                             \
  __attribute__((visibility("default"))) int NAME(const char *Path, int Flags, \
                                                  ...) {                       \
    unsigned Mode = 0;                                                         \
    if (Flags & (O_CREAT | O_TMPFILE)) {                                       \
      va_list List;                                                            \
      va_start(List, Flags);                                                   \
      Mode = va_arg(List, unsigned);                                           \
      va_end(List);                                                            \
    }                                                                          \
    if (std::optional<int> Fd = openKfd(Path))                                 \
      return *Fd;                                                              \
    static OpenFunction *const Next = next<OpenFunction>(#NAME);               \
    return Next(Path, Flags, Mode);                                            \
  }
OPEN(open)
OPEN(open64)
#undef OPEN

__attribute__((visibility("default"))) int close(int Fd) {
  KfdFds.remove(Fd);
  static auto *const Next = next<int(int)>("close");
  return Next(Fd);
}

__attribute__((visibility("default"))) int ioctl(int Fd, unsigned long Request,
                                                 ...) {
  va_list List;
  va_start(List, Request);
  void *Argument = va_arg(List, void *);
  va_end(List);
  if (!KfdFds.contains(Fd)) {
    static auto *const Next = next<int(int, unsigned long, ...)>("ioctl");
    return Next(Fd, Request, Argument);
  }
  if (Request == GetVersion) {
    const uint32_t Version[2] = {kfd::InterfaceMajor, kfd::InterfaceMinor};
    memcpy(Argument, Version, sizeof(Version));
    return 0;
  }
  if (Request == DebugTrap)
    return debugTrap(*static_cast<kfd::DebugTrapArguments *>(Argument), agents);
  errno = ENOTTY;
  return -1;
}

} // extern "C"
