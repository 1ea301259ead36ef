//===-- StopReasons.h - Why a wave has stopped ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_STOPREASONS_H
#define WAVELANE_SERVER_WAVE_STOPREASONS_H

#include "GPUMemory.h"
#include "lldb/Host/Debug.h"

namespace wavelane::server {

class StopReasons {
public:
  StopReasons(GPUSession &session, WaveReader &reader, GPUMemory &memory)
      : m_session(session), m_reader(reader), m_memory(memory) {}

  /// The stop of one wave, for LLDB's server.
  void Get(Wave &wave, lldb_private::ThreadStopInfo &info,
           std::string &description);
  bool IsAtTrap(Wave &wave);

private:
  /// The exception's description for the user; empty for other stops.
  std::string Describe(Wave &wave);
  /// " at 0x10 (lanes 0-3), 'global_load_dword ...'", without unknown parts.
  std::string DescribeViolation(Wave &wave);
  /// The instruction at the wave's program counter, disassembled.
  std::string DescribeInstruction(Wave &wave);

  GPUSession &m_session;
  WaveReader &m_reader;
  GPUMemory &m_memory;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_STOPREASONS_H
