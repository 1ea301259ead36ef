//===-- KfdProcess.h - a program's side of KFD ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's state for a process that has opened /dev/kfd: the memory file
// that it shares with its device, the connection, events, and the pages of its
// own that GPUs may access.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_KFDPROCESS_H
#define WAVELANE_SIMULATOR_DRIVER_KFDPROCESS_H

#include "DrmJobs.h"
#include "Gem.h"
#include "KfdEvents.h"
#include "PageFaults.h"
#include "Sharing.h"
#include "Simulator/Common/Wire.h"
#include "SvmRanges.h"
#include "SystemEvents.h"
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

/// The device of a descriptor of the memory file.
struct DeviceFile {
  bool IsKfd = false;
  int Minor = -1; ///< of the DRM device, if any
};

class Process {
public:
  /// The instance of this process, created when it first opens a device. Null
  /// if that failed.
  static Process *get();
  /// The instance, or null if no device was opened yet.
  static Process *current();

  /// open(2) for a device.
  int open(const DeviceFile &Kind, int Flags);
  /// open(2) for this process's own list of mappings: that of devices' memory
  /// is the devices'.
  int openMaps(int Flags) const;
  /// nullopt for any other descriptor.
  std::optional<DeviceFile> find(int Fd) const;

  /// An ioctl on /dev/kfd. \return 0, or -1 with errno set.
  int kfdCall(unsigned long Request, void *Argument);
  /// The program has mapped the file.
  void mapped(uint64_t Address, uint64_t Size, uint64_t Offset);
  Sharing &sharing() { return *Shares; }
  Gem &buffers() { return *Buffers; }
  Jobs &jobs() { return *TheJobs; }
  /// The program is about to replace what is mapped at these addresses, or to
  /// remove it.
  void unmapping(uint64_t Address, uint64_t Size);
  /// The program has unmapped something.
  void unmapped() { Pages->unmapped(); }
  /// The program is about to move these addresses elsewhere.
  void moving(uint64_t Address, uint64_t Size);
  /// The program is about to discard what is at these addresses; afterwards
  /// call protectionChanged().
  void discarding(uint64_t Address, uint64_t Size);
  /// The program has changed the protection of these addresses.
  void protectionChanged(uint64_t Address, uint64_t Size);
  // Around fork(2): the parent's device isn't its child's.
  void beforeFork() { Pages->beforeFork(); }
  void afterForkInParent() { Pages->afterForkInParent(); }
  void afterForkInChild();

  bool deviceHasEnded();

  /// HelloReply::checks of the device; 0 before there is one.
  uint32_t checks() const { return __atomic_load_n(&Checks, __ATOMIC_ACQUIRE); }
  /// Sends the device a message that isn't an ioctl.
  /// \return The reply's result, or -EIO.
  int send(simulator::MessageType Type, const void *Data, size_t Size,
           simulator::Message &Reply);

private:
  bool makeFile();
  /// Starts the device if it isn't running.
  /// \return false on failure.
  bool connect();
  /// See DeviceCall.
  int ask(kfd::Call Number, void *Argument, size_t Size,
          const void *In = nullptr, size_t InSize = 0);
  /// Performs the ioctl on the device.
  /// \return Its result.
  int ask(unsigned long Request, void *Argument, size_t Size, const void *In,
          size_t InSize, std::vector<uint8_t> &Out);
  /// The same with \a Count bytes of the program's, which are changed.
  int askWith(unsigned long Request, void *Argument, size_t Size,
              uint64_t Pointer, size_t Count);
  /// Performs an ioctl on /dev/kfd. \return Its result, or -errno.
  /// \param Argument A copy of the program's, with room for the largest.
  int perform(unsigned long Request, void *Argument, size_t Size);
  int mapForeign(ForeignMemory &Part, int Fd);
  int allocate(unsigned long Request, void *Argument, size_t Size);
  int release(unsigned long Request, void *Argument, size_t Size);
  int svm(void *Argument, size_t Size);
  int setXnack(unsigned long Request, void *Argument, size_t Size);
  void serve(const simulator::driver::PageRequest &R);
  int enableRuntime(unsigned long Request, void *Argument, size_t Size);

  pid_t Pid = 0;
  int File = -1;
  dev_t FileDevice = 0;
  ino_t FileNumber = 0;
  simulator::driver::Control *Shared = nullptr;
  std::unique_ptr<Events> Waits;
  std::unique_ptr<UserPages> Pages;
  SystemEvents Happenings;
  std::unique_ptr<SvmRanges> Svm;
  std::unique_ptr<PageFaults> Faults;
  std::unique_ptr<Sharing> Shares;
  std::unique_ptr<Gem> Buffers;
  std::unique_ptr<Jobs> TheJobs;
  /// Pages of the program that belong to a memory object.
  struct OwnPages {
    uint64_t Address;
    std::vector<Segment> Segments;
    bool IsRuntimes; ///< whether GPUs use the same address
  };
  std::mutex OwnLock;
  std::map<uint64_t, OwnPages> Own; ///< by handle

  std::mutex SocketLock;
  int Socket = -1;
  bool Tried = false; ///< whether starting the device was tried
  uint32_t Sequence = 0;
  uint32_t Checks = 0;
  int FaultFile = -1; ///< userfaultfd for doorbells
  bool FaultFileSent = false;
};

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_KFDPROCESS_H
