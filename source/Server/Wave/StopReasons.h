//===-- StopReasons.h - Why a wave has stopped ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_STOPREASONS_H
#define WAVELANE_SERVER_WAVE_STOPREASONS_H

#include "GPUMemory.h"
#include "MemoryInstruction.h"
#include "StopKinds.h"
#include "Watchpoints.h"
#include "lldb/Host/Debug.h"

namespace wavelane::server {

class StopReasons {
public:
  StopReasons(GPUSession &session, WaveReader &reader, GPUMemory &memory)
      : m_session(session), m_reader(reader), m_memory(memory) {}

  /// Why one wave has stopped; nullopt if it did with the others.
  std::optional<protocol::Stop> Get(Wave &wave);
  /// The same for LLDB's server, whose clients may know no records.
  void Get(Wave &wave, lldb_private::ThreadStopInfo &info,
           std::string &description);
  bool IsAtTrap(Wave &wave);
  /// Of a wave that has hit several watchpoints: which lanes hit which, if the
  /// registers of its last instruction show it.
  void FindLanesOfWatched(Wave &wave, const Watchpoints &watchpoints);

private:
  struct LaneAddress {
    unsigned lane;
    uint64_t address;
  };
  /// The addresses of an instruction's lanes by its registers; of a scalar one,
  /// one address. None if a register can't be read.
  std::optional<std::vector<LaneAddress>>
  GetAddresses(Wave &wave, const MemoryInstruction &instruction);
  protocol::Stop MakeException(Wave &wave, const StopKind &kind);
  /// Adds the address that couldn't be accessed, the lanes and the instruction.
  void AddViolation(Wave &wave, protocol::Stop &stop);
  /// AddViolation() for an instruction, by the addresses in its registers.
  /// \return false if none of its accesses fails, or that isn't known.
  bool FindFailedAccess(Wave &wave, const std::string &text,
                        protocol::Stop &stop);
  /// The instruction at \p pc, disassembled; empty if it is unknown.
  std::string DescribeInstruction(Wave &wave, std::optional<uint64_t> pc);

  GPUSession &m_session;
  WaveReader &m_reader;
  GPUMemory &m_memory;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_STOPREASONS_H
