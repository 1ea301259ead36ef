//===-- FrameFacts.h - what LLDB knows at a frame and lane ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_LANE_FRAMEFACTS_H
#define WAVELANE_CORE_LANE_FRAMEFACTS_H

#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/StackID.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

namespace lldb_private {
namespace wavelane {

/// Registers, memory and addresses as seen from one frame and lane. Holds the
/// frame by its ID, so it stays usable while the process is stopped.
class FrameFacts {
public:
  /// Facts without a frame: those of the process, and of \a thread if not null.
  FrameFacts(Process &process, Thread *thread, StackFrame *frame,
             uint32_t lane);

  /// Facts for a file without a process, for a GPU or a CPU.
  explicit FrameFacts(bool is_gpu) : m_is_gpu(is_gpu) {}

  uint32_t GetLane() const { return m_lane; }
  lldb::tid_t GetThreadID() const { return m_tid; }
  bool HasFrame() const { return m_has_frame; }
  const StackID &GetFrameID() const { return m_frame_id; }
  uint32_t GetFrameIndex() const { return m_frame_index; }
  bool IsGPU() const { return m_is_gpu; }
  /// Lanes of the hardware's vector registers; 0 on a CPU.
  uint32_t GetWaveLanes() const { return m_wave_lanes; }

  lldb::ProcessSP GetProcess() const { return m_process_wp.lock(); }
  lldb::ThreadSP GetThread() const;
  lldb::StackFrameSP GetFrame() const;

  /// \return The register's bytes, lowest first.
  llvm::Expected<llvm::SmallVector<uint8_t, 64>>
  ReadRegister(uint64_t dwarf_number) const;
  /// The size in bytes; an error if the frame has no such register.
  llvm::Expected<uint64_t> GetRegisterSize(uint64_t dwarf_number) const;
  /// The target's name for it, or its number.
  std::string GetRegisterName(uint64_t dwarf_number) const;
  /// Writes part of a register.
  llvm::Error WriteRegister(uint64_t dwarf_number, uint64_t offset,
                            llvm::ArrayRef<uint8_t> bytes) const;

  /// Memory of a DWARF address space, for this thread and \a lane.
  llvm::Error ReadMemory(uint64_t space, uint32_t lane, uint64_t address,
                         llvm::MutableArrayRef<uint8_t> bytes) const;
  llvm::Error WriteMemory(uint64_t space, uint32_t lane, uint64_t address,
                          llvm::ArrayRef<uint8_t> bytes) const;

  /// The canonical frame address; for a GPU's frame in the unit of its stack
  /// pointer.
  llvm::Expected<uint64_t> GetCFA() const;
  /// Whether the frame is that of a wave's kernel, the outermost frame.
  bool IsKernel() const;
  /// Whether a register can be the base of the frame; see LaneSource.
  bool IsFrameRegister(uint64_t dwarf_number) const;
  /// The program counter for symbol lookup (inside the call for frames that
  /// called), as a load address.
  llvm::Expected<uint64_t> GetPC() const;

private:
  llvm::Expected<lldb::RegisterContextSP> GetRegisterContext() const;
  static const RegisterInfo *FindRegister(RegisterContext &context,
                                          uint64_t dwarf_number);

  lldb::ProcessWP m_process_wp;
  lldb::tid_t m_tid = LLDB_INVALID_THREAD_ID;
  bool m_has_frame = false;
  StackID m_frame_id;
  uint32_t m_frame_index = 0;
  /// LLDB's id of the frame list that contains the frame.
  lldb::frame_list_id_t m_frame_list = 0;
  uint32_t m_lane = 0;
  uint32_t m_wave_lanes = 0;
  bool m_is_gpu = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
