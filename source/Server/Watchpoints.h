//===-- Watchpoints.h - What the GPU's watch registers watch ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WATCHPOINTS_H
#define WAVELANE_SERVER_WATCHPOINTS_H

#include "WaveReader.h"
#include "lldb/Utility/Status.h"

namespace wavelane::server {

class Watchpoints {
public:
  Watchpoints(GPUSession &session, WaveReader &reader)
      : m_session(session), m_reader(reader) {}

  /// How many the GPU has registers for.
  uint32_t GetRegisterCount() const;
  /// Watches global memory.
  /// \param flags  As LLDB's: 1 for writes, 2 for reads, 3 for both.
  lldb_private::Status Set(uint64_t address, size_t size, uint32_t flags);
  /// Watches memory of an address space other than the global one.
  /// \param key  The address by which stops and Remove refer to it.
  lldb_private::Status SetInSpace(uint64_t key, uint64_t space, Wave *wave,
                                  uint32_t lane, uint64_t offset, size_t size,
                                  uint32_t flags);
  lldb_private::Status Remove(uint64_t address);
  void RemoveAll();
  /// The GPU's runtime has gone, and its watch registers with it.
  void Forget() { m_watchpoints.clear(); }

  /// Finds out which of the client's watchpoints a stop is about, and clears
  /// the reason if there is none.
  void FindOf(Wave &wave);

private:
  struct Watchpoint {
    /// Several where what is watched isn't contiguous, or no power of 2.
    std::vector<amd_dbgapi_watchpoint_id_t> ids;
    /// Local memory is this workgroup's, where it isn't 0.
    uint64_t workgroup = 0;
  };

  /// Watches a range of addresses, with one of the device's registers.
  llvm::Expected<amd_dbgapi_watchpoint_id_t> Watch(uint64_t address,
                                                   size_t size, uint32_t flags);

  /// Gives its registers back.
  void Release(Watchpoint &watchpoint);

  GPUSession &m_session;
  WaveReader &m_reader;
  /// By the address, or key, that the client knows.
  std::map<uint64_t, Watchpoint> m_watchpoints;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WATCHPOINTS_H
