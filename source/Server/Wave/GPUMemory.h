//===-- GPUMemory.h - Memory as the client sees it --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_GPUMEMORY_H
#define WAVELANE_SERVER_WAVE_GPUMEMORY_H

#include "WaveReader.h"
#include "lldb/Utility/Status.h"
#include <functional>

namespace wavelane::server {

/// Original contents of memory that a debugger has changed: the code under
/// breakpoints.
using MemoryPatches = std::vector<std::pair<uint64_t, std::vector<uint8_t>>>;

/// Memory of the program and its waves. Breakpoints are traps in the code,
/// which clients neither see nor overwrite.
class GPUMemory {
public:
  GPUMemory(GPUSession &session, Agents &agents, CodeObjects &code_objects,
            WaveReader &reader)
      : m_session(session), m_agents(agents), m_code_objects(code_objects),
        m_reader(reader) {}

  /// Says how many bytes at \p address can be read, at most \p size: while
  /// waves are in the past, only memory that is as it was then.
  using CountReadable = std::function<size_t(uint64_t address, size_t size)>;
  void SetCountReadable(CountReadable count) {
    m_count_readable = std::move(count);
  }

  /// Global memory. Transfers fewer than \p size bytes at the end of memory.
  lldb_private::Status Read(uint64_t address, void *buffer, size_t size,
                            size_t &bytes_read);
  lldb_private::Status Write(uint64_t address, const void *buffer, size_t size,
                             size_t &bytes_written);
  /// Memory of an address space, by its DWARF number. One of \p read and \p
  /// write is null.
  /// \return The number of bytes transferred.
  llvm::Expected<size_t> TransferSpace(uint64_t space, Wave *wave,
                                       uint32_t lane, uint64_t address,
                                       size_t size, void *read,
                                       const void *write);

  //===-- Traps -----------------------------------------------------------===//

  struct Trap {
    uint32_t users = 0;
    std::vector<uint8_t> original, instruction;
    bool inserted = false;
  };
  /// Sets a trap, or adds a user of an existing one. The code of a core that
  /// hasn't run on yet has none before InsertTraps().
  lldb_private::Status SetTrap(uint64_t address);
  /// Inserts what isn't: a core begins to run on.
  void InsertTraps();
  /// Removes one user, and the trap with its last user.
  /// \return Whether it was the last.
  bool RemoveTrap(uint64_t address);
  /// Removes all traps from the code, and forgets them.
  void RemoveTraps();
  /// Forgets all traps because their code is gone.
  void ForgetTraps() { m_traps.clear(); }
  /// Null if there is none. Valid until the trap is removed.
  const Trap *FindTrap(uint64_t address) const {
    auto found = m_traps.find(address);
    return found == m_traps.end() ? nullptr : &found->second;
  }
  bool HasTraps() const { return !m_traps.empty(); }
  void
  ForEachTrap(llvm::function_ref<void(uint64_t, const Trap &)> call) const {
    for (const auto &[address, trap] : m_traps)
      call(address, trap);
  }
  /// Removes a trap from the code temporarily.
  bool TakeOut(uint64_t address);
  void PutBack(uint64_t address);
  /// The original code under the traps.
  MemoryPatches GetHiddenCode() const;

private:
  llvm::Expected<size_t> Transfer(amd_dbgapi_address_space_id_t space,
                                  amd_dbgapi_wave_id_t wave, uint32_t lane,
                                  uint64_t address, size_t size, void *read,
                                  const void *write);
  bool WriteCode(uint64_t address, llvm::ArrayRef<uint8_t> bytes);

  GPUSession &m_session;
  Agents &m_agents;
  CodeObjects &m_code_objects;
  WaveReader &m_reader;
  CountReadable m_count_readable;
  std::map<uint64_t, Trap> m_traps;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_GPUMEMORY_H
