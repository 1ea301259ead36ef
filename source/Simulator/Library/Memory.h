//===-- Memory.h - The memory of a program ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_LIBRARY_MEMORY_H
#define WAVELANE_SIMULATOR_LIBRARY_MEMORY_H

#include "Objects.h"
#include "llvm/ADT/ArrayRef.h"

namespace wavelane::library {

/// Global memory: a running program's, or a core's as the client reads it.
class ProgramMemory {
public:
  explicit ProgramMemory(amd_dbgapi_client_process_id_t client)
      : client(client) {}
  ~ProgramMemory() { close(); }
  ProgramMemory(const ProgramMemory &) = delete;
  ProgramMemory &operator=(const ProgramMemory &) = delete;

  /// Without the client's help, where the system lets us. To be called again
  /// after an exec, which gives the program another memory.
  void open(pid_t pid);
  /// Whether the client has said that the program has ended.
  bool hasEnded() const { return ended; }
  void setEnded() { ended = true; }

  /// \p size is what was done. Exactly one buffer.
  Status transfer(uint64_t address, uint64_t &size, void *read,
                  const void *write);
  /// Cuts a range down to what of it, from its start, a simulated device could
  /// reach; ERROR_MEMORY_ACCESS if nothing. The program's mapping of device
  /// memory reads as zeros where nothing is allocated.
  Status limitToAllocated(uint64_t address, uint64_t &size);
  Status readAll(uint64_t address, void *data, uint64_t size);
  /// Reads \p size bytes at each of many places, one behind the other into
  /// \p data.
  Status readEach(llvm::ArrayRef<uint64_t> addresses, void *data,
                  uint64_t size);
  Status writeAll(uint64_t address, const void *data, uint64_t size);

private:
  void close();

  const amd_dbgapi_client_process_id_t client;
  pid_t pid = 0;
  int fd = -1; ///< /proc/PID/mem
  bool ended = false;
};

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_MEMORY_H
