//===-- GPUMemory.h - Memory as the client sees it --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_GPUMEMORY_H
#define WAVELANE_SERVER_GPUMEMORY_H

#include "CoreWriter.h"
#include "WaveReader.h"
#include "lldb/Utility/Status.h"

namespace wavelane::server {

/// Memory of the program and its waves. Breakpoints are traps in the code,
/// which clients neither see nor overwrite.
class GPUMemory {
public:
  GPUMemory(GPUSession &session, Agents &agents, CodeObjects &code_objects,
            WaveReader &reader)
      : m_session(session), m_agents(agents), m_code_objects(code_objects),
        m_reader(reader) {}

  /// Global memory. Fewer bytes than \p size are done where it ends.
  lldb_private::Status Read(uint64_t address, void *buffer, size_t size,
                            size_t &bytes_read);
  lldb_private::Status Write(uint64_t address, const void *buffer, size_t size,
                             size_t &bytes_written);
  /// Memory of an address space, by its DWARF number. One of \p read and
  /// \p write is null.
  /// \return How many bytes were done.
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
  /// Has one more user.
  lldb_private::Status SetTrap(uint64_t address);
  /// Has one user less; the last one's is taken out.
  /// \return Whether that was the last one.
  bool RemoveTrap(uint64_t address);
  /// Takes all out of the code, and forgets them.
  void RemoveTraps();
  /// The code that they were in is gone.
  void ForgetTraps() { m_traps.clear(); }
  /// Null where there is none. Valid until it is removed.
  const Trap *FindTrap(uint64_t address) const {
    auto found = m_traps.find(address);
    return found == m_traps.end() ? nullptr : &found->second;
  }
  bool HasTraps() const { return !m_traps.empty(); }
  /// Takes one out of the code for a while.
  bool TakeOut(uint64_t address);
  void PutBack(uint64_t address);
  /// The code that traps hide.
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
  std::map<uint64_t, Trap> m_traps;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPUMEMORY_H
