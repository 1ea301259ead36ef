//===-- Watchpoints.h - What the GPU's watch registers watch ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_WATCHPOINTS_H
#define WAVELANE_SERVER_WAVE_WATCHPOINTS_H

#include "WaveReader.h"
#include "lldb/Utility/Status.h"

namespace wavelane::server {

class Watchpoints {
public:
  Watchpoints(GPUSession &session, WaveReader &reader)
      : m_session(session), m_reader(reader) {}

  /// The number of the GPU's watch registers.
  uint32_t GetRegisterCount() const;
  /// Watches global memory.
  /// \param flags LLDB's: 1 for writes, 2 for reads, 3 for both.
  lldb_private::Status Set(uint64_t address, size_t size, uint32_t flags);
  /// Watches memory of an address space other than the global one.
  /// \param key  The address that identifies it in stops and Remove.
  lldb_private::Status SetInSpace(uint64_t key, uint64_t space, Wave *wave,
                                  uint32_t lane, uint64_t offset, size_t size,
                                  uint32_t flags);
  lldb_private::Status Remove(uint64_t address);
  void RemoveAll();
  /// Called when the GPU's runtime is gone, and its watch registers with it.
  void Forget() { m_watchpoints.clear(); }

  /// Finds the client's watchpoint that caused a stop, and clears the stop's
  /// reason if there is none.
  void FindOf(Wave &wave);
  /// The size of the global memory that the client watches at \p address; 0 for
  /// other memory.
  uint64_t GetSize(uint64_t address) const {
    auto found = m_watchpoints.find(address);
    return found == m_watchpoints.end() ? 0 : found->second.size;
  }

private:
  struct Watchpoint {
    /// Several if the watched range isn't contiguous or a power of 2.
    std::vector<amd_dbgapi_watchpoint_id_t> ids;
    /// If not 0, local memory of this workgroup.
    uint64_t workgroup = 0;
    /// 0 if it isn't global memory.
    uint64_t size = 0;
  };

  /// Watches a range of addresses with one of the device's registers.
  llvm::Expected<amd_dbgapi_watchpoint_id_t> Watch(uint64_t address,
                                                   size_t size, uint32_t flags);

  /// Frees its registers.
  void Release(Watchpoint &watchpoint);

  GPUSession &m_session;
  WaveReader &m_reader;
  /// By the client's address, or key.
  std::map<uint64_t, Watchpoint> m_watchpoints;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_WATCHPOINTS_H
