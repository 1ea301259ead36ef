//===-- UserMemory.h - what a program's pointers point to -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in the kernel, a pointer of an ioctl that leads nowhere is an error of the
// ioctl (-EFAULT), not of the program.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DRIVER_USERMEMORY_H
#define WAVELANE_SIMULATOR_DRIVER_USERMEMORY_H

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace wavelane::driver {

/// Whether the system lets a process look at itself in this way.
inline bool isRefused() { return errno == EPERM || errno == ENOSYS; }

/// \return false if the memory can't be read.
inline bool copyFromUser(std::vector<uint8_t> &To, uint64_t Address,
                         size_t Size) {
  To.resize(Size);
  auto *From = reinterpret_cast<void *>(Address);
  iovec Here = {To.data(), Size}, There = {From, Size};
  if (!Size ||
      process_vm_readv(getpid(), &Here, 1, &There, 1, 0) == ssize_t(Size))
    return true;
  if (!From || !isRefused())
    return false;
  memcpy(To.data(), From, Size);
  return true;
}

/// The same for an object of plain data.
template <typename T> bool copyObject(T &To, uint64_t Address) {
  std::vector<uint8_t> Bytes;
  if (!copyFromUser(Bytes, Address, sizeof(T)))
    return false;
  memcpy(&To, Bytes.data(), sizeof(T));
  return true;
}

/// \return false if the memory can't be written.
inline bool copyToUser(uint64_t Address, const void *Data, size_t Size) {
  auto *To = reinterpret_cast<void *>(Address);
  iovec Here = {const_cast<void *>(Data), Size}, There = {To, Size};
  if (!Size ||
      process_vm_writev(getpid(), &Here, 1, &There, 1, 0) == ssize_t(Size))
    return true;
  if (!To || !isRefused())
    return false;
  memcpy(To, Data, Size);
  return true;
}

} // namespace wavelane::driver

#endif // WAVELANE_SIMULATOR_DRIVER_USERMEMORY_H
