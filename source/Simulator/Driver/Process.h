//===-- Process.h - a program's side of KFD ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel keeps for a process that has opened /dev/kfd: the memory file
// that it shares with its device, the connection, events, and the pages of its
// own that GPUs may access.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_PROCESS_H
#define WAVELANE_SIMULATOR_DRIVER_PROCESS_H

#include "../Common/Wire.h"
#include "Events.h"
#include "UserPages.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace wavelane::driver {

/// What a descriptor of the memory file stands for.
struct DeviceFile {
  bool IsKfd = false;
  int Minor = -1; ///< of the DRM device, if it is one
};

/// Says what isn't modelled on standard error, once each, if WAVELANE_LOG is
/// set.
void logOnce(const std::string &What);

class Process {
public:
  /// This process's; made when it first opens a device. Null if that failed.
  static Process *get();
  /// The same, or null if no device was opened yet.
  static Process *current();

  /// What open(2) of a device gives.
  int open(const DeviceFile &Kind, int Flags);
  /// nullopt for a descriptor of anything else.
  std::optional<DeviceFile> find(int Fd) const;

  /// An ioctl on /dev/kfd. \return 0, or -1 with errno set.
  int kfdCall(unsigned long Request, void *Argument);
  /// The program has mapped the file.
  void mapped(uint64_t Address, uint64_t Size, uint64_t Offset);
  /// fork(2) has made this process; the parent's device isn't its own.
  void forked();

  bool deviceHasEnded();

private:
  bool makeFile();
  /// Starts the device if it isn't there. \return false if it can't be.
  bool connect();
  /// Does the ioctl on the device. \return its result.
  int ask(unsigned long Request, void *Argument, size_t Size, const void *In,
          size_t InSize, std::vector<uint8_t> &Out);
  int allocate(unsigned long Request, void *Argument, size_t Size);
  int release(unsigned long Request, void *Argument, size_t Size);
  int enableRuntime(unsigned long Request, void *Argument, size_t Size);

  pid_t Pid = 0;
  int File = -1;
  dev_t FileDevice = 0;
  ino_t FileNumber = 0;
  simulator::driver::Control *Shared = nullptr;
  std::unique_ptr<Events> Waits;
  std::unique_ptr<UserPages> Pages;
  /// The program's own pages of a memory object.
  struct OwnPages {
    uint64_t Address, Size;
    bool IsRuntimes; ///< GPUs have them at the same address
  };
  std::mutex OwnLock;
  std::map<uint64_t, OwnPages> Own; ///< by handle

  std::mutex SocketLock;
  int Socket = -1;
  bool Tried = false; ///< to start the device
  uint32_t Sequence = 0;
  int FaultFile = -1; ///< userfaultfd for doorbells
  bool FaultFileSent = false;
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_PROCESS_H
