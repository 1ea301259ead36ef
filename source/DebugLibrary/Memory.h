//===-- Memory.h - The memory of a program ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGLIBRARY_MEMORY_H
#define WAVELANE_DEBUGLIBRARY_MEMORY_H

#include "Objects.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>

namespace wavelane::library {

/// Global memory: a running program's, or a core's, which the client reads.
class ProgramMemory {
public:
  explicit ProgramMemory(amd_dbgapi_client_process_id_t Client)
      : Client(Client) {}
  ~ProgramMemory() { close(); }
  ProgramMemory(const ProgramMemory &) = delete;
  ProgramMemory &operator=(const ProgramMemory &) = delete;

  /// Uses direct access, without the client, if the system allows it. Call it
  /// again after an exec, which gives the program new memory.
  void open(pid_t Pid);
  /// Whether the client has said that the program has ended.
  /// Where memory is read and written from now on: sets the size to the number
  /// of bytes.
  /// \return false if there is no such memory.
  using Access = std::function<bool(uint64_t Address, uint64_t &Size,
                                    void *Read, const void *Write)>;
  void use(Access Other) { Own = std::move(Other); }
  bool hasEnded() const { return Ended; }
  void setEnded() { Ended = true; }

  /// Sets \p size to the number of bytes transferred. Exactly one buffer must
  /// be given.
  Status transfer(uint64_t Address, uint64_t &Size, void *Read,
                  const void *Write);
  /// Limits a range to its beginning that a simulated device can access;
  /// ERROR_MEMORY_ACCESS if it can't access any. The program's mapping of
  /// device memory reads as zeros where nothing is allocated.
  Status limitToAllocated(uint64_t Address, uint64_t &Size);
  Status readAll(uint64_t Address, void *Data, uint64_t Size);
  /// Reads \p size bytes at each of many places, consecutively into \p data.
  Status readEach(llvm::ArrayRef<uint64_t> Addresses, void *Data,
                  uint64_t Size);
  Status writeAll(uint64_t Address, const void *Data, uint64_t Size);

private:
  void close();

  const amd_dbgapi_client_process_id_t Client;
  pid_t Pid = 0;
  int Fd = -1; ///< /proc/PID/mem
  bool Ended = false;
  Access Own; ///< of a device that simulates a core
};

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_MEMORY_H
