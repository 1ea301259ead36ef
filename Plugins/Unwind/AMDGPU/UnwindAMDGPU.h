//===-- UnwindAMDGPU.h - the frames of a wave -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_UNWINDAMDGPU_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_UNWINDAMDGPU_H

#include "CallerRegisters.h"
#include "EntryLanes.h"
#include "FrameRegisters.h"

#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/Unwind.h"

#include <memory>
#include <vector>

namespace lldb_private {
namespace wavelane {

class UnwindCache;
class Wave;

/// Finds the frames of a wave from its registers and code. The kernel's frame
/// is the outermost. FunctionUnwind describes how callers are found.
class UnwindAMDGPU : public Unwind, public CallerRegisters::Source {
public:
  /// \param[in] cache_sp The cache of the wave's process.
  UnwindAMDGPU(Wave &wave, std::shared_ptr<UnwindCache> cache_sp);
  ~UnwindAMDGPU() override;

  /// Whether the frame was found by a heuristic (no symbol shows where its
  /// callee begins, or not all of its code can be followed), and may not exist.
  bool IsGuess(uint32_t frame_idx) override;

  /// See EarlyReturn.
  std::optional<Status> ReturnFrom(StackFrame &frame,
                                   ValueObject *value) override;

  /// The outcome of each inactive lane.
  std::vector<LaneFlow::Outcome> GetOutcomes();

  std::optional<std::vector<uint8_t>>
  ReadRegister(uint32_t frame_idx, const RegisterInfo &info) override;

  /// The value of a register when the function of a frame was entered.
  /// \return nullopt if it isn't saved.
  std::optional<std::vector<uint8_t>> ReadAtEntry(uint32_t frame_idx,
                                                  FunctionUnwind::Register reg);

  /// See LaneSource::IsFrameRegister.
  bool IsFrameRegister(uint32_t frame_idx, llvm::StringRef name);

  bool WriteRegister(uint32_t frame_idx, const RegisterInfo &info,
                     llvm::ArrayRef<uint8_t> bytes) override;

protected:
  void DoClear() override;
  uint32_t DoGetFrameCount() override;
  bool DoGetFrameInfoAtIndex(uint32_t frame_idx, lldb::addr_t &cfa,
                             lldb::addr_t &pc,
                             bool &behaves_like_zeroth_frame) override;
  lldb::RegisterContextSP
  DoCreateRegisterContextForFrame(StackFrame *frame) override;

private:
  using Register = FunctionUnwind::Register;

  bool AddFrame();
  /// The return address of the outermost frame found so far.
  std::optional<lldb::addr_t> ReadReturnAddress();
  /// The likely start of the function around \a pc, which has no symbol.
  std::optional<lldb::addr_t> GuessFunctionStart(lldb::addr_t pc);
  void Describe(WaveFrame &frame, uint32_t index);
  std::shared_ptr<FunctionUnwind> GetFunction(lldb::addr_t start,
                                              lldb::addr_t end);

  Wave &m_wave;
  const std::shared_ptr<UnwindCache> m_cache_sp;
  WaveFrames m_frames;
  FrameRegisters m_registers;
  EntryLanes m_lanes;
  bool m_complete = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
